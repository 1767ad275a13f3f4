package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bakeoff.tape.Flags;
import bakeoff.tape.LaneReader;
import bakeoff.tape.Operation;
import bakeoff.tape.Record;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Each operation is found among those of its kind, in tape order, for any mix of kinds. */
final class ByKindTest {
    private static final Operation[] OPERATIONS = Operation.values();
    private static final int[] FLAGS = {
        0, Flags.FOUND, Flags.UNTIMED, Flags.FOUND | Flags.UNTIMED, Flags.DUE, Flags.REVERSE
    };

    private static short kind(Operation operation, int flags) {
        return (short) (operation.code() | flags << Byte.SIZE);
    }

    private static int[] first(int[] indexes, int count) {
        return Arrays.copyOf(indexes, count);
    }

    @Test
    void operationsAreFoundByTheirKind() {
        Random random = new Random(5);
        ByKind byKind = new ByKind();
        for (int block = 0; block < 500; block++) {
            // With a few kinds, as on most tapes, or with all.
            int operations = 1 + random.nextInt(OPERATIONS.length);
            int flags = 1 + random.nextInt(FLAGS.length);
            int count = 1 + random.nextInt(block % 2 == 0 ? 20 : LaneReader.BLOCK_OPERATIONS_MAX);
            short[] tape = new short[count];
            byKind.begin();
            for (int index = 0; index < count; index++) {
                tape[index] = kind(OPERATIONS[random.nextInt(operations)], FLAGS[random.nextInt(flags)]);
                byKind.add(index, tape[index]);
            }
            check(byKind, tape);
        }
    }

    private static Operation operation(short kind) {
        return Operation.ofCode(kind & 0xff);
    }

    private static void check(ByKind byKind, short[] tape) {
        Map<Short, List<Integer>> expected = new LinkedHashMap<>();
        for (int index = 0; index < tape.length; index++) {
            expected.computeIfAbsent(tape[index], unused -> new ArrayList<>()).add(index);
        }
        assertEquals(expected.size(), byKind.number());
        int of = 0;
        for (Map.Entry<Short, List<Integer>> kind : expected.entrySet()) {
            int[] indexes = kind.getValue().stream().mapToInt(index -> index).toArray();
            assertEquals(operation(kind.getKey()), byKind.operation(of));
            assertArrayEquals(indexes, first(byKind.indexes(of), byKind.count(of)));
            of++;
        }
        int[] writers = IntStream.range(0, tape.length)
                .filter(index -> operation(tape[index]).writesValue())
                .toArray();
        assertArrayEquals(writers, first(byKind.writers(), byKind.written()));
        boolean areOfOneKey = expected.keySet().stream().allMatch(Record::isOfOneKey);
        assertEquals(areOfOneKey, byKind.areOfOneKey());
    }

    @Test
    void anUnknownCodeIsNotTakenForAnother() {
        ByKind byKind = new ByKind();
        byKind.begin();
        byKind.add(0, kind(Operation.INSERT, 0));
        byKind.add(1, (short) (Operation.INSERT.code() + 16));
        assertEquals(2, byKind.number());
        assertEquals(1, byKind.written());
        assertFalse(byKind.areOfOneKey(), "so that each record is read, which finds it");
    }

    @Test
    void blocksOfOneKindAreNotLookedThrough() {
        ByKind byKind = new ByKind();
        byKind.begin();
        byKind.add(0, kind(Operation.COMMIT, 0));
        byKind.add(1, kind(Operation.GET, 0));
        assertFalse(byKind.areOfOneKey());
        byKind.begin(kind(Operation.UPDATE, Flags.FOUND), 7);
        assertEquals(1, byKind.number());
        assertEquals(Operation.UPDATE, byKind.operation(0));
        int[] all = {0, 1, 2, 3, 4, 5, 6};
        assertArrayEquals(all, first(byKind.indexes(0), byKind.count(0)));
        assertArrayEquals(all, first(byKind.writers(), byKind.written()));
        byKind.begin(kind(Operation.GET, 0), 7);
        assertEquals(0, byKind.written());
        assertTrue(byKind.areOfOneKey());
        byKind.begin();
        short[] mixed = {kind(Operation.GET, 0), kind(Operation.UPDATE, 0), kind(Operation.GET, 0)};
        for (int index = 0; index < mixed.length; index++) {
            byKind.add(index, mixed[index]);
        }
        check(byKind, mixed);
    }
}
