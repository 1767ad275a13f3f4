package bakeoff.tape;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Distinct slices are recognised and counted, and dropped if there are many. */
final class WrittenValuesTest {
    private static final Path TAPE = Path.of("../../crates/tape/vectors/every-operation.tape");

    @Test
    void thoseOfATapeAreWhatItsRecordsWrite() throws Exception {
        try (TapeReader tape = TapeReader.open(TAPE)) {
            WrittenValues written = new WrittenValues(tape.header().poolBytes());
            tape.check(written);
            // Sorted and distinct.
            TreeSet<Long> expected = new TreeSet<>();
            Record record = new Record();
            for (int number = 0; number < tape.header().lanes().size(); number++) {
                LaneReader lane = tape.lane(number);
                while (lane.next()) {
                    int place = lane.first();
                    for (int index = 0; index < lane.operations(); index++) {
                        place = lane.read(place, record);
                        if (record.operation().writesValue()) {
                            expected.add(WrittenValues.slice((int) record.valueOffset, (int) record.valueBytes()));
                        }
                    }
                }
            }
            assertTrue(expected.size() > 3, "%d values".formatted(expected.size()));
            assertArrayEquals(expected.stream().mapToLong(Long::longValue).toArray(), written.slices());
        }
    }

    @Test
    void oneIsWhereAndHowLongItIs() {
        long slice = WrittenValues.slice(8 << 20, 1 << 20);
        assertEquals(8 << 20, WrittenValues.place(slice));
        assertEquals(1 << 20, WrittenValues.length(slice));
        assertTrue(slice < WrittenValues.slice((8 << 20) + 1, 0), "in the order of places");
    }

    private static int kept(long poolBytes, int number, int length) {
        WrittenValues written = new WrittenValues(poolBytes);
        for (int time = 0; time < 2; time++) {
            for (int index = 0; index < number; index++) {
                written.add(WrittenValues.slice(index, length));
            }
        }
        return written.slices().length;
    }

    @Test
    void manyOrLongOnesAreNotKept() {
        assertEquals(1 << 16, kept(16 << 20, 1 << 16, 0));
        assertEquals(0, kept(16 << 20, (1 << 16) + 1, 0));
        assertEquals(16, kept(16 << 20, 16, 1 << 20), "16 MiB together, however often each is written");
        assertEquals(0, kept(16 << 20, 17, 1 << 20));
        assertEquals(0, kept((16 << 20) + 1, 1, 1), "of a longer pool");
    }
}
