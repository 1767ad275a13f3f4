package bakeoff.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The most of the heap in use at one moment. Between collections of garbage the use only grows: its highest points are where a
 * collection begins, which {@link Churn} is told of, and now. The peaks of the heap's parts are of different moments; their sum may
 * exceed the largest heap.
 */
public final class HeapPeak {
    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();
    private static final AtomicLong BYTES = new AtomicLong();

    private HeapPeak() {}

    /** Starts a new peak, once collections that are over have told of themselves ({@link Churn#settle}). */
    public static void begin() {
        BYTES.set(MEMORY.getHeapMemoryUsage().getUsed());
    }

    /** What parts of the heap, those of these names, held at one moment. */
    static void saw(Map<String, MemoryUsage> parts, Set<String> ofHeap) {
        long used = parts.entrySet().stream()
                .filter(part -> ofHeap.contains(part.getKey()))
                .mapToLong(part -> part.getValue().getUsed())
                .sum();
        BYTES.accumulateAndGet(used, Math::max);
    }

    /** The peak until now. */
    static long bytes() {
        return BYTES.accumulateAndGet(MEMORY.getHeapMemoryUsage().getUsed(), Math::max);
    }
}
