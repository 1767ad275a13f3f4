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
import bakeoff.store.Versions;
import bakeoff.store.Visitor;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import javax.tools.ToolProvider;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.MapSegmentContext;

/** Chronicle Map: one persisted hash table, created for the expected number and size of entries. */
public final class Chronicle implements StoreType {
    private static final String SOURCE = "https://github.com/OpenHFT/Chronicle-Map/blob/ea/docs/CM_Tutorial.adoc";
    private static final String BUILDER =
            "https://javadoc.io/doc/net.openhft/chronicle-map/latest/net/openhft/chronicle/map/ChronicleMapBuilder.html";
    private static final int CHUNK_BYTES_MAX = 1 << 26;
    /** The maximum of pieces of an entry. */
    private static final int CHUNKS_MAX = 60;

    static {
        // It would report its use to its makers over the network. The library for that is excluded as well.
        System.setProperty("chronicle.analytics.disable", "true");
        System.setProperty("chronicle.announcer.disable", "true");
    }

    @Override
    public StoreDescription describe() throws StoreException {
        return new StoreDescription("chronicle-map", "Chronicle Map")
                .summary(
                        "Hash table in one memory-mapped file, shared by threads and processes; created for an expected size.")
                .version(Chronicle::version)
                .license("Apache-2.0")
                .language("Java")
                .structure("hash")
                .files("records.chronicle, a sparse file as long as the table may become; in use, records.open")
                .durability(
                        Durability.NONE,
                        "entries are written in the memory map, which is never flushed",
                        after(Leaves.POSSIBLY_CORRUPT, Leaves.POSSIBLY_CORRUPT),
                        SOURCE)
                .durability(
                        Durability.PROCESS,
                        "entries are written in the memory map, which the kernel keeps when the process dies; a table that was not closed is recovered when it "
                                + "is opened, since a process that dies leaves its locks in the map",
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        SOURCE)
                .notOffered(
                        Durability.CONSISTENT,
                        "entries reach the disk in no order, so older ones may be lost although later ones exist",
                        "https://github.com/OpenHFT/Chronicle-Map/blob/HEAD/spec/1_design_goals.md")
                .notOffered(
                        Durability.POWER,
                        "its interface has no call that flushes the map, and data not yet written when the machine stops may be damaged: recovery "
                                + "removes it",
                        SOURCE + "#recovery")
                .can(
                        Capability.SCAN_ANY_ORDER,
                        // As with plain files: each write is acknowledged separately, and the end of a batch adds
                        // nothing.
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.PARALLEL_READERS,
                        Capability.PARALLEL_WRITERS,
                        Capability.MULTI_PROCESS,
                        Capability.EXISTS_CALL)
                .keys(0, 1 << 30)
                .values(1 << 30)
                .setting(Setting.integer(
                        "max-bloat-factor",
                        1,
                        1_000,
                        10L,
                        "How many times its initial size the table may reach. Unused growth takes no space. The library's default of 1 "
                                + "refuses an entry whose segment is full, although others have room.",
                        BUILDER + "#maxBloatFactor-double-"))
                .setting(Setting.bytes(
                        "chunk-size",
                        1,
                        CHUNK_BYTES_MAX,
                        null,
                        "Size of the pieces of an entry. By default an eighth of a mean entry, as the library chooses, or more if the largest "
                                + "entry would take more than 60.",
                        BUILDER + "#actualChunkSize-int-"))
                .memory("none of its own: its file is a memory map in the kernel's page cache", SOURCE);
    }

    private static String version() throws StoreException {
        if (ToolProvider.getSystemJavaCompiler() == null) {
            throw StoreException.store(
                    "Chronicle Map compiles code when it starts, and this Java has no compiler: install a JDK instead of a JRE "
                            + "(Debian: apt-get install openjdk-17-jdk-headless)");
        }
        return Versions.ofManifest(ChronicleMap.class);
    }

    @Override
    public Store<byte[]> open(OpenRequest request) throws IOException, StoreException {
        var hints = request.hints();
        long entries = Math.max(1, Math.max(hints.recordsMax(), hints.recordsInserted()));
        double mean = Math.max(1, hints.valueBytesMean());
        ChronicleMapBuilder<byte[], byte[]> builder = ChronicleMap.of(byte[].class, byte[].class)
                .entries(entries)
                .averageKeySize(Math.max(1, hints.keyBytesMax()))
                .averageValueSize(mean)
                // The previous value is not needed, so it does not become an array, as the documentation says.
                .putReturnsNull(true)
                .removeReturnsNull(true)
                .maxBloatFactor(request.settings().integer("max-bloat-factor"));
        long entryBytesMax = hints.keyBytesMax() + hints.valueBytesMax() + 16;
        // By default an entry of the mean size has about eight pieces, and the largest would have too many.
        boolean tooMany = entryBytesMax > CHUNKS_MAX / 8 * (hints.keyBytesMax() + mean);
        long chunk = Math.min(CHUNK_BYTES_MAX, entryBytesMax / CHUNKS_MAX + 1);
        if (tooMany || request.settings().has("chunk-size")) {
            builder.actualChunkSize((int) request.settings().number("chunk-size", chunk));
        }
        File file = request.directory().resolve("records.chronicle").toFile();
        InUse inUse = InUse.mark(request.directory().resolve("records.open"));
        if (inUse.wasLeft && file.exists() && request.durability() != Durability.NONE) {
            return new Opened(builder.recoverPersistedTo(file, true), inUse);
        }
        return new Opened(builder.createPersistedTo(file), inUse);
    }

    /**
     * A file that exists while a process has the table open. Each process locks it, and a dead process loses its lock.
     * The last process to close it removes it. Chronicle's documentation advises to recover a table only if it was not
     * closed.
     */
    private static final class InUse {
        private final Path path;
        private final FileChannel channel;
        private final FileLock shared;
        /** Whether it existed and nobody had it open. */
        private final boolean wasLeft;

        private InUse(Path path, FileChannel channel, FileLock shared, boolean wasLeft) {
            this.path = path;
            this.channel = channel;
            this.shared = shared;
            this.wasLeft = wasLeft;
        }

        static InUse mark(Path path) throws IOException {
            boolean isThere = Files.exists(path);
            FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
            try {
                FileLock alone = channel.tryLock();
                if (alone != null) {
                    alone.release();
                }
                return new InUse(path, channel, channel.lock(0, Long.MAX_VALUE, true), isThere && alone != null);
            } catch (OverlappingFileLockException thisProcess) {
                return new InUse(path, channel, null, false);
            }
        }

        void end() throws IOException {
            if (shared != null) {
                shared.release();
                if (channel.tryLock() != null) {
                    Files.deleteIfExists(path);
                }
            }
            channel.close();
        }
    }

    private record Opened(ChronicleMap<byte[], byte[]> map, InUse inUse) implements Store<byte[]> {
        @Override
        public Form<byte[]> form() {
            // An entry is copied out of the heap.
            return new ArrayForm(true);
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) {
            return new OfThread(map);
        }

        @Override
        public void close() throws IOException {
            map.close();
            inUse.end();
        }
    }

    private static final class OfThread implements Session<byte[]> {
        private final ChronicleMap<byte[], byte[]> map;
        /** The last value found. The next get of the same length overwrites it; another length makes a new array. */
        private byte[] found;

        OfThread(ChronicleMap<byte[], byte[]> map) {
            this.map = map;
        }

        @Override
        public void insert(byte[] key, byte[] value) {
            map.put(key, value);
        }

        @Override
        public void update(byte[] key, byte[] value) {
            map.put(key, value);
        }

        @Override
        public void upsert(byte[] key, byte[] value) {
            map.put(key, value);
        }

        @Override
        public boolean get(byte[] key, Output output) {
            byte[] value = map.getUsing(key, found);
            if (value == null) {
                return false;
            }
            found = value;
            output.append(value, 0, value.length);
            return true;
        }

        @Override
        public boolean exists(byte[] key, Output output) {
            return map.containsKey(key);
        }

        @Override
        public void delete(byte[] key) {
            map.remove(key);
        }

        @Override
        public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor) throws StoreException {
            if (from != null || direction != Direction.ANY) {
                throw StoreException.badRequest("Chronicle Map has no order: scan all of it in any order");
            }
            boolean goOn = true;
            for (int segment = 0; goOn && segment < map.segments(); segment++) {
                try (MapSegmentContext<byte[], byte[], ?> context = map.segmentContext(segment)) {
                    goOn = context.forEachSegmentEntryWhile(entry ->
                            visitor.visit(entry.key().get(), entry.value().get()));
                }
            }
        }

        @Override
        public void commit() {}

        @Override
        public void close() {}
    }
}
