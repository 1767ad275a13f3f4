package bakeoff.measure;

import com.google.gson.JsonObject;
import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * How much garbage collections reduced the use of each pool of the heap, like JMH's {@code gc.churn}. The numbers come
 * from the notification after each collection, which the JVM sends on its own thread.
 */
public final class Churn {
    /** The pools, by a word in the collectors' names for them. The last one is all others. */
    private static final List<String> PARTS = List.of("eden", "survivor", "other");

    private static final Set<String> HEAP = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    private static final List<AtomicLong> BYTES = List.of(new AtomicLong(), new AtomicLong(), new AtomicLong());
    private static final AtomicLong TOLD = new AtomicLong();

    /** The maximum time for the notification of a collection. */
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    static {
        TOLD.set(GarbageCollectors.collections());
        for (GarbageCollectorMXBean collector : GarbageCollectors.ALL) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener((notification, context) -> take(notification), null, null);
            }
        }
    }

    private final List<Long> bytes;

    private Churn(List<Long> bytes) {
        this.bytes = bytes;
    }

    private static void take(Notification notification) {
        if (!notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            return;
        }
        CompositeData data = (CompositeData) notification.getUserData();
        GcInfo collection = GarbageCollectionNotificationInfo.from(data).getGcInfo();
        HeapPeak.saw(collection.getMemoryUsageBeforeGc(), HEAP);
        collection.getMemoryUsageBeforeGc().forEach((pool, before) -> {
            long freed = before.getUsed()
                    - collection.getMemoryUsageAfterGc().get(pool).getUsed();
            if (HEAP.contains(pool) && freed > 0) {
                BYTES.get(part(pool)).addAndGet(freed);
            }
        });
        TOLD.incrementAndGet();
    }

    private static int part(String pool) {
        String name = pool.toLowerCase(java.util.Locale.ROOT);
        int other = PARTS.size() - 1;
        return (int) PARTS.stream()
                .limit(other)
                .takeWhile(word -> !name.contains(word))
                .count();
    }

    /** Waits briefly for the notifications of finished collections. */
    public static void settle() {
        long begin = System.nanoTime();
        while (TOLD.get() < GarbageCollectors.collections() && System.nanoTime() - begin < PATIENCE_NS) {
            Thread.yield();
        }
    }

    /** The sums so far. */
    static Churn read() {
        return new Churn(BYTES.stream().map(AtomicLong::get).toList());
    }

    /** The sums since an earlier reading, into {@code resources}. */
    void since(Churn earlier, JsonObject resources) {
        for (int part = 0; part < PARTS.size(); part++) {
            String name = "gc_churn_%s_bytes".formatted(PARTS.get(part));
            resources.addProperty(name, bytes.get(part) - earlier.bytes.get(part));
        }
    }
}
