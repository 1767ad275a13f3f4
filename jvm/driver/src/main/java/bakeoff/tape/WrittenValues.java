package bakeoff.tape;

import java.util.Arrays;

/**
 * The different slices of a pool that tapes write as values, as long as they are few, as those are of a pool that was cut: who has to hand
 * over objects can then make one for each beforehand.
 */
public final class WrittenValues {
    /** More, or more bytes together, would take too much of a heap. */
    private static final int NUMBER_MAX = 1 << 16;

    private static final int BYTES_MAX = 16 << 20;
    private static final int PLACE_BITS = 17;
    /** Spreads neighbouring numbers: the golden ratio's part behind the point. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final Record record = new Record();
    /** {@link #slice}s, each plus 1 at its place or the next free one behind it; null once there are too many. */
    private long[] table;

    private int number;
    private long bytes;

    /** Of a pool of this length, which no tape has yet. */
    public WrittenValues(long poolBytes) {
        table = poolBytes <= BYTES_MAX ? new long[1 << PLACE_BITS] : null;
    }

    /** So many bytes from this place on, as one number; in the order of places. */
    public static long slice(int place, int length) {
        return (long) place << Integer.SIZE | length;
    }

    /** Where a slice begins. */
    public static int place(long slice) {
        return (int) (slice >> Integer.SIZE);
    }

    /** How long a slice is. */
    public static int length(long slice) {
        return (int) slice;
    }

    /** Adds those of a lane's current block, which was checked. */
    void add(LaneReader lane) throws TapeException {
        int place = lane.first();
        for (int left = lane.operations(); left > 0 && table != null; left--) {
            place = lane.read(place, record);
            if (record.operation().writesValue()) {
                add(slice((int) record.valueOffset, (int) record.valueBytes()));
            }
        }
    }

    void add(long slice) {
        if (table == null) {
            return;
        }
        int at = (int) (slice * SPREAD >>> Long.SIZE - PLACE_BITS);
        while (table[at] != 0) {
            if (table[at] == slice + 1) {
                return;
            }
            at = at + 1 & table.length - 1;
        }
        table[at] = slice + 1;
        number++;
        bytes += length(slice);
        if (number > NUMBER_MAX || bytes > BYTES_MAX) {
            table = null;
        }
    }

    /** All of them in the order of their places; none if they are too many. */
    public long[] slices() {
        return table == null
                ? new long[0]
                : Arrays.stream(table)
                        .filter(slice -> slice != 0)
                        .map(slice -> slice - 1)
                        .sorted()
                        .toArray();
    }
}
