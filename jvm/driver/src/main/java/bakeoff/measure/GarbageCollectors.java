package bakeoff.measure;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.ToLongFunction;

/** The collectors of this JVM, and what all of them did together. */
final class GarbageCollectors {
    static final List<GarbageCollectorMXBean> ALL = ManagementFactory.getGarbageCollectorMXBeans();

    private GarbageCollectors() {}

    /** Finished collections. Negative if this JVM does not count them. */
    static long collections() {
        return sum(GarbageCollectorMXBean::getCollectionCount);
    }

    /** Milliseconds in collections. Negative if this JVM does not count them. */
    static long collectionMs() {
        return sum(GarbageCollectorMXBean::getCollectionTime);
    }

    /** The sum. Negative (unknown) if any number is. */
    private static long sum(ToLongFunction<GarbageCollectorMXBean> number) {
        return ALL.stream().mapToLong(number).reduce(0, (a, b) -> a < 0 || b < 0 ? -1 : a + b);
    }
}
