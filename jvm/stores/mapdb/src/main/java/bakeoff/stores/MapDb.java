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
import java.util.Iterator;
import java.util.Map;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** MapDB: one tree map of arrays. A commit is of the whole store, not of a session. */
public final class MapDb implements StoreType {
    private static final String STORE_WAL =
            "https://github.com/jankotek/mapdb/blob/release-3.1/src/main/java/org/mapdb/StoreWAL.kt";
    /**
     * {@code commit} flushes the log, changes the file in place and deletes the log; {@code init} opens the file
     * without reading the log.
     */
    private static final String NEVER_REPLAYED =
            "its log (transactionEnable()) is flushed at every commit, but never read when the store is opened: a power cut that hits a commit leaves "
                    + "a part of it";

    private static final String SOURCE = "https://jankotek.gitbooks.io/mapdb/content/db/";

    @Override
    public StoreDescription describe() throws StoreException {
        return new StoreDescription("mapdb", "MapDB")
                .summary(
                        "B-tree in Java, in one memory-mapped file, with a write-ahead log where there are transactions.")
                .version(Versions.ofPom(DBMaker.class, "org.mapdb", "mapdb"))
                .license("Apache-2.0")
                .language("Java")
                .structure("b-tree")
                .files("records.mapdb, and with transactions records.mapdb.wal.*")
                .durability(
                        Durability.NONE,
                        "no transactions: pages are changed in the memory map",
                        after(Leaves.POSSIBLY_CORRUPT, Leaves.POSSIBLY_CORRUPT),
                        SOURCE)
                .durability(
                        Durability.PROCESS,
                        "transactionEnable() and fileSyncDisable(): the log is written at every commit, and flushed too, which nothing turns off; the file is not",
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        SOURCE)
                .notOffered(Durability.CONSISTENT, NEVER_REPLAYED, STORE_WAL)
                .notOffered(Durability.POWER, NEVER_REPLAYED, STORE_WAL)
                // Batches are not called atomic: another thread's commit would commit an unfinished part of them.
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.PARALLEL_READERS)
                .setting(Setting.flag(
                        "values-outside-nodes",
                        false,
                        "Keep values apart from the tree's nodes, which is advised for large ones.",
                        "https://jankotek.gitbooks.io/mapdb/content/btreemap/"))
                .memory("none of its own: its file is a memory map in the kernel's page cache", SOURCE);
    }

    @Override
    public Store<byte[]> open(OpenRequest request) {
        // Not the default, which is for 32-bit systems: its documentation (https://mapdb.org/book/use-cases.rst)
        // advises to map files on 64-bit systems.
        DBMaker.Maker maker = DBMaker.fileDB(
                        request.directory().resolve("records.mapdb").toFile())
                .fileMmapEnable();
        if (request.durability() != Durability.NONE) {
            maker.transactionEnable().fileSyncDisable();
        }
        DB db = maker.make();
        var tree = db.treeMap("records", Serializer.BYTE_ARRAY, Serializer.BYTE_ARRAY);
        if (request.settings().flag("values-outside-nodes")) {
            tree.valuesOutsideNodesEnable();
        }
        return new Opened(db, tree.createOrOpen(), request.durability());
    }

    private record Opened(DB db, BTreeMap<byte[], byte[]> map, Durability durability) implements Store<byte[]> {
        @Override
        public Form<byte[]> form() {
            return new ArrayForm();
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) {
            return new OfThread(db, map, durability, plan.batched());
        }

        @Override
        public void close() {
            if (durability != Durability.NONE) {
                db.commit();
            }
            db.close();
        }
    }

    private record OfThread(DB db, BTreeMap<byte[], byte[]> map, Durability durability, boolean batched)
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
            Iterator<Map.Entry<byte[], byte[]>> entries = entries(from, direction == Direction.REVERSE);
            boolean goOn = true;
            while (goOn && entries.hasNext()) {
                Map.Entry<byte[], byte[]> entry = entries.next();
                goOn = visitor.visit(entry.getKey(), entry.getValue());
            }
        }

        private Iterator<Map.Entry<byte[], byte[]>> entries(byte[] from, boolean reverse) {
            if (reverse) {
                return from == null
                        ? map.descendingEntryIterator()
                        : map.descendingEntryIterator(null, true, from, true);
            }
            return from == null ? map.entryIterator() : map.entryIterator(from, true, null, true);
        }

        @Override
        public void commit() {
            if (durability != Durability.NONE) {
                db.commit();
            }
        }

        @Override
        public void close() {}
    }
}
