package bakeoff.tape;

import java.nio.ByteBuffer;

/** One operation of a tape. The same object is reused for many operations. Lengths and offsets are bytes. */
public final class Record {
    static final int FIXED_BYTES = 16;
    static final int KEY_BYTES_MAX = 0xffff;
    static final int DUE_BYTES = 8;
    static final int SCAN_BYTES = 40;
    static final int BYTES_MAX = FIXED_BYTES + DUE_BYTES + KEY_BYTES_MAX + SCAN_BYTES;

    /**
     * Operation, flags and both lengths, as on tape. They are decoded on demand, since most uses need only some of
     * them. Storing an object here would cost a memory barrier.
     */
    private long head;
    /** The offset of the key (for a walk: the path) in the block. */
    public int keyOffset;
    /** The offset of the value in the pool. For a walk: the expected object id, or the checksum of all fields. */
    public long valueOffset;
    /** When the operation is due, if flag {@code DUE} is set: unsigned nanoseconds from the start of the phase. */
    public long dueNs;
    /** Scans: maximum of entries, 0 for a whole scan. */
    public long limit;
    /** Scans: entries expected. */
    public long entries;
    /** Scans: bytes of keys and values expected. */
    public long bytes;
    /** Scans: expected final state of the consumer. */
    public long checksum;
    /** Scans: the use of each entry. */
    public Consumer consumer;

    /** The operation. */
    public Operation operation() {
        return Operation.ofCode((int) head & 0xff);
    }

    /** Bits of {@link Flags}. */
    public int flags() {
        return (int) (head >>> 8) & 0xff;
    }

    /** The operation's code and the flags above it. */
    public short kind() {
        return (short) head;
    }

    /** Length of the key. */
    public int keyBytes() {
        return (int) (head >>> 16) & 0xffff;
    }

    /**
     * Length of the written or expected value, unsigned. For a walk: the properties that {@link bakeoff.directory.Walk}
     * decodes.
     */
    public long valueBytes() {
        return head >>> 32;
    }

    /** Whether a flag is set. */
    public boolean has(int flag) {
        return (flags() & flag) != 0;
    }

    /**
     * Fills this from the record at {@code offset} of a little-endian buffer. Returns where the next record begins, or
     * -1 if the bytes are not a record.
     */
    public int decode(ByteBuffer block, int offset, int end) {
        if (end - offset < FIXED_BYTES) {
            return -1;
        }
        head = block.getLong(offset);
        valueOffset = valueOffset(block, offset);
        keyOffset = offset + FIXED_BYTES;
        if (has(Flags.DUE)) {
            if (end - keyOffset < DUE_BYTES) {
                return -1;
            }
            dueNs = block.getLong(keyOffset);
            keyOffset += DUE_BYTES;
        }
        int next = keyOffset + keyBytes();
        Operation operation = operation();
        if (operation == null || next > end) {
            return -1;
        }
        return operation.isScan() ? decodeScan(block, next, end) : next;
    }

    /** {@link #valueOffset} of the record at {@code offset}. */
    public static long valueOffset(ByteBuffer block, int offset) {
        return block.getLong(offset + 8);
    }

    private int decodeScan(ByteBuffer block, int offset, int end) {
        if (end - offset < SCAN_BYTES) {
            return -1;
        }
        limit = block.getLong(offset);
        entries = block.getLong(offset + 8);
        bytes = block.getLong(offset + 16);
        checksum = block.getLong(offset + 24);
        // The consumer's byte and the following zeros, read as one integer: anything but zeros gives an unknown
        // consumer.
        consumer = Consumer.ofCode(block.getLong(offset + 32));
        return consumer == null ? -1 : offset + SCAN_BYTES;
    }

    /** Whether it has exactly a key, and neither a time nor anything after the key: not a scan, a walk or due. */
    public boolean isOfOneKey() {
        return isOfOneKey(kind());
    }

    /** {@link #isOfOneKey} of a record of this {@link #kind}. */
    public static boolean isOfOneKey(short kind) {
        Operation operation = Operation.ofCode(kind & 0xff);
        return operation != null && operation.hasKey() && !operation.isVisit() && (kind >>> Byte.SIZE & Flags.DUE) == 0;
    }

    /** {@link #kind} of the record at {@code offset}. */
    public static short kind(ByteBuffer block, int offset) {
        return block.getShort(offset);
    }

    /** {@link #differences} of records that are the same operation with the same flags, on keys of the same length. */
    public static boolean areAlike(long differences) {
        return (int) differences == 0;
    }

    /** {@link #differences} of records whose keys are of the same length. */
    public static boolean haveKeysOfOneLength(long differences) {
        return (differences >>> 16 & 0xffff) == 0;
    }

    /**
     * The bits in which the beginnings of records differ from this one. There are {@code count} records from
     * {@code offset} on, {@code apart} bytes apart. 0 if their values have its length too.
     */
    public long differences(ByteBuffer block, int offset, int apart, int count) {
        long differences = 0;
        for (int index = 0; index < count; index++) {
            differences |= block.getLong(offset + index * apart) ^ head;
        }
        return differences;
    }

    /** {@link #valueBytes} of the record at {@code offset}. */
    public static int valueBytes(ByteBuffer block, int offset) {
        return block.getInt(offset + 4);
    }

    /** {@link #keyBytes} and {@link #valueBytes} together of the record at {@code offset}. */
    public static int entryBytes(ByteBuffer block, int offset) {
        long head = block.getLong(offset);
        return (int) (head >>> 16 & 0xffff) + (int) (head >>> 32);
    }

    /** The number of bytes that a right answer appends to the output. */
    long outputBytes() {
        if (operation() == Operation.GET && has(Flags.FOUND)) {
            return valueBytes();
        }
        return operation().isScan() && consumer == Consumer.COPY ? bytes : 0;
    }

    /** The number of written value bytes. */
    long writtenBytes() {
        return operation().writesValue() ? valueBytes() : 0;
    }

    /** Whether {@code valueOffset} and {@code valueBytes} refer to a slice of the pool. */
    public boolean refersToPool() {
        return operation().writesValue() || operation() == Operation.GET && has(Flags.FOUND);
    }
}
