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
    private static final int PAGE_BYTES = 4096;
    /** Codes that the compiler knows, where it would look up the numbers of an enumeration's members. */
    static final int GET = Operation.GET.code();

    static final int INSERT = Operation.INSERT.code();
    static final int UPDATE = Operation.UPDATE.code();

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

    private final ByKind byKind = new ByKind();

    /** Whether all operations are the same, with the same flags, and all keys and all values of one length. */
    private boolean ofOneLength;

    /** Whether all have keys, of the same length, at the same place of their records. */
    private boolean keysAlike;

    /** Where in the pool the values lie that are written, in the order of the tape, while a block is made ready. */
    private final int[] places = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private final int[] lengths = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private byte touched;

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

    /** Finds where each operation's record lies, and of which kind it is. */
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

    /** {@link #place}, if all operations are about one key; says whether they are. Their keys are of the same length, so that their records are too. */
    private boolean placeEven(int first, int apart) {
        byKind.begin();
        for (int index = 0; index < count; index++) {
            int offset = first + index * apart;
            short kind = Record.kind(records, offset);
            offsets[index] = offset;
            kinds[index] = kind;
            byKind.add(index, kind);
            if (!byKind.areOfOneKey()) {
                // What comes after it lies elsewhere, or it is no record.
                return false;
            }
        }
        return true;
    }

    /** {@link #place}, whatever the operations are. */
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
            // Arrays were made beforehand, while views still show the pool, of which pages may have to be fetched.
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

    /** {@link #touch}es the values at {@link #places}, but for those that lie in the pages of the one touched last: they mostly follow each other. */
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

    /** Which are of which kind. */
    ByKind byKind() {
        return byKind;
    }

    /** What operation {@code index} is. */
    Operation operation(int index) {
        return Operation.ofCode(code(index));
    }

    /** What operation {@code index} is, as a number. */
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

    /** Bytes of the keys and values that the operations at so many indexes write or are expected to read. */
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

    /** Whether none of the operations at so many indexes found anything, nor left anything in the output or as an array. */
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
