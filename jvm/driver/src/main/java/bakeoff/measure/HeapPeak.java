package bakeoff.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The peak of heap use at any moment. Between garbage collections the use only grows. So its maxima are at the
 * beginning of a collection, which {@link Churn} observes, and now. The peaks of the heap's pools are at different
 * moments, and their sum may exceed the largest heap.
 */
public final class HeapPeak {
    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();
    private static final AtomicLong BYTES = new AtomicLong();

    private HeapPeak() {}

    /** Resets the peak, after the notifications of finished collections ({@link Churn#settle}). */
    public static void begin() {
        BYTES.set(MEMORY.getHeapMemoryUsage().getUsed());
    }

    /** Records the use of the heap's pools, with these names, at one moment. */
    static void saw(Map<String, MemoryUsage> parts, Set<String> ofHeap) {
        long used = parts.entrySet().stream()
                .filter(part -> ofHeap.contains(part.getKey()))
                .mapToLong(part -> part.getValue().getUsed())
                .sum();
        BYTES.accumulateAndGet(used, Math::max);
    }

    /** The peak so far. */
    static long bytes() {
        return BYTES.accumulateAndGet(MEMORY.getHeapMemoryUsage().getUsed(), Math::max);
    }
}
