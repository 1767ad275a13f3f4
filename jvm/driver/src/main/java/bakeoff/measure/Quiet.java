package bakeoff.measure;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Detects that the other threads of this process have finished their background work, as native drivers do. A thread is
 * active while it computes, passes bytes to write calls, or waits for a disk. The threads are quiet after half a second
 * without activity.
 *
 * <p>The JVM's own threads do not count: it compiles for a while after any phase, and this class itself produces
 * garbage.
 */
public final class Quiet {
    private static final long LOOK_MS = 20;
    private static final long QUIET_NS = 500_000_000;

    /** The maximum fraction of time that quiet threads may compute between two looks. */
    private static final double IDLE_PART = 0.05;

    /**
     * Prefixes of thread names of the JVM's compilers, garbage collectors and their helpers, as Java's source names
     * them.
     */
    private static final List<String> OF_THE_JVM = List.of("C1 ", "C2 ", "GC ", "G1 ", "VM ");

    private static final Path TASKS = Path.of("/proc/self/task");

    private final Map<String, Long> cpuNsOf = new HashMap<>();
    private final String own = ownTask();
    private long writeBytes = -1;
    private long workedNs;
    private long wroteBytes;
    private boolean sleepsForDisk;

    private Quiet() {}

    /**
     * Waits until the other threads were quiet for half a second, or for {@code longestNs}. Empty if the kernel does
     * not report their activity.
     */
    public static Optional<JsonObject> await(long longestNs) throws InterruptedException {
        try {
            return Optional.of(new Quiet().watch(longestNs));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private JsonObject watch(long longestNs) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        look();
        workedNs = 0;
        wroteBytes = 0;
        long busyUntil = begin;
        long looked = begin;
        while (true) {
            Thread.sleep(LOOK_MS);
            long workedBefore = workedNs;
            long wroteBefore = wroteBytes;
            look();
            long now = System.nanoTime();
            boolean computes = workedNs - workedBefore > (now - looked) * IDLE_PART;
            if (computes || wroteBytes > wroteBefore || sleepsForDisk) {
                busyUntil = now;
            }
            looked = now;
            boolean quiet = now - busyUntil >= QUIET_NS;
            if (quiet || now - begin >= longestNs) {
                return told(quiet ? busyUntil - begin : -1, now - begin);
            }
        }
    }

    private JsonObject told(long settledNs, long waitedNs) {
        JsonObject settled = new JsonObject();
        if (settledNs >= 0) {
            settled.addProperty("settled_ns", settledNs);
        }
        settled.addProperty("waited_ns", waitedNs);
        settled.addProperty("cpu_ns", workedNs);
        settled.addProperty("process_write_bytes", wroteBytes);
        return settled;
    }

    /** Adds the activity since the last look. */
    private void look() throws IOException {
        sleepsForDisk = false;
        try (Stream<Path> tasks = Files.list(TASKS)) {
            for (Path task : (Iterable<Path>) tasks::iterator) {
                look(task);
            }
        }
        long written = Counters.writtenBytes().orElseThrow(() -> new IOException("/proc/self/io tells nothing"));
        wroteBytes += writeBytes < 0 ? 0 : Math.max(0, written - writeBytes);
        writeBytes = written;
    }

    /**
     * One thread. Its state comes after its name in brackets. The kernel counts its time in nanoseconds in another
     * file.
     */
    private void look(Path task) throws IOException {
        String stat = KernelFile.text(task.resolve("stat"));
        String times = KernelFile.text(task.resolve("schedstat"));
        int begin = stat.indexOf('(');
        int end = stat.lastIndexOf(')');
        if (begin < 0 || times.isEmpty()) {
            if (Files.exists(task)) {
                throw new IOException("the kernel does not count the time of threads");
            }
            return;
        }
        String name = stat.substring(begin + 1, end);
        String number = task.getFileName().toString();
        if (number.equals(own) || OF_THE_JVM.stream().anyMatch(name::startsWith)) {
            return;
        }
        sleepsForDisk |= stat.startsWith(" D", end + 1);
        long cpuNs = Long.parseLong(times.substring(0, times.indexOf(' ')));
        Long before = cpuNsOf.put(number, cpuNs);
        workedNs += Math.max(0, cpuNs - (before == null ? 0 : before));
    }

    private static String ownTask() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/thread-self"))
                    .getFileName()
                    .toString();
        } catch (IOException unreadable) {
            return "";
        }
    }
}
