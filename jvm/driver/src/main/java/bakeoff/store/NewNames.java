package bakeoff.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * Sees to it that new files of a store keep their names through a power cut: for libraries that flush what they write to a log, and not that
 * there is a new log.
 */
public final class NewNames {
    /** File systems tell times in steps of up to so much: two names that came within one cannot be told apart by them. */
    private static final Duration STEP_MAX = Duration.ofMillis(20);

    /** Null where writes are not flushed. */
    private final Path directory;
    /** When the directory had changed last when it was flushed last. */
    private volatile FileTime flushed;

    /** In the store's directory, whose names are flushed from here on, if its writes are flushed. */
    public NewNames(OpenRequest request, boolean flushes) {
        directory = flushes ? request.directory() : null;
    }

    /**
     * Flushes the directory if a name came or went since. To be called after a write is flushed and before it is acknowledged; where nothing
     * changed it takes a look at the directory, a few microseconds. Where writes are not flushed it does nothing.
     */
    public void flush() throws IOException {
        if (directory == null) {
            return;
        }
        FileTime changed = Files.getLastModifiedTime(directory);
        if (changed.equals(flushed)) {
            return;
        }
        Instant now = Instant.now();
        try (FileChannel names = FileChannel.open(directory)) {
            names.force(true);
        }
        // What comes within the same step is flushed the next time, as what has changed meanwhile is.
        if (now.isAfter(changed.toInstant().plus(STEP_MAX))) {
            flushed = changed;
        }
    }
}
