package bakeoff.driver;

import bakeoff.measure.Change;
import bakeoff.measure.Device;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Warm-up within a phase. The first operations are replayed and checked like all others, but not measured, until the
 * time per operation is steady. That is tested between blocks, outside the clock.
 *
 * <p>The mean time per operation is taken over intervals with equal numbers of operations. After 32 intervals, their
 * second half is tested for a constant level. If it has none, pairs of intervals are joined, and the next test is after
 * 64 intervals of the first length. All threads of a phase fill the same intervals, and begin to measure within a block
 * of each other.
 */
final class Steady {
    /** The maximum fraction of a phase's operations that may be a warm-up. */
    static final double WITHIN_MAX = 0.9;

    private static final int INTERVALS = 32;

    /** The first test comes after this fraction of the longest warm-up. */
    private static final int FIRST_PART = 8;

    private final long limit;
    private final Device device;
    private long claimed;
    private long interval;
    private long operations;
    private long timedNs;
    private List<Double> nsMeans = new ArrayList<>();
    private Optional<Boolean> steady = Optional.empty();

    /** Set when the warm-up is over. */
    private volatile Begin begin;

    /** For a phase of {@code operations} operations, of which at most {@code part} may be a warm-up. */
    Steady(double part, long operations, Device device) {
        limit = (long) (operations * part);
        interval = Math.max(limit / FIRST_PART / INTERVALS, 1);
        this.device = device;
    }

    /** Whether a block of {@code block} operations, which begins now, belongs to the warm-up. */
    boolean claims(long block) {
        return begin == null && claimsStill(block);
    }

    private synchronized boolean claimsStill(long block) {
        if (begin == null && claimed + block > limit) {
            end();
        }
        claimed += block;
        return begin == null;
    }

    /** Adds a block of the warm-up: its timed operations, and their time. */
    synchronized void add(long blockOperations, long blockTimedNs) {
        if (begin != null) {
            return;
        }
        operations += blockOperations;
        timedNs += blockTimedNs;
        if (operations < interval) {
            return;
        }
        nsMeans.add((double) timedNs / operations);
        operations = 0;
        timedNs = 0;
        if (nsMeans.size() == 2 * INTERVALS) {
            join();
        }
        if (nsMeans.size() == INTERVALS && Change.hasSettled(nsMeans).orElse(false)) {
            end();
        }
    }

    /** Joins pairs of intervals. */
    private void join() {
        List<Double> joined = new ArrayList<>();
        for (int index = 0; index < nsMeans.size(); index += 2) {
            joined.add((nsMeans.get(index) + nsMeans.get(index + 1)) / 2);
        }
        nsMeans = joined;
        interval *= 2;
    }

    /** Starts measuring. */
    private void end() {
        steady = Change.hasSettled(nsMeans);
        begin = Begin.now(device);
    }

    /** The start of measuring. Empty if the warm-up never ended because there was no operation. */
    Optional<Begin> begin() {
        return Optional.ofNullable(begin);
    }

    /** The result of the warm-up, with the number of its timed operations and its beginning. */
    synchronized JsonObject told(long warmUpOperations, long begunNs) {
        JsonObject told = new JsonObject();
        told.addProperty("operations", warmUpOperations);
        told.addProperty("wall_ns", begin.atNs() - begunNs);
        steady.ifPresent(yes -> told.addProperty("steady", yes));
        JsonArray means = new JsonArray();
        nsMeans.forEach(mean -> means.add(Math.round(mean)));
        told.add("interval_ns_means", means);
        return told;
    }
}
