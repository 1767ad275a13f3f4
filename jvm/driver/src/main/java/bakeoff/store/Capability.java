package bakeoff.store;

import java.util.Locale;

/** What a store can do ({@code docs/PROTOCOL.md}). What it cannot is shown as n/a and never emulated. */
public enum Capability {
    /** Ordered scans, forward and reverse, from any key. */
    SCAN_FROM,
    /** Scans of all entries in key order. */
    SCAN_ORDERED,
    /** Scans of all entries in whatever order. */
    SCAN_ANY_ORDER,
    /** Several writes acknowledged together. */
    BATCH,
    /** A session reads what it wrote in its own open batch. */
    BATCH_READS,
    /** A batch is applied as a whole or not at all, even when the process is killed. */
    ATOMIC_BATCH,
    /** Inserting a key that is there is an error; otherwise an insert writes without looking. */
    INSERT_REFUSES,
    /** Several threads read at once without waiting for each other. */
    PARALLEL_READERS,
    /** Several threads write at once without waiting for each other. */
    PARALLEL_WRITERS,
    /** Several processes can have the store open, at least one of them writing. */
    MULTI_PROCESS,
    /** It makes a copy of itself, while it is open, that has no free space left in it. */
    COMPACTED_COPY,
    /** Existence checks can be asked for; where the store has no call for them they read the value. */
    EXISTS,
    /** It looks whether a key is there without reading the value. */
    EXISTS_CALL,
    /** Scans of a prefix and first entries can be asked for. */
    SCAN_PREFIX,
    /** The store keeps what it is given. */
    KEEPS_DATA;

    /** The name used in descriptions. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
