package bakeoff.stores;

import static bakeoff.store.AfterFailure.after;

import bakeoff.store.ArrayForm;
import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.Durability;
import bakeoff.store.Form;
import bakeoff.store.Leaves;
import bakeoff.store.OpenRequest;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Setting;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreException;
import bakeoff.store.StoreType;
import bakeoff.store.Visitor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** A store in memory that fails on request, to test that bakeoff notices. */
public final class FaultyStore implements StoreType {
    private static final String SOURCE = "jvm/stores/selftest/src/main/java/bakeoff/stores/FaultyStore.java";

    /** The content of each directory, for the life of the process. */
    private static final Map<Path, ConcurrentNavigableMap<byte[], byte[]>> CONTENTS = new ConcurrentHashMap<>();

    /** Whether the process had its single stall or background work. */
    private static final AtomicBoolean STALLED = new AtomicBoolean();

    @Override
    public StoreDescription describe() {
        String how = "keeps everything in memory until the process ends";
        return new StoreDescription("faulty-jvm", "Faulty (JVM)")
                .summary("Has the requested fault, to test that bakeoff notices.")
                .version("0.1.0")
                .license("MIT OR Apache-2.0")
                .language("Java")
                .structure("memory")
                .files("none")
                .durability(Durability.NONE, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .durability(Durability.PROCESS, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .durability(Durability.CONSISTENT, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .durability(Durability.POWER, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.PARALLEL_READERS,
                        Capability.PARALLEL_WRITERS,
                        Capability.COMPACTED_COPY)
                .setting(Setting.choice(
                        "fault",
                        List.of(
                                "none",
                                "wrong-value",
                                "half-value",
                                "missing-key",
                                "phantom-key",
                                "lost-in-copy",
                                "error",
                                "throw",
                                "panic",
                                "disk-full",
                                "missing-library",
                                "out-of-memory",
                                "exit",
                                "die",
                                "stall",
                                "error-after-stall",
                                "stall-then-no-session",
                                "background",
                                "hang"),
                        "What goes wrong.",
                        SOURCE))
                .setting(Setting.choice("when", List.of("operation", "open"), "When it goes wrong.", SOURCE))
                .testOnly();
    }

    @Override
    public Store<byte[]> open(OpenRequest request) throws Exception {
        String fault = request.settings().word("fault");
        boolean now = request.settings().word("when").equals("open");
        if (now) {
            strike(fault);
        } else if (fault.equals("error-after-stall")) {
            stall(1_000);
        }
        ConcurrentNavigableMap<byte[], byte[]> content = CONTENTS.computeIfAbsent(
                request.directory(), directory -> new ConcurrentSkipListMap<>(Arrays::compareUnsigned));
        return new Opened(content, now ? "none" : fault);
    }

    /** Causes the requested fault. Faults that spoil answers do nothing here. */
    private static void strike(String fault) throws Exception {
        switch (fault) {
            case "error", "error-after-stall" -> throw StoreException.store("the store was asked to fail");
            case "throw" -> throw new IllegalStateException("the store was asked to throw");
            case "panic" -> throw new AssertionError("the store was asked to panic");
            case "disk-full" -> throw new IOException("write failed", new IOException("No space left on device"));
            case "missing-library" -> System.loadLibrary("bakeoff-there-is-none");
            case "out-of-memory" -> hoard();
            case "exit" -> System.exit(0);
            case "die" -> die();
            case "stall", "stall-then-no-session" -> stall(100);
            case "background" -> workLater();
            case "hang" -> Thread.sleep(Long.MAX_VALUE);
            default -> {}
        }
    }

    /** Writes to an invalid address, like a faulty native library: the JVM ends with a crash report. */
    private static void die() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        type.getMethod("putByte", long.class, byte.class).invoke(field.get(null), 0L, (byte) 1);
    }

    /** The first time, takes this long. */
    private static void stall(long milliseconds) throws InterruptedException {
        if (STALLED.compareAndSet(false, true)) {
            Thread.sleep(milliseconds);
        }
    }

    /** The first time, starts a second of background work: a second of processor time, even on a busy machine. */
    private static void workLater() {
        if (STALLED.compareAndSet(false, true)) {
            Thread worker = new Thread(
                    () -> {
                        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
                        while (threads.getCurrentThreadCpuTime() < 1_000_000_000) {
                            Thread.onSpinWait();
                        }
                    },
                    "background");
            worker.setDaemon(true);
            worker.start();
        }
    }

    /** Allocates memory until none is left, and continues as if nothing had happened, as some stores do. */
    private static void hoard() {
        List<byte[]> hoard = new ArrayList<>();
        try {
            while (!hoard.contains(null)) {
                hoard.add(new byte[1 << 20]);
            }
        } catch (OutOfMemoryError full) {
            hoard.clear();
        }
    }

    private record Opened(ConcurrentNavigableMap<byte[], byte[]> content, String fault) implements Store<byte[]> {
        @Override
        public Form<byte[]> form() {
            // Kept entries are copied.
            return new ArrayForm(true);
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) throws Exception {
            if (fault.equals("stall-then-no-session") && STALLED.get()) {
                strike("error");
            }
            return new OfThread(content, fault);
        }

        @Override
        public void compactedCopy(Path directory) {
            ConcurrentNavigableMap<byte[], byte[]> copy = new ConcurrentSkipListMap<>(content);
            if (fault.equals("lost-in-copy")) {
                copy.pollFirstEntry();
            }
            CONTENTS.put(directory, copy);
        }

        @Override
        public void close() {}
    }

    private record OfThread(ConcurrentNavigableMap<byte[], byte[]> content, String fault) implements Session<byte[]> {
        @Override
        public void insert(byte[] key, byte[] value) throws Exception {
            upsert(key, value);
        }

        @Override
        public void update(byte[] key, byte[] value) throws Exception {
            upsert(key, value);
        }

        @Override
        public void upsert(byte[] key, byte[] value) throws Exception {
            strike(fault);
            content.put(key.clone(), value.clone());
        }

        @Override
        public boolean get(byte[] key, Output output) throws Exception {
            strike(fault);
            byte[] value = content.get(key);
            if (value == null) {
                return fault.equals("phantom-key");
            }
            if (fault.equals("missing-key")) {
                return false;
            }
            output.keep(spoilt(value));
            return true;
        }

        /** The value, or a copy with one bit flipped, or its first half. */
        private byte[] spoilt(byte[] value) {
            if (fault.equals("half-value")) {
                return Arrays.copyOf(value, value.length / 2);
            }
            if (!fault.equals("wrong-value") || value.length == 0) {
                return value;
            }
            byte[] copy = value.clone();
            copy[copy.length - 1] ^= 1;
            return copy;
        }

        @Override
        public void delete(byte[] key) throws Exception {
            strike(fault);
            content.remove(key);
        }

        @Override
        public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor) throws Exception {
            strike(fault);
            NavigableMap<byte[], byte[]> part = direction == Direction.REVERSE ? content.descendingMap() : content;
            if (from != null) {
                part = part.tailMap(from, true);
            }
            boolean goOn = true;
            for (Map.Entry<byte[], byte[]> entry : part.entrySet()) {
                goOn = goOn && visitor.visit(entry.getKey(), spoilt(entry.getValue()));
            }
        }

        @Override
        public void commit() {}

        @Override
        public void close() {}
    }
}
