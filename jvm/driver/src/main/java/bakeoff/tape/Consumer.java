package bakeoff.tape;

import java.util.Locale;

/** The use of each entry of a scan, in the order of the codes on tape, which begin at 0. */
public enum Consumer {
    /** Only counted. */
    COUNT,
    /** Both ends of key and value are read. */
    TOUCH,
    /** CRC-32 of all of it. */
    CRC32,
    /** XXH64 of all of it. */
    XXH64,
    /** Copied. */
    COPY,
    /** Both ends of key and value are read; only keys and the lengths of values are compared. */
    KEYS;

    private static final Consumer[] ALL = values();

    /** The consumer with a code; null if there is none. */
    static Consumer ofCode(long code) {
        return code >= 0 && code < ALL.length ? ALL[(int) code] : null;
    }

    /** The name used in tapes' descriptions. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
