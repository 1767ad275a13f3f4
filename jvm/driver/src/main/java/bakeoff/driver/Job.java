package bakeoff.driver;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the threads of a phase share.
 *
 * @param latency time each operation; otherwise each block
 * @param check compare answers: not for a store that keeps nothing
 * @param counter operations done so far by all threads
 * @param stopped set when a thread has failed, or the time of a warm-up is over
 */
public record Job(boolean latency, boolean check, LongAdder counter, AtomicBoolean stopped) {
    /** A job that has not begun. */
    public Job(boolean latency, boolean check) {
        this(latency, check, new LongAdder(), new AtomicBoolean());
    }

    boolean isStopped() {
        return stopped.get();
    }

    void done(int operations) {
        counter.add(operations);
    }
}
