package bakeoff.driver;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the threads of a phase share.
 *
 * @param latency time each operation; otherwise each block
 * @param check compare answers: not for a store that keeps nothing
 * @param counter operations done so far by all threads
 * @param speed open loop: the tape's times are divided by it; 0 for a closed loop
 * @param steady until when operations are a warm-up; null if none is
 * @param stopped set when a thread has failed, or the time of a warm-up is over
 * @param valueSizes ranges of value sizes whose latencies are kept apart, ascending
 */
public record Job(
        boolean latency,
        boolean check,
        LongAdder counter,
        double speed,
        Steady steady,
        AtomicBoolean stopped,
        List<ValueSizes> valueSizes) {
    /** A job in a closed loop that has not begun. */
    public Job(boolean latency, boolean check) {
        this(latency, check, 0, null, List.of());
    }

    /** A job that has not begun. */
    Job(boolean latency, boolean check, double speed, Steady steady, List<ValueSizes> valueSizes) {
        this(latency, check, new LongAdder(), speed, steady, new AtomicBoolean(), valueSizes);
    }

    boolean isStopped() {
        return stopped.get();
    }

    void done(int operations) {
        counter.add(operations);
    }
}
