package bakeoff.driver;

import bakeoff.tape.LaneReader;
import bakeoff.tape.Operation;
import bakeoff.tape.Record;
import java.util.stream.IntStream;

/**
 * The operations of a block by kind: the same operation with the same flags. Kinds may alternate at random on a tape.
 * The work outside the clock is done kind by kind, because mispredicted branches would cost more than the work itself.
 *
 * <p>Kinds have numbers, in the order of their first occurrence in the block.
 */
final class ByKind {
    /** Each element is its own index. */
    static final int[] EACH =
            IntStream.range(0, LaneReader.BLOCK_OPERATIONS_MAX).toArray();

    /** A kind's number plus 1; 0 if it does not occur in the block. Only few elements are ever used. */
    private final short[] numberOf = new short[1 << Short.SIZE];

    private int number;
    private final short[] kinds = new short[LaneReader.BLOCK_OPERATIONS_MAX];
    private final int[] counts = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Allocated when a block first has this many kinds. */
    private final int[][] indexes = new int[LaneReader.BLOCK_OPERATIONS_MAX][];

    /** 1 for a kind that writes values, otherwise 0. Adding it avoids a branch. */
    private final int[] writes = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private final int[] writers = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    private int written;
    private boolean areOfOneKey;
    private boolean isOne;

    /** Begins a block, whose operations are {@link #add}ed in order. */
    void begin() {
        for (int of = 0; of < number; of++) {
            numberOf[Short.toUnsignedInt(kinds[of])] = 0;
        }
        number = 0;
        written = 0;
        areOfOneKey = true;
        isOne = false;
    }

    /** Begins a block of {@code count} operations of this kind. */
    void begin(short kind, int count) {
        begin();
        int of = newNumber(kind);
        counts[of] = count;
        written = writes[of] * count;
        isOne = true;
    }

    void add(int index, short kind) {
        int of = numberOf[Short.toUnsignedInt(kind)] - 1;
        if (of < 0) {
            of = newNumber(kind);
        }
        indexes[of][counts[of]++] = index;
        writers[written] = index;
        written += writes[of];
    }

    private int newNumber(short kind) {
        int of = number++;
        numberOf[Short.toUnsignedInt(kind)] = (short) number;
        kinds[of] = kind;
        counts[of] = 0;
        Operation operation = operation(of);
        writes[of] = operation != null && operation.writesValue() ? 1 : 0;
        areOfOneKey &= Record.isOfOneKey(kind);
        if (indexes[of] == null) {
            indexes[of] = new int[LaneReader.BLOCK_OPERATIONS_MAX];
        }
        return of;
    }

    /** The number of kinds. */
    int number() {
        return number;
    }

    /** The operation of a kind. Null if its code is unknown, for example because a checked tape was changed. */
    Operation operation(int of) {
        return Operation.ofCode(kinds[of] & 0xff);
    }

    /** The number of operations of a kind. */
    int count(int of) {
        return counts[of];
    }

    /** Their indexes. */
    int[] indexes(int of) {
        return isOne ? EACH : indexes[of];
    }

    /** The number of operations that write a value. */
    int written() {
        return written;
    }

    /** Their indexes. */
    int[] writers() {
        return isOne ? EACH : writers;
    }

    /** Whether each operation has one key and nothing else. */
    boolean areOfOneKey() {
        return areOfOneKey;
    }
}
