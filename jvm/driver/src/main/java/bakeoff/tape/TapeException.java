package bakeoff.tape;

import java.nio.file.Path;

/** A tape or pool that is damaged, truncated, foreign or unreadable. */
public final class TapeException extends Exception {
    private static final long serialVersionUID = 1;

    /** A fault of a file. */
    public TapeException(Path path, String message) {
        super(path + ": " + message);
    }

    static TapeException damaged(Path path, long offset, String what, Object found, Object expected) {
        String flaw = "offset %d: %s is %s, expected %s".formatted(offset, what, found, expected);
        return new TapeException(path, flaw + "; the tape is damaged: record it again");
    }
}
