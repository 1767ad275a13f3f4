package bakeoff.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Directories that stores make files in. */
public final class Directories {
    private Directories() {}

    /**
     * Flushes a directory and those in it, so that the files that a store has made there keep their names through a power cut: many stores leave
     * that to the program that makes them.
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
