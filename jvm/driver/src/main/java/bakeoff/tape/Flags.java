package bakeoff.tape;

/** The bits of a record's flags. */
public final class Flags {
    /** The key exists. */
    public static final int FOUND = 1;
    /** A scan runs from high keys to low. */
    public static final int REVERSE = 2;
    /** Not timed. */
    public static final int UNTIMED = 4;
    /** The record has a time at which it is due. */
    public static final int DUE = 8;
    /** A whole scan may deliver entries in any order. */
    public static final int ANY_ORDER = 16;
    /** Another lane may replace the value at the same time. */
    public static final int SHARED = 32;

    private Flags() {}

    /** The flags allowed for an operation. */
    static int of(Operation operation) {
        int own =
                switch (operation) {
                    case GET -> FOUND | SHARED;
                    case UPDATE, UPSERT, DELETE, WALK, EXISTS -> FOUND;
                    case SCAN, SCAN_PREFIX, FIRST -> REVERSE;
                    case SCAN_ALL -> REVERSE | ANY_ORDER;
                    case INSERT, COMMIT -> 0;
                };
        return own | UNTIMED | DUE;
    }
}
