package bakeoff.store;

/** The order of a scan. */
public enum Direction {
    /** From low keys to high. */
    FORWARD,
    /** From high keys to low. */
    REVERSE,
    /** The easiest order for the store; only for whole scans. */
    ANY
}
