package bakeoff.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Directories in which stores create files. */
public final class Directories {
    private Directories() {}

    /**
     * Flushes a directory and its subdirectories, so that new files keep their names through a power cut. Many stores
     * leave that to the program.
     */
    public static void flush(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.filter(Files::isDirectory).toList()) {
                try (FileChannel names = FileChannel.open(path)) {
                    names.force(true);
                }
            }
        } catch (UncheckedIOException error) {
            throw error.getCause();
        }
    }
}
