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

    static final int ALL = FOUND | REVERSE | UNTIMED | DUE | ANY_ORDER;

    private Flags() {}
}
