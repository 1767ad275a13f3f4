package bakeoff.directory;

/**
 * Properties of a walk, encoded in the field of its record that otherwise has the value's length
 * ({@code Record.valueBytes}).
 */
public final class Walk {
    /** The first 8 bytes of a value are the object id. */
    public static final int LONG = 0;
    /** A value is a FlatBuffer. */
    public static final int FLATBUFFERS = 1;
    /** A value is a message of Protocol Buffers. */
    public static final int PROTOBUF = 2;

    private static final String[] NAMES = {"long", "flatbuffers", "protobuf"};
    private static final long ALL_FIELDS = 1 << 24;
    private static final long PAST_LEAF = 1 << 25;
    private static final long KNOWN = ALL_FIELDS | PAST_LEAF | 0xff_ffff;

    private Walk() {}

    /** Components of the path. */
    public static int components(long field) {
        return (int) field & 0xffff;
    }

    /** The codec of values: one of the constants above. */
    public static int codec(long field) {
        return (int) (field >> 16) & 0xff;
    }

    /** Whether all fields of each value are read, not only the object id. */
    public static boolean allFields(long field) {
        return (field & ALL_FIELDS) != 0;
    }

    /** Whether the last lookup must find nothing, and all earlier ones a value. */
    public static boolean pastLeaf(long field) {
        return (field & PAST_LEAF) != 0;
    }

    /** The number of lookups that find a value in a right answer. */
    public static int found(long field) {
        return components(field) - (pastLeaf(field) ? 1 : 0);
    }

    /** The codec's name. */
    public static String name(long field) {
        return NAMES[codec(field)];
    }

    /** Whether the codec is known and has the requested fields, and no other bit is set. */
    public static boolean isKnown(long field) {
        boolean known = (field & ~KNOWN) == 0 && codec(field) < NAMES.length;
        return known && !(allFields(field) && codec(field) == LONG);
    }
}
