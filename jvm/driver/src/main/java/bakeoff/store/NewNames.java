package bakeoff.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * Ensures that new files of a store keep their names through a power cut. It is for libraries that flush their log, but
 * not the name of a new log.
 */
public final class NewNames {
    /** The maximum resolution of file times. Two changes within it have the same time. */
    private static final Duration STEP_MAX = Duration.ofMillis(20);

    /** Null where writes are not flushed. */
    private final Path directory;
    /** The directory's change time when it was last flushed. */
    private volatile FileTime flushed;

    /** Watches the store's directory, whose names are flushed now, if the store's writes are flushed. */
    public NewNames(OpenRequest request, boolean flushes) {
        directory = flushes ? request.directory() : null;
    }

    /**
     * Flushes the directory if a name appeared or vanished since the last call. Call it after a write is flushed and
     * before it is acknowledged. Without changes it reads the directory's time, a few microseconds. It does nothing if
     * writes are not flushed.
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
        // Changes within the resolution, and changes during the flush, are flushed by the next call.
        if (now.isAfter(changed.toInstant().plus(STEP_MAX))) {
            flushed = changed;
        }
    }
}
