package bakeoff.driver;

import java.util.concurrent.locks.LockSupport;

/**
 * Open loop: operations begin when they are due, and their latency counts from then, including the wait for earlier
 * ones.
 *
 * <p>Work of the harness between operations (making keys and values, checking answers) does not count as waiting: the
 * schedule is shifted by the delay that it causes. Waiting ends with spinning, since sleep ends some ten microseconds
 * late.
 */
final class Pace {
    /** Sleeping ends and spinning begins this long before an operation is due. */
    private static final long SPIN_NS = 200_000;
    /** The minimum remaining time that is worth a sleep. */
    private static final long SLEEP_NS_MIN = 100_000;

    private final double speed;
    private final long begin = System.nanoTime();
    /** The start of the schedule, plus its shifts. */
    private long origin = begin;

    private long lastEnd = begin;
    private long dueNs;

    /** A schedule that begins now. {@code speed} divides the tape's times. */
    Pace(double speed) {
        this.speed = speed;
    }

    /** Waits until an operation is due. Returns the reading from which its latency counts. */
    long awaitDue(long tapeNs) {
        long ready = System.nanoTime();
        dueNs = (long) (tapeNs / speed);
        long due = origin + dueNs;
        if (ready - due < 0) {
            long begun = spin(due);
            // Waking up late is also the harness's delay.
            origin += begun - due;
            return begun;
        }
        long spared = Math.min(ready - due, ready - lastEnd);
        origin += spared;
        return due + spared;
    }

    /** A reading not before {@code due}. */
    private static long spin(long due) {
        while (true) {
            long left = due - System.nanoTime();
            if (left <= 0) {
                return due - left;
            }
            if (left >= SPIN_NS + SLEEP_NS_MIN) {
                LockSupport.parkNanos(left - SPIN_NS);
            } else {
                // Other threads of the store may need the processor.
                Thread.yield();
            }
        }
    }

    /** Records that an operation of the schedule ended at this reading. */
    void ended(long end) {
        lastEnd = end;
    }

    /** The store's time from the beginning to the last answer, without delays by the harness. */
    long takenNs() {
        return Math.max(0, lastEnd - begin - (origin - begin));
    }

    /** When the last operation was due, from the beginning. */
    long dueNs() {
        return dueNs;
    }
}
