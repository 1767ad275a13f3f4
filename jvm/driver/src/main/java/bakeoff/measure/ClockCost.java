package bakeoff.measure;

import java.util.Arrays;

/** The cost of two successive readings of {@link System#nanoTime}. */
public final class ClockCost {
    private static final int BLOCKS = 31;
    private static final int PAIRS = 1 << 12;

    private ClockCost() {}

    /** Nanoseconds: the median over blocks of readings. Blocks are long enough to be compiled first. */
    public static long pairNs() {
        long[] costs = new long[BLOCKS];
        long sink = 0;
        for (int block = 0; block < BLOCKS; block++) {
            long begin = System.nanoTime();
            for (int pair = 0; pair < PAIRS; pair++) {
                sink += System.nanoTime() - System.nanoTime();
            }
            costs[block] = (System.nanoTime() - begin + PAIRS / 2) / PAIRS;
        }
        Arrays.sort(costs);
        // The sum is used, so that no reading is optimised away.
        return sink == Long.MIN_VALUE ? 0 : costs[BLOCKS / 2];
    }
}
