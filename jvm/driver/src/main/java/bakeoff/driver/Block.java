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
 * The operations of a block, made ready before the clock starts, and what the store answered.
 *
 * <p>One array for each property, with a place for each operation: what most operations need of their records takes a few bytes of each,
 * so that a block stays in the processor's first cache. The rest is read from the tape's bytes again ({@link #record}). All arrays but
 * those of objects are used again for each block.
 *
 * @param <B> the form of keys and values
 */
final class Block<B> {
    /** The time of an operation that is done outside the clock. */
    static final long UNTIMED = -1;

    private static final int PAGE_BYTES = 4096;
    /** Codes that the compiler knows, where it would look up the numbers of an enumeration's members. */
    private static final int GET = Operation.GET.code();

    private static final int INSERT = Operation.INSERT.code();

    private final Pool pool;
    /** Values are views of the pool. */
    private final boolean lends;
    /** One record at a time. */
    private final Record record = new Record();
    /** Records of scans and walks, which are needed inside the clock; made when first needed. */
    private final Record[] visits = new Record[LaneReader.BLOCK_OPERATIONS_MAX];

    /** Operation and flags. */
    private final short[] kinds = new short[LaneReader.BLOCK_OPERATIONS_MAX];

    private final int[] offsets = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    /** Where values lie in the pool, while a block is made ready. */
    private final int[] places = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private byte touched;

    /** Whether all operations are the same, with the same flags, on keys of the same length. */
    private boolean alike;

    /** Whether their values are of the same length too. */
    private boolean ofOneLength;

    /** How many operations. */
    int count;
    /** The bytes of their records. */
    ByteBuffer records;
    /** Keys and written values, of operations that have one. */
    final Filled<B> keys;

    final Filled<B> values;
    private final int[] entryBytes = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Where an operation's output ends; it begins where that of the one before ends. */
    final int[] outputEnds = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    /** {@code get}, {@code walk}: there was a value. */
    final boolean[] found = new boolean[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Answers as arrays of the store's making, where it gave one; null until it gives the first. Made anew as {@link Filled} is. */
    private byte[][] kept;

    private boolean keeps;
    /** Scans: entries delivered. Walks: steps taken. */
    final long[] entries = new long[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Scans: bytes of keys and values delivered. */
    final long[] bytes = new long[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Scans: the consumer's state. Walks: the object id read last, or what all fields came to. */
    final long[] states = new long[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Nanoseconds; of latency mode alone. */
    final long[] timesNs = new long[LaneReader.BLOCK_OPERATIONS_MAX];

    Block(Form<B> form, Pool pool, Slices<B> slices) {
        lends = form.lends();
        this.pool = lends ? pool : pool.forArrays();
        keys = new Filled<>(form);
        values = new Filled<>(form, slices);
    }

    /** Outside the clock: makes everything ready that the reader's block needs. */
    void prepare(LaneReader reader) throws TapeException {
        records = reader.records();
        count = reader.operations();
        keys.begin(count);
        values.begin(count);
        kept = keeps ? new byte[count][] : null;
        int place = reader.first();
        int apart = reader.read(place, record) - place;
        long differences = record.isOfOneKey() && pool.isOneWindow() && reader.recordBytes() == count * apart
                ? record.differences(records, place, apart, count)
                : -1;
        alike = Record.areAlike(differences);
        ofOneLength = differences == 0;
        if (alike) {
            prepareAlike(place, apart);
        } else {
            prepareEach(reader);
        }
    }

    /** Whatever the operations are, one after the other. */
    private void prepareEach(LaneReader reader) throws TapeException {
        int place = reader.first();
        byte seen = 0;
        boolean slicing = true;
        for (int index = 0; index < count; index++) {
            offsets[index] = place;
            place = reader.read(place, record);
            Operation operation = record.operation();
            kinds[index] = record.kind();
            entryBytes[index] = record.keyBytes() + (int) record.valueBytes();
            if (operation.hasKey()) {
                keys.fill(index, records, record.keyOffset, record.keyBytes());
            }
            if (operation.writesValue()) {
                int valuePlace = pool.place(record.valueOffset);
                int length = (int) record.valueBytes();
                if (lends) {
                    seen ^= touch(pool.window(record.valueOffset), valuePlace, length);
                }
                slicing = slicing && values.slice(index, valuePlace, length);
            } else if (operation.isVisit()) {
                prepareVisit(index);
            }
        }
        touched = seen;
        if (!slicing) {
            fillEach();
        }
    }

    /** Values, whatever the operations are. */
    private void fillEach() {
        for (int index = 0; index < count; index++) {
            if (operation(index).writesValue()) {
                Record written = record(index);
                ByteBuffer window = pool.window(written.valueOffset);
                values.fill(index, window, pool.place(written.valueOffset), (int) written.valueBytes());
            }
        }
    }

    /** The same operation on keys of the same length, as in most blocks: each step is a loop of its own, and nothing is asked of each. */
    private void prepareAlike(int first, int apart) {
        Arrays.fill(kinds, 0, count, record.kind());
        for (int index = 0; index < count; index++) {
            offsets[index] = first + index * apart;
        }
        if (ofOneLength) {
            Arrays.fill(entryBytes, 0, count, record.keyBytes() + (int) record.valueBytes());
        } else {
            for (int index = 0; index < count; index++) {
                entryBytes[index] = record.keyBytes() + Record.valueBytes(records, offsets[index]);
            }
        }
        keys.fillAll(records, offsets, record.keyOffset - first, record.keyBytes());
        if (record.operation().writesValue()) {
            for (int index = 0; index < count; index++) {
                places[index] = (int) Record.valueOffset(records, offsets[index]);
            }
            prepareValues(pool.window(0), record.keyBytes());
        }
    }

    /** Values at {@link #places}. */
    private void prepareValues(ByteBuffer window, int keyBytes) {
        if (lends) {
            touched = touchAll(window, keyBytes);
        }
        if (values.sliceAll(places, entryBytes, keyBytes)) {
            return;
        }
        if (ofOneLength) {
            values.fillAll(window, places, 0, entryBytes[0] - keyBytes);
            return;
        }
        for (int index = 0; index < count; index++) {
            values.fill(index, window, places[index], entryBytes[index] - keyBytes);
        }
    }

    /** {@link #touch}es the values at {@link #places}, but for those that lie in the pages of the one touched last: they mostly follow each other. */
    private byte touchAll(ByteBuffer window, int keyBytes) {
        byte seen = 0;
        int pageEnd = 0;
        int before = Integer.MAX_VALUE;
        for (int index = 0; index < count; index++) {
            int place = places[index];
            int length = entryBytes[index] - keyBytes;
            if (place < before || place + length > pageEnd) {
                seen ^= touch(window, place, length);
                pageEnd = (place + length - 1 | PAGE_BYTES - 1) + 1;
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

    private void prepareVisit(int index) {
        if (visits[index] == null) {
            visits[index] = new Record();
        }
        visits[index].decode(records, offsets[index], records.limit());
        found[index] = false;
        entries[index] = 0;
        bytes[index] = 0;
        states[index] = 0;
    }

    /** What operation {@code index} is. */
    Operation operation(int index) {
        return Operation.ofCode(kinds[index] & 0xff);
    }

    /** Whether operation {@code index} is a {@code get}. */
    boolean isGet(int index) {
        return (kinds[index] & 0xff) == GET;
    }

    /** Whether operation {@code index} is an {@code insert}. */
    boolean isInsert(int index) {
        return (kinds[index] & 0xff) == INSERT;
    }

    /** Whether all operations are {@code insert}s of keys of the same length. */
    boolean isAllInserts() {
        return alike && isInsert(0);
    }

    /** Whether all operations are {@code get}s of keys of the same length. */
    boolean isAllGets() {
        return alike && isGet(0);
    }

    /** Whether operation {@code index} has a flag. */
    boolean has(int index, int flag) {
        return (kinds[index] >> Byte.SIZE & flag) != 0;
    }

    /** Keeps an answer that is an array of the store's making. */
    void keep(int index, byte[] answer) {
        if (kept == null) {
            kept = new byte[count][];
            keeps = true;
        }
        kept[index] = answer;
    }

    /** The answer to operation {@code index} as an array of the store's making; null if it made none. */
    byte[] kept(int index) {
        return kept == null ? null : kept[index];
    }

    /** Where operations end that are what operation {@code begin} is, with the same flags. */
    int runEnd(int begin) {
        if (alike) {
            return count;
        }
        int end = begin + 1;
        while (end < count && kinds[end] == kinds[begin]) {
            end++;
        }
        return end;
    }

    /** Bytes of the keys and values that these operations write or are expected to read. */
    long entryBytes(int begin, int end) {
        if (ofOneLength) {
            return (long) (end - begin) * entryBytes[begin];
        }
        long sum = 0;
        for (int index = begin; index < end; index++) {
            sum += entryBytes[index];
        }
        return sum;
    }

    /** Whether none of these operations found anything, nor left anything in the output or as an array. */
    boolean foundNothing(int begin, int end) {
        boolean any = kept != null || outputEnds[end - 1] != outputBegin(begin);
        for (int index = begin; index < end; index++) {
            any |= found[index];
        }
        return !any;
    }

    /** Where in the output the answer of operation {@code index} begins. */
    int outputBegin(int index) {
        return index == 0 ? 0 : outputEnds[index - 1];
    }

    /** How many bytes the answer of operation {@code index} added to the output. */
    int outputBytes(int index) {
        return outputEnds[index] - outputBegin(index);
    }

    /** The record of a scan or a walk. */
    Record visit(int index) {
        return visits[index];
    }

    /** The record of any operation, read again: it holds until the next call. */
    Record record(int index) {
        record.decode(records, offsets[index], records.limit());
        return record;
    }
}
