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
 * When the other threads of this process are done with what they do in the background, as native drivers tell it: they are at work
 * while they compute, pass bytes to write calls, or sleep for a disk; and quiet when that did not happen for half a second.
 *
 * <p>The JVM's own threads do not count: compiling goes on for a while after any phase, and looking makes garbage.
 */
public final class Quiet {
    private static final long LOOK_MS = 20;
    private static final long QUIET_NS = 500_000_000;

    /** The part of the time between two looks that other threads may compute and still be quiet. */
    private static final double IDLE_PART = 0.05;

    /** How the names of threads begin that compile, collect garbage, or serve these; Java's own code gives them. */
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
     * Waits until the other threads have been quiet for half a second, or for {@code longestNs}; empty if the kernel does not tell what
     * they do.
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

    /** Adds up what was done since the last look. */
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

    /** One thread: its state comes after its name in brackets, and the kernel counts its time in nanoseconds elsewhere. */
    private void look(Path task) throws IOException {
        String stat = Counters.text(task.resolve("stat"));
        String times = Counters.text(task.resolve("schedstat"));
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
