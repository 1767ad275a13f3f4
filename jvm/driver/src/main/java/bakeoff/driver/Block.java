package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.tape.LaneReader;
import bakeoff.tape.Operation;
import bakeoff.tape.Pool;
import bakeoff.tape.Record;
import bakeoff.tape.TapeException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The operations of a block, prepared before the clock starts, and the store's answers.
 *
 * <p>There is one array for each property, with an element for each operation. Most operations need only a few bytes of
 * their records, so a block stays in the processor's first-level cache. The rest is read again from the tape's bytes
 * ({@link #record}). All arrays are reused for each block, except those of objects.
 *
 * @param <B> the form of keys and values
 */
final class Block<B> {
    private static final int PAGE_BYTES = 4096;
    /** Compile-time constants. The numbers of enum members would be looked up at run time. */
    static final int GET = Operation.GET.code();

    static final int INSERT = Operation.INSERT.code();
    static final int UPDATE = Operation.UPDATE.code();

    private final Pool pool;
    /** Values are views of the pool. */
    private final boolean lends;
    /** One record at a time. */
    private final Record record = new Record();
    /** Records of scans and walks, which are needed inside the clock. Made on first use. */
    private final Record[] visits = new Record[LaneReader.BLOCK_OPERATIONS_MAX];

    /** Operation and flags. */
    private final short[] kinds = new short[LaneReader.BLOCK_OPERATIONS_MAX];

    private final int[] offsets = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private final ByKind byKind = new ByKind();

    /**
     * Whether all operations are the same with the same flags, all keys have one length, and all values have one
     * length.
     */
    private boolean ofOneLength;

    /** Whether all operations have keys of the same length at the same place in their records. */
    private boolean keysAlike;

    /** The places in the pool of written values, in tape order, while a block is prepared. */
    private final int[] places = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private final int[] lengths = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private byte touched;

    /** The number of operations. */
    int count;
    /** The bytes of their records. */
    ByteBuffer records;
    /** Keys and written values of the operations that have them. */
    final Filled<B> keys;

    final Filled<B> values;
    private final int[] entryBytes = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    /** The end of each operation's output. It begins at the end of the previous one. */
    final int[] outputEnds = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    /** {@code get}, {@code walk}: whether there was a value. */
    final boolean[] found = new boolean[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Answers that the store returned as arrays. Null until the first one. Allocated anew as in {@link Filled}. */
    private byte[][] kept;

    private boolean keeps;
    /** Scans: entries delivered. Walks: steps taken. */
    final long[] entries = new long[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Scans: bytes of keys and values delivered. */
    final long[] bytes = new long[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Scans: the consumer's state. Walks: the last object id, or the checksum of all fields. */
    final long[] states = new long[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Nanoseconds; only in latency mode. */
    final long[] timesNs = new long[LaneReader.BLOCK_OPERATIONS_MAX];

    Block(Form<B> form, Pool pool, Slices<B> slices) {
        lends = form.lends();
        this.pool = lends ? pool : pool.forArrays();
        keys = new Filled<>(form);
        values = new Filled<>(form, slices);
    }

    /** Outside the clock: prepares the reader's block completely. */
    void prepare(LaneReader reader) throws TapeException {
        records = reader.records();
        count = reader.operations();
        keys.begin(count);
        values.begin(count);
        kept = keeps ? new byte[count][] : null;
        place(reader);
        readEntryBytes();
        prepareKeys();
        prepareValues();
        for (int kind = 0; kind < byKind.number(); kind++) {
            if (byKind.operation(kind).isVisit()) {
                prepareVisits(byKind.indexes(kind), byKind.count(kind));
            }
        }
    }

    /** Finds the place and kind of each operation's record. */
    private void place(LaneReader reader) throws TapeException {
        int first = reader.first();
        int apart = reader.read(first, record) - first;
        boolean mayBeEven = record.isOfOneKey() && reader.recordBytes() == count * apart;
        long differences = mayBeEven ? record.differences(records, first, apart, count) : -1;
        ofOneLength = differences == 0;
        if (Record.areAlike(differences)) {
            keysAlike = true;
            byKind.begin(record.kind(), count);
            Arrays.fill(kinds, 0, count, record.kind());
            for (int index = 0; index < count; index++) {
                offsets[index] = first + index * apart;
            }
            return;
        }
        keysAlike = Record.haveKeysOfOneLength(differences) && placeEven(first, apart);
        if (!keysAlike) {
            placeEach(reader);
        }
    }

    /**
     * {@link #place} for a block in which all operations have one key of the same length, so that records have the same
     * length. Returns whether that is so.
     */
    private boolean placeEven(int first, int apart) {
        byKind.begin();
        for (int index = 0; index < count; index++) {
            int offset = first + index * apart;
            short kind = Record.kind(records, offset);
            offsets[index] = offset;
            kinds[index] = kind;
            byKind.add(index, kind);
            if (!byKind.areOfOneKey()) {
                // The next record is elsewhere, or these bytes are no record.
                return false;
            }
        }
        return true;
    }

    /** {@link #place} for any operations. */
    private void placeEach(LaneReader reader) throws TapeException {
        byKind.begin();
        int place = reader.first();
        for (int index = 0; index < count; index++) {
            offsets[index] = place;
            place = reader.read(place, record);
            kinds[index] = record.kind();
            byKind.add(index, record.kind());
        }
    }

    private void readEntryBytes() {
        if (ofOneLength) {
            Arrays.fill(entryBytes, 0, count, Record.entryBytes(records, offsets[0]));
            return;
        }
        for (int index = 0; index < count; index++) {
            entryBytes[index] = Record.entryBytes(records, offsets[index]);
        }
    }

    private void prepareKeys() {
        if (keysAlike) {
            record(0);
            keys.fillAll(records, offsets, record.keyOffset - offsets[0], record.keyBytes());
            return;
        }
        for (int index = 0; index < count; index++) {
            if (operation(index).hasKey()) {
                record(index);
                keys.fill(index, records, record.keyOffset, record.keyBytes());
            }
        }
    }

    private void prepareValues() {
        int[] writers = byKind.writers();
        int written = byKind.written();
        if (written == 0) {
            return;
        }
        if (pool.isOneWindow()) {
            boolean sliced = values.slice(records, offsets, writers, written);
            // Arrays were made beforehand. Views still show the pool, whose pages may have to be fetched.
            if (sliced && !lends) {
                return;
            }
            for (int at = 0; at < written; at++) {
                int offset = offsets[writers[at]];
                places[at] = (int) Record.valueOffset(records, offset);
                lengths[at] = Record.valueBytes(records, offset);
            }
            if (lends) {
                touched = touchAll(pool.window(0), written);
            }
            if (sliced) {
                return;
            }
            if (ofOneLength) {
                values.fillAll(pool.window(0), places, 0, lengths[0]);
                return;
            }
        }
        fillValues(writers, written);
    }

    private void fillValues(int[] writers, int written) {
        byte seen = touched;
        for (int at = 0; at < written; at++) {
            int index = writers[at];
            long offset = Record.valueOffset(records, offsets[index]);
            ByteBuffer window = pool.window(offset);
            int length = Record.valueBytes(records, offsets[index]);
            if (lends && !pool.isOneWindow()) {
                seen ^= touch(window, pool.place(offset), length);
            }
            values.fill(index, window, pool.place(offset), length);
        }
        touched = seen;
    }

    /**
     * {@link #touch}es the values at {@link #places}. Skips values in the pages touched last, since values mostly
     * follow each other.
     */
    private byte touchAll(ByteBuffer window, int written) {
        byte seen = 0;
        int pageEnd = 0;
        int before = Integer.MAX_VALUE;
        for (int at = 0; at < written; at++) {
            int place = places[at];
            if (place < before || place + lengths[at] > pageEnd) {
                seen ^= touch(window, place, lengths[at]);
                pageEnd = (place + lengths[at] - 1 | PAGE_BYTES - 1) + 1;
            }
            before = place;
        }
        return seen;
    }

    /** Reads a byte of every page of a value, so that no page of the pool is fetched inside the clock. */
    private static byte touch(ByteBuffer window, int place, int length) {
        byte seen = 0;
        for (int at = 0; at < length; at += PAGE_BYTES) {
            seen ^= window.get(place + at);
        }
        if (length > 0) {
            seen ^= window.get(place + length - 1);
        }
        return seen;
    }

    private void prepareVisits(int[] indexes, int visitCount) {
        for (int at = 0; at < visitCount; at++) {
            int index = indexes[at];
            if (visits[index] == null) {
                visits[index] = new Record();
            }
            visits[index].decode(records, offsets[index], records.limit());
            found[index] = false;
            entries[index] = 0;
            bytes[index] = 0;
            states[index] = 0;
        }
    }

    /** The operations by kind. */
    ByKind byKind() {
        return byKind;
    }

    /** The operation at {@code index}. */
    Operation operation(int index) {
        return Operation.ofCode(code(index));
    }

    /** The operation at {@code index}, as a number. */
    int code(int index) {
        return kinds[index] & 0xff;
    }

    /** Whether all operations are {@code insert}s, with the same flags. */
    boolean isAllInserts() {
        return byKind.number() == 1 && code(0) == INSERT;
    }

    /** Whether all operations are {@code get}s, with the same flags. */
    boolean isAllGets() {
        return byKind.number() == 1 && code(0) == GET;
    }

    /** Whether operation {@code index} has a flag. */
    boolean has(int index, int flag) {
        return (kinds[index] >> Byte.SIZE & flag) != 0;
    }

    /** Keeps an answer that the store returned as an array. */
    void keep(int index, byte[] answer) {
        if (kept == null) {
            kept = new byte[count][];
            keeps = true;
        }
        kept[index] = answer;
    }

    /** The answer to operation {@code index}, if the store returned it as an array, or null. */
    byte[] kept(int index) {
        return kept == null ? null : kept[index];
    }

    /** Bytes of the keys and values that the first {@code of} operations in {@code indexes} write or should read. */
    long entryBytes(int[] indexes, int of) {
        if (ofOneLength) {
            return (long) of * entryBytes[0];
        }
        long sum = 0;
        for (int at = 0; at < of; at++) {
            sum += entryBytes[indexes[at]];
        }
        return sum;
    }

    /** Whether none of the first {@code of} operations in {@code indexes} found anything or left an answer. */
    boolean foundNothing(int[] indexes, int of) {
        boolean any = kept != null;
        for (int at = 0; at < of; at++) {
            any |= found[indexes[at]];
        }
        if (outputEnds[count - 1] != 0) {
            for (int at = 0; at < of; at++) {
                any |= outputBytes(indexes[at]) != 0;
            }
        }
        return !any;
    }

    /** The place in the output where the answer of operation {@code index} begins. */
    int outputBegin(int index) {
        return index == 0 ? 0 : outputEnds[index - 1];
    }

    /** The number of output bytes of operation {@code index}. */
    int outputBytes(int index) {
        return outputEnds[index] - outputBegin(index);
    }

    /** The record of a scan or a walk. */
    Record visit(int index) {
        return visits[index];
    }

    /** The record of any operation, read again. It is valid until the next call. */
    Record record(int index) {
        record.decode(records, offsets[index], records.limit());
        return record;
    }
}
