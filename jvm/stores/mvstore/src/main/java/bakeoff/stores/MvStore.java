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
import bakeoff.store.Settings;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreType;
import bakeoff.store.Visitor;
import org.h2.engine.Constants;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/** H2's MVStore: one map of arrays. A commit is of the whole store, not of a session. */
public final class MvStore implements StoreType {
    private static final String DOCUMENTATION = "https://h2database.com/html/mvstore.html";

    @Override
    public StoreDescription describe() {
        return new StoreDescription("mvstore", "H2 MVStore")
                .summary("Multi-version B-tree in Java, written copy-on-write in chunks to one file.")
                .version(Constants.VERSION)
                .license("MPL-2.0 OR EPL-1.0")
                .language("Java")
                .structure("b-tree")
                .files("records.mv")
                .durability(
                        Durability.NONE,
                        "no commit: changes are written in the background, after a second or when its buffer is full",
                        after(Leaves.EARLIER_STATE, Leaves.POSSIBLY_CORRUPT),
                        DOCUMENTATION + "#transactions")
                .durability(
                        Durability.PROCESS,
                        "commit() at every write, without background writing: a chunk is written and not flushed",
                        // "no explicit sync operations required to guarantee data consistency" holds only if the disk
                        // stores everything within 45 s. After that time space is reused ("Using a lower value might be
                        // dangerous", setRetentionTime).
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        DOCUMENTATION + "#transactions")
                .durability(
                        Durability.CONSISTENT,
                        "commit() and sync(), as at level power: without it space is used again after 45 s, flushed or not",
                        after(Leaves.KEPT, Leaves.KEPT),
                        DOCUMENTATION + "#transactions")
                .durability(
                        Durability.POWER,
                        "commit() and sync(): the chunk is flushed",
                        after(Leaves.KEPT, Leaves.KEPT),
                        DOCUMENTATION + "#transactions")
                // Batches are not called atomic: a full write buffer, or another thread's commit, saves an unfinished
                // part of them.
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.PARALLEL_READERS)
                .setting(Setting.bytes(
                        "cache",
                        1 << 20,
                        1L << 40,
                        16L << 20,
                        "Memory for pages that were read.",
                        DOCUMENTATION + "#caching"))
                .setting(
                        Setting.bytes(
                                "write-buffer",
                                0,
                                1L << 30,
                                null,
                                "Unsaved changes, in bytes of memory, after which the store writes automatically, even within a batch; 0 for never. By "
                                        + "default 64 MiB for each GiB of heap, and at most 19 MiB, as the library chooses.",
                                "https://github.com/h2database/h2database/blob/version-2.4.240/h2/src/main/org/h2/mvstore/MVStore.java"))
                .setting(Setting.flag("compression", false, "Compress pages with LZF.", DOCUMENTATION + "#file_format")
                        .uncompressedWhereFalse())
                .memory(
                        "as its defaults do: 16 parts for pages that were read, 19 for unsaved changes",
                        DOCUMENTATION + "#caching")
                .share("cache", 46, 1)
                .share("write-buffer", 54, 1);
    }

    @Override
    public Store<byte[]> open(OpenRequest request) {
        MVStore store = builder(request).open();
        MVMap<byte[], byte[]> map = store.openMap(
                "records",
                new MVMap.Builder<byte[], byte[]>()
                        .keyType(ByteArrayDataType.INSTANCE)
                        .valueType(ByteArrayDataType.INSTANCE));
        return new Opened(store, map, request.durability());
    }

    /** The configuration of a store. */
    static MVStore.Builder builder(OpenRequest request) {
        Settings settings = request.settings();
        MVStore.Builder builder = new MVStore.Builder()
                .fileName(request.directory().resolve("records.mv").toString())
                .cacheSize((int) (settings.number("cache") >> 20));
        if (settings.has("write-buffer")) {
            builder.autoCommitBufferSize(kibibytes(settings.number("write-buffer")));
        }
        if (settings.flag("compression")) {
            builder.compress();
        }
        if (request.durability() != Durability.NONE) {
            builder.autoCommitDisabled();
        }
        return builder;
    }

    /** Rounded up: 0 has a special meaning. */
    private static int kibibytes(long bytes) {
        return (int) ((bytes + 1023) >> 10);
    }

    private record Opened(MVStore store, MVMap<byte[], byte[]> map, Durability durability) implements Store<byte[]> {
        @Override
        public Form<byte[]> form() {
            return new ArrayForm();
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) {
            return new OfThread(store, map, durability, plan.batched());
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private record OfThread(MVStore store, MVMap<byte[], byte[]> map, Durability durability, boolean batched)
            implements Session<byte[]> {
        @Override
        public void insert(byte[] key, byte[] value) {
            upsert(key, value);
        }

        @Override
        public void update(byte[] key, byte[] value) {
            upsert(key, value);
        }

        @Override
        public void upsert(byte[] key, byte[] value) {
            map.put(key, value);
            if (!batched) {
                commit();
            }
        }

        @Override
        public boolean get(byte[] key, Output output) {
            byte[] value = map.get(key);
            if (value != null) {
                output.keep(value);
            }
            return value != null;
        }

        @Override
        public void delete(byte[] key) {
            map.remove(key);
            if (!batched) {
                commit();
            }
        }

        @Override
        public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor) {
            Cursor<byte[], byte[]> cursor = map.cursor(from, null, direction == Direction.REVERSE);
            while (cursor.hasNext()) {
                byte[] key = cursor.next();
                if (!visitor.visit(key, cursor.getValue())) {
                    return;
                }
            }
        }

        @Override
        public void commit() {
            if (durability != Durability.NONE) {
                store.commit();
            }
            if (durability.includes(Durability.CONSISTENT)) {
                store.sync();
            }
        }

        @Override
        public void close() {}
    }
}
