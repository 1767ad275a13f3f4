package bakeoff.tape;

import java.util.Locale;

/** Operations on a store, in the order of the codes on tape, which begin at 1. */
public enum Operation {
    /** Write a new key. */
    INSERT,
    /** Replace the value of an existing key. */
    UPDATE,
    /** Write a key, new or existing. */
    UPSERT,
    /** Read a key's value. */
    GET,
    /** Delete a key. */
    DELETE,
    /** Some entries from a key on. */
    SCAN,
    /** Every entry. */
    SCAN_ALL,
    /** End of a batch. */
    COMMIT,
    /** Chained lookups. */
    WALK,
    /** Check whether a key exists. */
    EXISTS,
    /** The entries whose keys have a prefix. */
    SCAN_PREFIX,
    /** The first entry of all, or of those with a prefix. */
    FIRST;

    private static final Operation[] ALL = values();

    /** The operation with a code; null if there is none. */
    public static Operation ofCode(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
    }

    /** Its code on tape. */
    public int code() {
        return ordinal() + 1;
    }

    /** The name used in results. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it writes a value. */
    public boolean writesValue() {
        return this == INSERT || this == UPDATE || this == UPSERT;
    }

    /** Whether it has exactly one key. */
    public boolean hasKey() {
        return this != COMMIT && this != SCAN_ALL && this != WALK;
    }

    /** Whether it visits several entries: a scan of any kind, or a walk. */
    public boolean isVisit() {
        return isScan() || this == WALK;
    }

    /** Whether it is a scan of any kind. */
    public boolean isScan() {
        return this == SCAN || this == SCAN_ALL || hasPrefix();
    }

    /** Whether its key is a prefix. */
    public boolean hasPrefix() {
        return this == SCAN_PREFIX || this == FIRST;
    }

    /** Whether it changes the store. */
    public boolean writes() {
        return writesValue() || this == DELETE || this == COMMIT;
    }
}
