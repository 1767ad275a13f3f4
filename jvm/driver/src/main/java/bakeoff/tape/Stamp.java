package bakeoff.tape;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * Properties of a file that change when it is written to or replaced.
 *
 * @param file the system's key for it
 * @param bytes its length
 * @param modified when it was last written to
 */
record Stamp(Object file, long bytes, FileTime modified) {
    /**
     * A file's current stamp.
     *
     * @throws TapeException if it cannot be read
     */
    static Stamp of(Path path) throws TapeException {
        try {
            BasicFileAttributes facts = Files.readAttributes(path, BasicFileAttributes.class);
            return new Stamp(facts.fileKey(), facts.size(), facts.lastModifiedTime());
        } catch (IOException error) {
            throw new TapeException(path, "cannot read when it was written to: " + error);
        }
    }
}
