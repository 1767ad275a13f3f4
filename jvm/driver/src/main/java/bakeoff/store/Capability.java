package bakeoff.store;

import java.util.Locale;

/** Capabilities of a store ({@code docs/PROTOCOL.md}). Missing ones are shown as n/a and never emulated. */
public enum Capability {
    /** Ordered scans, forward and reverse, from any key. */
    SCAN_FROM,
    /** Scans of all entries in key order. */
    SCAN_ORDERED,
    /** Scans of all entries in any order. */
    SCAN_ANY_ORDER,
    /** Several writes acknowledged together. */
    BATCH,
    /** A session reads its own writes in its open batch. */
    BATCH_READS,
    /** A batch is applied completely or not at all, even when the process is killed. */
    ATOMIC_BATCH,
    /** Inserting an existing key is an error. Otherwise an insert writes without a check. */
    INSERT_REFUSES,
    /** Several threads read without waiting for each other. */
    PARALLEL_READERS,
    /** Several threads write without waiting for each other. */
    PARALLEL_WRITERS,
    /** Several processes can open the store, at least one of them for writing. */
    MULTI_PROCESS,
    /** It can make a copy of itself without free space while it is open. */
    COMPACTED_COPY,
    /** Existence checks are possible. A store without a call for them reads the value. */
    EXISTS,
    /** It checks for a key without reading the value. */
    EXISTS_CALL,
    /** Scans of a prefix and first entries are possible. */
    SCAN_PREFIX,
    /** The store keeps data. */
    KEEPS_DATA;

    /** The name used in descriptions. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
