package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Operations that wait for a stall include the wait. Delays by the harness count nowhere. */
final class PaceTest {
    private static final long MS = 1_000_000;

    /** Lets this much time pass and returns the reading at its end. */
    private static long pass(long ns) {
        long end = System.nanoTime() + ns;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        return System.nanoTime();
    }

    @Test
    void anOperationNeverBeginsBeforeItIsDue() {
        long begin = System.nanoTime();
        Pace pace = new Pace(2);
        for (long dueNs : new long[] {0, MS / 10, MS, 4 * MS}) {
            pace.awaitDue(dueNs);
            long now = System.nanoTime();
            assertTrue(now - begin >= dueNs / 2, "%d ns".formatted(dueNs));
            pace.ended(now);
        }
        assertEquals(2 * MS, pace.dueNs());
    }

    @Test
    void aStallCountsForEverythingThatWasDueMeanwhile() {
        Pace pace = new Pace(1);
        pace.awaitDue(0);
        pace.ended(pass(20 * MS));
        for (long dueNs : new long[] {5 * MS, 10 * MS, 15 * MS}) {
            long from = pace.awaitDue(dueNs);
            long end = System.nanoTime();
            pace.ended(end);
            assertTrue(end - from >= 20 * MS - dueNs, "%d ns".formatted(end - from));
        }
        assertTrue(pace.takenNs() >= 20 * MS);
    }

    @Test
    void whatTheHarnessTakesHoldsTheScheduleUp() {
        long begin = System.nanoTime();
        Pace pace = new Pace(1);
        pace.awaitDue(0);
        pace.ended(System.nanoTime());
        pass(20 * MS);
        long from = pace.awaitDue(5 * MS);
        pace.ended(System.nanoTime());
        assertTrue(from - begin >= 20 * MS, "it is not late");
        assertTrue(pace.takenNs() < 20 * MS, "%d ns".formatted(pace.takenNs()));
    }
}
