package bakeoff.tape;

/** The bits of a record's flags. */
public final class Flags {
    /** The key is there. */
    public static final int FOUND = 1;
    /** A scan runs from high keys to low. */
    public static final int REVERSE = 2;
    /** Outside the clock. */
    public static final int UNTIMED = 4;
    /** The record says when it is due. */
    public static final int DUE = 8;
    /** A whole scan may deliver entries in any order. */
    public static final int ANY_ORDER = 16;

    private Flags() {}

    /** The flags that an operation may have. */
    static int of(Operation operation) {
        int own =
                switch (operation) {
                    case GET, UPDATE, UPSERT, DELETE, WALK, EXISTS -> FOUND;
                    case SCAN, SCAN_PREFIX, FIRST -> REVERSE;
                    case SCAN_ALL -> REVERSE | ANY_ORDER;
                    case INSERT, COMMIT -> 0;
                };
        return own | UNTIMED | DUE;
    }
}
