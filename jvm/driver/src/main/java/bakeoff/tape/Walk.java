package bakeoff.tape;

/** How a walk goes: what its record says in the field that other records keep the length of a value in. */
public final class Walk {
    /** The first 8 bytes of a value are the object id. */
    public static final int LONG = 0;
    /** A value is a FlatBuffer. */
    public static final int FLATBUFFERS = 1;
    /** A value is a message of Protocol Buffers. */
    public static final int PROTOBUF = 2;

    private static final String[] WORDS = {"long", "flatbuffers", "protobuf"};
    private static final long ALL_FIELDS = 1 << 24;
    private static final long PAST_LEAF = 1 << 25;
    private static final long KNOWN = ALL_FIELDS | PAST_LEAF | 0xff_ffff;

    private Walk() {}

    /** Components of the path. */
    public static int components(Record record) {
        return (int) record.valueBytes() & 0xffff;
    }

    /** How values are read: one of the constants above. */
    public static int codec(Record record) {
        return (int) (record.valueBytes() >> 16) & 0xff;
    }

    /** Whether all fields of each value are read, not the object id alone. */
    public static boolean allFields(Record record) {
        return (record.valueBytes() & ALL_FIELDS) != 0;
    }

    /** Whether the last lookup must find nothing, and all before it a value. */
    public static boolean pastLeaf(Record record) {
        return (record.valueBytes() & PAST_LEAF) != 0;
    }

    /** Lookups that find a value, if the right answer is to find some. */
    public static int found(Record record) {
        return components(record) - (pastLeaf(record) ? 1 : 0);
    }

    /** The codec's name. */
    public static String word(Record record) {
        return WORDS[codec(record)];
    }

    /** Whether the codec is known and has the fields asked for, and no other bit is set. */
    static boolean isKnown(Record record) {
        boolean known = (record.valueBytes() & ~KNOWN) == 0 && codec(record) < WORDS.length;
        return known && !(allFields(record) && codec(record) == LONG);
    }
}
