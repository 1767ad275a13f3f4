package bakeoff.driver;

import java.util.concurrent.locks.LockSupport;

/**
 * Open loop: operations begin when they are due, and their latency counts from then, with the wait for those before them.
 *
 * <p>What the harness does between operations (making keys and values, checking answers) is no wait: the schedule stands still as long as
 * it makes the store late. A wait for a time that has not come is ended by spinning, since a sleep ends some ten microseconds late.
 */
final class Pace {
    /** How long before an operation is due sleeping ends and spinning begins. */
    private static final long SPIN_NS = 200_000;
    /** What is left to sleep is worth it only above this. */
    private static final long SLEEP_NS_MIN = 100_000;

    private final double speed;
    private final long begin = System.nanoTime();
    /** When the schedule began, later by what it stood still. */
    private long origin = begin;

    private long lastEnd = begin;
    private long dueNs;

    /** A schedule that begins now; the tape's times are divided by {@code speed}. */
    Pace(double speed) {
        this.speed = speed;
    }

    /** Waits until an operation is due, and gives the reading that its latency counts from. */
    long awaitDue(long tapeNs) {
        long ready = System.nanoTime();
        dueNs = (long) (tapeNs / speed);
        long due = origin + dueNs;
        if (ready - due < 0) {
            long begun = spin(due);
            // Waking up late is the harness's doing too.
            origin += begun - due;
            return begun;
        }
        long spared = Math.min(ready - due, ready - lastEnd);
        origin += spared;
        return due + spared;
    }

    /** A reading that is not before {@code due}. */
    private static long spin(long due) {
        while (true) {
            long left = due - System.nanoTime();
            if (left <= 0) {
                return due - left;
            }
            if (left >= SPIN_NS + SLEEP_NS_MIN) {
                LockSupport.parkNanos(left - SPIN_NS);
            } else {
                // Other threads of the store may want the processor.
                Thread.yield();
            }
        }
    }

    /** An operation of the schedule ended at this reading. */
    void ended(long end) {
        lastEnd = end;
    }

    /** How long the store took for everything, from the beginning to the last answer: without what the harness held up. */
    long takenNs() {
        return Math.max(0, lastEnd - begin - (origin - begin));
    }

    /** When the last operation was due, after the beginning. */
    long dueNs() {
        return dueNs;
    }
}
