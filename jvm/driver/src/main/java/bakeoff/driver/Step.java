package bakeoff.driver;

import bakeoff.tape.Record;

/**
 * One operation of a block, made ready before the clock starts, and what the store answered. The objects are used again for each
 * block.
 */
final class Step {
    /** The time of an operation that is done outside the clock. */
    static final long UNTIMED = -1;

    /** The operation and what is expected of it. */
    final Record record = new Record();

    /** Where the operation's output ends; it begins where that of the one before ends. */
    int outputEnd;
    /** The answer as an array of the store's making, if it gave one. */
    byte[] kept;
    /** {@code get}, {@code walk}: there was a value. */
    boolean found;
    /** Scans: entries delivered. Walks: steps taken. */
    long entries;
    /** Scans: bytes of keys and values delivered. */
    long bytes;
    /** Scans: the consumer's state. Walks: the object id read last, or what all fields came to. */
    long state;
    /** Nanoseconds, or {@link #UNTIMED}. */
    long timeNs;

    /** Forgets everything but the operation. */
    void clear() {
        kept = null;
        found = false;
        entries = 0;
        bytes = 0;
        state = 0;
        timeNs = UNTIMED;
    }
}
