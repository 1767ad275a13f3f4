package bakeoff.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The whole block device of a directory. */
public final class Device {
    /** {@code /sys} counts in sectors of this size, independent of the device's own sector size. */
    private static final long SECTOR_BYTES = 512;

    private final Path stat;

    private Device(Path stat) {
        this.stat = stat;
    }

    /** The device of a directory. Null if there is no single one, as on tmpfs or overlay. */
    public static Device of(Path directory) {
        try {
            long number = (long) Files.getAttribute(directory, "unix:dev");
            // glibc's major() and minor() split device numbers in this way.
            long major = number >>> 8 & 0xfff | number >>> 32 & ~0xfffL;
            long minor = number & 0xff | number >>> 12 & ~0xffL;
            Path device = Path.of("/sys/dev/block", major + ":" + minor).toRealPath();
            Path whole = Files.exists(device.resolve("partition")) ? device.getParent() : device;
            return new Device(whole.resolve("stat"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException none) {
            return null;
        }
    }

    /** Fields: reads, reads merged, sectors read, time, writes, writes merged, sectors written, … */
    void read(Map<String, Long> counters) {
        String[] fields = KernelFile.text(stat).strip().split(" +");
        if (fields.length > 6) {
            counters.put("device_read_bytes", Long.parseLong(fields[2]) * SECTOR_BYTES);
            counters.put("device_write_bytes", Long.parseLong(fields[6]) * SECTOR_BYTES);
        }
    }
}
