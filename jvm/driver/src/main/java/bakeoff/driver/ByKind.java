package bakeoff.driver;

import bakeoff.tape.LaneReader;
import bakeoff.tape.Operation;
import bakeoff.tape.Record;
import java.util.stream.IntStream;

/**
 * Which operations of a block are of which kind: the same operation with the same flags. On a tape kinds may alternate at random; what is done outside the
 * clock is done for those of one kind after those of another, since a processor that cannot foretell what comes next loses
 * more time than all else takes.
 *
 * <p>Kinds have numbers, in the order in which the block first has them.
 */
final class ByKind {
    /** Each at its own index. */
    static final int[] EACH =
            IntStream.range(0, LaneReader.BLOCK_OPERATIONS_MAX).toArray();

    /** A kind's number plus 1; 0 if the block has none of it. Few of them are ever looked at. */
    private final short[] numberOf = new short[1 << Short.SIZE];

    private int number;
    private final short[] kinds = new short[LaneReader.BLOCK_OPERATIONS_MAX];
    private final int[] counts = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    /** Made when a block first has so many kinds. */
    private final int[][] indexes = new int[LaneReader.BLOCK_OPERATIONS_MAX][];

    /** 1 for a kind that writes values, else 0: added, not asked. */
    private final int[] writes = new int[LaneReader.BLOCK_OPERATIONS_MAX];

    private final int[] writers = new int[LaneReader.BLOCK_OPERATIONS_MAX];
    private int written;
    private boolean areOfOneKey;
    private boolean isOne;

    /** A block begins, whose operations are {@link #add}ed in their order. */
    void begin() {
        for (int of = 0; of < number; of++) {
            numberOf[Short.toUnsignedInt(kinds[of])] = 0;
        }
        number = 0;
        written = 0;
        areOfOneKey = true;
        isOne = false;
    }

    /** A block of so many operations of this kind. */
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

    /** How many kinds there are. */
    int number() {
        return number;
    }

    /** The operation of a kind; null if there is none of its code, as where somebody writes to a tape that was checked. */
    Operation operation(int of) {
        return Operation.ofCode(kinds[of] & 0xff);
    }

    /** How many operations are of a kind. */
    int count(int of) {
        return counts[of];
    }

    /** Their indexes. */
    int[] indexes(int of) {
        return isOne ? EACH : indexes[of];
    }

    /** How many operations write a value. */
    int written() {
        return written;
    }

    /** Their indexes. */
    int[] writers() {
        return isOne ? EACH : writers;
    }

    /** Whether each is about one key, and nothing but that. */
    boolean areOfOneKey() {
        return areOfOneKey;
    }
}
