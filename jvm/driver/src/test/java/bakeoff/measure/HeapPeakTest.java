package bakeoff.measure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;

final class HeapPeakTest {
    private static final long HEAP_BYTES = Runtime.getRuntime().maxMemory();

    private static volatile byte[] garbage;

    private static long peakSince(Jvm before) {
        JsonObject resources = new JsonObject();
        Jvm.read().since(before, resources);
        return resources.get("heap_peak_bytes").getAsLong();
    }

    /**
     * The heap's pools reach their maximum one after the other: the sum of their peaks was 1.19 times the largest heap.
     */
    @Test
    void thePeakOfTheHeapExceededTheLargestHeap() {
        System.gc();
        Churn.settle();
        HeapPeak.begin();
        Jvm before = Jvm.read();
        long old = HEAP_BYTES * 6 / 10;
        garbage = new byte[(int) old];
        long peak = peakSince(before);
        assertTrue(peak >= old && peak <= HEAP_BYTES, "%d of %d".formatted(peak, HEAP_BYTES));
        garbage = null;
        System.gc();
        for (long bytes = 0; bytes < 3 * HEAP_BYTES; bytes += 1 << 12) {
            garbage = new byte[1 << 12];
        }
        Churn.settle();
        peak = peakSince(before);
        assertTrue(peak >= old && peak <= HEAP_BYTES, "%d of %d".formatted(peak, HEAP_BYTES));
    }

    @Test
    void whatACollectionTookAwayWasThere() {
        System.gc();
        Churn.settle();
        HeapPeak.begin();
        Jvm before = Jvm.read();
        long bytes = HEAP_BYTES / 4;
        garbage = new byte[(int) bytes];
        garbage = null;
        System.gc();
        Churn.settle();
        assertTrue(peakSince(before) >= bytes);
    }
}
