package bakeoff.measure;

import com.google.gson.JsonObject;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Resources of the JVM itself: garbage collection, compilation and memory. */
public final class Jvm {
    private static final long MS_NS = 1_000_000;
    private static final List<BufferPoolMXBean> BUFFERS = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    private final long collections;
    private final long collectionMs;
    private final long compilationMs;
    private final Churn churn;

    private Jvm(long collections, long collectionMs, long compilationMs, Churn churn) {
        this.collections = collections;
        this.collectionMs = collectionMs;
        this.compilationMs = compilationMs;
        this.churn = churn;
    }

    /** The current counters. Negative if this JVM does not have them. */
    public static Jvm read() {
        boolean compiles = COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported();
        return new Jvm(
                GarbageCollectors.collections(),
                GarbageCollectors.collectionMs(),
                compiles ? COMPILER.getTotalCompilationTime() : -1,
                Churn.read());
    }

    /**
     * The JVM's version, its garbage collector, and its options from the environment, which are missing in its command
     * line.
     */
    public static String describe() {
        String collectors = GarbageCollectors.ALL.stream()
                .map(GarbageCollectorMXBean::getName)
                .collect(Collectors.joining(", "));
        String options = Stream.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
                .filter(name ->
                        System.getenv(name) != null && !System.getenv(name).isBlank())
                .map(name -> "; %s=%s".formatted(name, System.getenv(name).strip()))
                .collect(Collectors.joining());
        return "%s %s (%s)%s"
                .formatted(
                        System.getProperty("java.vm.name"), System.getProperty("java.vm.version"), collectors, options);
    }

    /** Direct and mapped buffers known to Java, without the driver's own. Libraries may have other memory. */
    public static long bufferBytes() {
        long own = OwnBuffers.bytes();
        return Math.max(
                0, BUFFERS.stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum() - own);
    }

    /** The resources used since an earlier reading, and the peaks, into {@code resources}. */
    public void since(Jvm earlier, JsonObject resources) {
        add(resources, "gc_collections", collections, earlier.collections, 1);
        add(resources, "gc_ns", collectionMs, earlier.collectionMs, MS_NS);
        add(resources, "jit_compile_ns", compilationMs, earlier.compilationMs, MS_NS);
        churn.since(earlier.churn, resources);
        resources.addProperty("heap_peak_bytes", HeapPeak.bytes());
    }

    private static void add(JsonObject resources, String name, long to, long from, long unit) {
        if (to >= 0 && from >= 0) {
            resources.addProperty(name, (to - from) * unit);
        }
    }
}
