package bakeoff.measure;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Counters of this process and of the machine at one moment, with their names in results. Unreadable counters are
 * absent.
 */
public final class Counters {
    /** For programs, the kernel counts processor time in ticks of 10 ms on every architecture that Java supports. */
    private static final long TICK_NS = 10_000_000;

    private static final Path SELF = Path.of("/proc/self");

    private final Map<String, Long> grown = new TreeMap<>();
    private final Map<String, Long> levels = new TreeMap<>();
    private long peakBytes = -1;

    private Counters() {}

    /** Reads everything before a phase. {@code device} is the device to observe; null if there is none. */
    public static Counters before(Device device) {
        Counters counters = new Counters();
        counters.readOthers(device);
        counters.readOwn();
        return counters;
    }

    /** Reads everything after a phase. */
    public static Counters after(Device device) {
        Counters counters = new Counters();
        counters.readOwn();
        counters.readOthers(device);
        return counters;
    }

    /** Counters that reading the others would change. They are read next to the phase. */
    private void readOwn() {
        readIo();
        readStat();
    }

    private void readOthers(Device device) {
        readStatus();
        readMachine();
        if (device != null) {
            device.read(grown);
        }
    }

    /** Resets the peak of the resident set. Returns whether the kernel allowed it. */
    public static boolean resetPeak() {
        try {
            Files.writeString(SELF.resolve("clear_refs"), "5");
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** The current resident set size. */
    public static OptionalLong residentBytes() {
        return status("VmRSS");
    }

    /** Bytes that this process passed to write calls. */
    static OptionalLong writtenBytes() {
        return known(lines(KernelFile.text(SELF.resolve("io"))).get("wchar"));
    }

    /** The resources used since an earlier reading, into {@code resources}. */
    public void since(Counters earlier, boolean peakWasReset, OptionalLong baseline, JsonObject resources) {
        grown.forEach((name, to) -> {
            Long from = earlier.grown.get(name);
            if (from != null) {
                resources.addProperty(name, Math.max(0, to - from));
            }
        });
        levels.forEach(resources::addProperty);
        if (peakWasReset && peakBytes >= 0) {
            resources.addProperty("rss_peak_bytes", peakBytes);
            baseline.ifPresent(
                    base -> resources.addProperty("rss_peak_above_baseline_bytes", Math.max(0, peakBytes - base)));
        }
    }

    /** Fields of {@code /proc/self/stat} after the name in parentheses, which may contain blanks; see proc(5). */
    private void readStat() {
        String text = KernelFile.text(SELF.resolve("stat"));
        String[] fields = text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
        grow("page_faults_minor", field(fields, 7), 1);
        grow("page_faults_major", field(fields, 9), 1);
        grow("cpu_user_ns", field(fields, 11), TICK_NS);
        grow("cpu_system_ns", field(fields, 12), TICK_NS);
    }

    private void readIo() {
        Map<String, Long> io = lines(KernelFile.text(SELF.resolve("io")));
        grow("process_read_bytes", io.get("rchar"), 1);
        grow("process_write_bytes", io.get("wchar"), 1);
        grow("read_calls", io.get("syscr"), 1);
        grow("write_calls", io.get("syscw"), 1);
        grow("block_read_bytes", io.get("read_bytes"), 1);
        Long written = io.get("write_bytes");
        Long cancelled = io.get("cancelled_write_bytes");
        if (written != null && cancelled != null) {
            grow("block_write_bytes", written - cancelled, 1);
        }
    }

    private void readStatus() {
        Map<String, Long> status = lines(KernelFile.text(SELF.resolve("status")));
        Long anonymous = status.get("RssAnon");
        Long shared = status.get("RssShmem");
        if (anonymous != null && shared != null) {
            levels.put("rss_anonymous_bytes", anonymous + shared);
        }
        level("rss_file_bytes", status.get("RssFile"));
        level("threads", status.get("Threads"));
        peakBytes = status.getOrDefault("VmHWM", -1L);
        try (Stream<Path> files = Files.list(SELF.resolve("fd"))) {
            // Without the descriptor of the listing itself.
            levels.put("open_files", files.count() - 1);
        } catch (IOException unreadable) {
            // Absent.
        }
    }

    private void readMachine() {
        for (String resource : new String[] {"cpu", "memory", "io"}) {
            for (String line :
                    KernelFile.text(Path.of("/proc/pressure", resource)).split("\n")) {
                int at = line.indexOf("total=");
                if (line.startsWith("some ") && at >= 0) {
                    grow("stall_%s_ns".formatted(resource), number(line.substring(at + 6)), 1_000);
                }
            }
        }
        String[] cpu = KernelFile.text(Path.of("/proc/stat")).split("\n", 2)[0].split(" +");
        grow("steal_ns", field(cpu, 8), TICK_NS);
    }

    private void grow(String name, Long value, long unit) {
        if (value != null) {
            grown.put(name, value * unit);
        }
    }

    private void level(String name, Long value) {
        if (value != null) {
            levels.put(name, value);
        }
    }

    private static OptionalLong status(String name) {
        return known(lines(KernelFile.text(SELF.resolve("status"))).get(name));
    }

    private static OptionalLong known(Long number) {
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /** Lines of the form {@code name: number} or {@code name: number kB}. Sizes become bytes. */
    private static Map<String, Long> lines(String text) {
        Map<String, Long> values = new TreeMap<>();
        for (String line : text.split("\n")) {
            String[] parts = line.split(":", 2);
            Long value = parts.length < 2 ? null : number(parts[1].replace("kB", ""));
            if (value != null) {
                values.put(parts[0], parts[1].endsWith("kB") ? value * 1024 : value);
            }
        }
        return values;
    }

    private static Long field(String[] fields, int index) {
        return index < fields.length ? number(fields[index]) : null;
    }

    private static Long number(String text) {
        try {
            return Long.valueOf(text.strip());
        } catch (NumberFormatException other) {
            return null;
        }
    }
}
