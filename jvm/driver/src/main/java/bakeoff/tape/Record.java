package bakeoff.tape;

import java.nio.ByteBuffer;

/** One operation of a tape. The same object is filled again and again. Lengths and offsets are bytes. */
public final class Record {
    static final int FIXED_BYTES = 16;
    static final int KEY_BYTES_MAX = 0xffff;
    static final int DUE_BYTES = 8;
    static final int SCAN_BYTES = 40;
    static final int BYTES_MAX = FIXED_BYTES + DUE_BYTES + KEY_BYTES_MAX + SCAN_BYTES;

    /**
     * Operation, flags and both lengths, as on tape: taken apart where they are asked for, since few of them are of most records, and to
     * keep an object here would cost a memory barrier for each.
     */
    private long head;
    /** Where the key (for a walk the path) lies in the block. */
    public int keyOffset;
    /** Where in the pool that value lies; for a walk the object id expected, or what all fields come to. */
    public long valueOffset;
    /** When the operation is due, if flag {@code DUE} is set: unsigned nanoseconds from the start of the phase. */
    public long dueNs;
    /** Scans: entries at most, 0 for a whole scan. */
    public long limit;
    /** Scans: entries expected. */
    public long entries;
    /** Scans: bytes of keys and values expected. */
    public long bytes;
    /** Scans: the consumer's last state expected. */
    public long checksum;
    /** Scans: what is done with each entry. */
    public Consumer consumer;

    /** What to do. */
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

    /** Length of the value written or expected, unsigned; for a walk what {@link bakeoff.directory.Walk} reads. */
    public long valueBytes() {
        return head >>> 32;
    }

    /** Whether a flag is set. */
    public boolean has(int flag) {
        return (flags() & flag) != 0;
    }

    /**
     * Fills this from the record at {@code offset} of a little-endian buffer and returns where the next begins; -1 if the bytes are no
     * record.
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
        // The consumer's byte and the zeros after it, read as one integer: anything but zeros gives an unknown
        // consumer.
        consumer = Consumer.ofCode(block.getLong(offset + 32));
        return consumer == null ? -1 : offset + SCAN_BYTES;
    }

    /** Whether it has a key and nothing behind it, nor a time before it: neither a scan nor a walk nor due. */
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

    /** In which bits of their beginnings records differ from this one that lie from {@code offset} on, so many and so many bytes apart; 0 if their values are of its length too. */
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

    /** Bytes that a right answer appends to the output. */
    long outputBytes() {
        if (operation() == Operation.GET && has(Flags.FOUND)) {
            return valueBytes();
        }
        return operation().isScan() && consumer == Consumer.COPY ? bytes : 0;
    }

    /** Bytes of the value that is written. */
    long writtenBytes() {
        return operation().writesValue() ? valueBytes() : 0;
    }

    /** Whether {@code valueOffset} and {@code valueBytes} name a slice of the pool. */
    public boolean refersToPool() {
        return operation().writesValue() || operation() == Operation.GET && has(Flags.FOUND);
    }
}
