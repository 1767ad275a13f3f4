package bakeoff.driver;

import bakeoff.measure.Change;
import bakeoff.measure.Device;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Warm-up within a phase: its first operations are replayed and checked like all others, but not measured, until the time that an
 * operation takes has settled. That is asked between blocks, outside the clock.
 *
 * <p>The mean time of an operation is taken over intervals of as many operations each. After 32 intervals it is asked whether their
 * second half has one level; if not, two intervals become one, and after 64 of the first length it is asked again. All threads of a
 * phase fill the same intervals and begin to measure within a block of each other.
 */
final class Steady {
    /** The largest part of a phase's operations that may be a warm-up. */
    static final double WITHIN_MAX = 0.9;

    private static final int INTERVALS = 32;

    /** The first time it is asked is after this part of what the warm-up may be. */
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

    /** For a phase of so many operations, of which {@code part} at most may be a warm-up. */
    Steady(double part, long operations, Device device) {
        limit = (long) (operations * part);
        interval = Math.max(limit / FIRST_PART / INTERVALS, 1);
        this.device = device;
    }

    /** Whether a block of so many operations, which begins now, is part of the warm-up. */
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

    /** A block of the warm-up is done: its timed operations, and the time they took. */
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

    /** Two intervals become one. */
    private void join() {
        List<Double> joined = new ArrayList<>();
        for (int index = 0; index < nsMeans.size(); index += 2) {
            joined.add((nsMeans.get(index) + nsMeans.get(index + 1)) / 2);
        }
        nsMeans = joined;
        interval *= 2;
    }

    /** Measuring begins. */
    private void end() {
        steady = Change.hasSettled(nsMeans);
        begin = Begin.now(device);
    }

    /** Where measuring began; empty if the warm-up never ended, since there was no operation. */
    Optional<Begin> begin() {
        return Optional.ofNullable(begin);
    }

    /** What came of it; so many operations were timed in a phase that began then. */
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
