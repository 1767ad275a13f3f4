package bakeoff.driver;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * State that the threads of a phase share.
 *
 * @param latency time each operation; otherwise each block
 * @param check compare answers: not for a store that keeps no data
 * @param counter operations done so far by all threads
 * @param speed open loop: divides the tape's times; 0 for a closed loop
 * @param steady decides when a warm-up within the phase ends; null without warm-up
 * @param stopped set when a thread has failed, or the time of a warm-up is over
 * @param valueSizes ranges of value sizes with separate latencies, ascending
 */
public record Job(
        boolean latency,
        boolean check,
        LongAdder counter,
        double speed,
        Steady steady,
        AtomicBoolean stopped,
        List<ValueSizes> valueSizes) {
    /** A new job in a closed loop. */
    public Job(boolean latency, boolean check) {
        this(latency, check, 0, null, List.of());
    }

    /** A new job. */
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
