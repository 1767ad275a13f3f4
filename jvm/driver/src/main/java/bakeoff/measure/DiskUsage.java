package bakeoff.measure;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** The disk space of a directory. */
public final class DiskUsage {
    private DiskUsage() {}

    /** In the form of events. Absent if any part is unreadable. */
    public static Optional<JsonObject> of(Path directory) {
        try {
            Lengths lengths = new Lengths();
            Files.walkFileTree(directory, lengths);
            JsonObject json = new JsonObject();
            json.addProperty("apparent_bytes", lengths.bytes);
            json.addProperty("allocated_bytes", allocatedBytes(directory));
            json.addProperty("files", lengths.files);
            return Optional.of(json);
        } catch (IOException | NumberFormatException unreadable) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** Allocated blocks, directories included. Java does not provide them, so this runs {@code du}. */
    private static long allocatedBytes(Path directory) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("du", "--summarize", "--block-size=1", "--", directory.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var output = process.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return Long.parseLong(text.split("\t", 2)[0].strip());
        }
    }

    private static final class Lengths extends SimpleFileVisitor<Path> {
        private long bytes;
        private long files;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
                bytes += attributes.size();
                files++;
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException error) throws IOException {
            // Files that background work removed in the meantime are left out.
            if (error instanceof java.nio.file.NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw error;
        }
    }
}
