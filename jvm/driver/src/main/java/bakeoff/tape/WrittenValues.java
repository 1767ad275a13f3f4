package bakeoff.tape;

import java.util.Arrays;

/**
 * The distinct slices of a pool that tapes write as values, as long as they are few, as in a recorded pool. A store
 * that takes objects can then have each of them made beforehand.
 */
public final class WrittenValues {
    /** More slices, or more bytes in total, would take too much heap. */
    private static final int NUMBER_MAX = 1 << 16;

    private static final int BYTES_MAX = 16 << 20;
    private static final int PLACE_BITS = 17;
    /** Spreads neighbouring numbers: the fractional part of the golden ratio. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final Record record = new Record();
    /** {@link #slice}s plus 1, each at its place or the next free one after it; null after there were too many. */
    private long[] table;

    private int number;
    private long bytes;

    /** For a pool of this length, before any tape. */
    public WrittenValues(long poolBytes) {
        table = poolBytes <= BYTES_MAX ? new long[1 << PLACE_BITS] : null;
    }

    /** The slice with this place and length, as one number. Slices sort by place. */
    public static long slice(int place, int length) {
        return (long) place << Integer.SIZE | length;
    }

    /** The place of a slice. */
    public static int place(long slice) {
        return (int) (slice >> Integer.SIZE);
    }

    /** The length of a slice. */
    public static int length(long slice) {
        return (int) slice;
    }

    /** Adds the values of a lane's current block, which was checked. */
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

    /** All slices, sorted by place. Empty if there are too many. */
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
