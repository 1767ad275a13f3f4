package bakeoff.stores;

import static bakeoff.store.AfterFailure.after;

import bakeoff.store.ArrayForm;
import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.Durability;
import bakeoff.store.Form;
import bakeoff.store.Leaves;
import bakeoff.store.NewNames;
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
import java.util.Arrays;
import java.util.List;
import org.fusesource.leveldbjni.JniDBFactory;
import org.fusesource.leveldbjni.internal.NativeDB;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;

/** LevelDB of 2013, through LevelDBJNI. */
public final class LevelDbJni implements StoreType {
    private static final String OPTIONS = "https://github.com/google/leveldb/blob/v1.14/include/leveldb/options.h";

    @Override
    public StoreDescription describe() {
        return new StoreDescription("leveldb-jni", "LevelDB (JNI)")
                .summary(
                        "Log-structured merge tree: LevelDB 1.14 of 2013 with a memory-mapped log, through LevelDBJNI.")
                .version(LevelDbJni::version)
                .license("BSD-3-Clause")
                .language("C++")
                .structure("lsm")
                .files("*.sst (sorted files), *.log (the log), MANIFEST-*, CURRENT, LOCK, LOG")
                .tableFiles(".ldb", ".sst")
                .durability(
                        Durability.PROCESS,
                        "WriteOptions.sync(false), the default: the log is written in a memory map and never flushed",
                        // Recovery drops a damaged block of the log and reads on (log_reader.cc). So earlier writes may
                        // be lost while later ones exist.
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        OPTIONS)
                .durability(
                        Durability.CONSISTENT,
                        "WriteOptions.sync(true), as at level power. In a log that is not flushed, recovery skips damaged parts and continues",
                        after(Leaves.KEPT, Leaves.KEPT),
                        OPTIONS)
                .durability(
                        Durability.POWER,
                        "WriteOptions.sync(true): the log is flushed at every write, and by this adapter the name of a new one",
                        after(Leaves.KEPT, Leaves.KEPT),
                        OPTIONS)
                .notOffered(
                        Durability.NONE,
                        "every write goes through the log, which is written at once. No option turns that off",
                        OPTIONS)
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.ATOMIC_BATCH,
                        Capability.PARALLEL_READERS)
                .setting(Setting.bytes(
                        "cache", 0, 1L << 40, 8L << 20, "Memory for blocks that were read, uncompressed.", OPTIONS))
                .setting(Setting.bytes(
                        "write-buffer",
                        64L << 10,
                        1L << 30,
                        4L << 20,
                        "Bytes written that are sorted in memory before they become a file; up to two such buffers are held.",
                        OPTIONS))
                .setting(Setting.bytes(
                        "block-size",
                        1L << 10,
                        4L << 20,
                        4L << 10,
                        "Bytes of entries, before compression, that are read and cached together.",
                        OPTIONS))
                .setting(Setting.choice("compression", List.of("snappy", "none"), "Compression of each block.", OPTIONS)
                        .uncompressed("none"))
                .memory(
                        "as its defaults do: half for blocks that were read, half for write buffers, of which up to two exist at a time",
                        OPTIONS)
                .share("cache", 50, 1)
                .share("write-buffer", 50, 2);
    }

    /**
     * The version of the binding from its jar, which does not name the version of LevelDB. Unpacks and loads the
     * library, or fails.
     */
    private static String version() {
        NativeDB.LIBRARY.load();
        return JniDBFactory.VERSION;
    }

    @Override
    public Store<byte[]> open(OpenRequest request) throws IOException {
        DB db = JniDBFactory.factory.open(request.directory().toFile(), options(request));
        boolean sync = request.durability().includes(Durability.CONSISTENT);
        return new Opened(db, new WriteOptions().sync(sync), new NewNames(request, sync));
    }

    /** The options of a database. */
    static Options options(OpenRequest request) {
        boolean snappy = request.settings().word("compression").equals("snappy");
        return new Options()
                .createIfMissing(true)
                .cacheSize(request.settings().number("cache"))
                .writeBufferSize(request.settings().integer("write-buffer"))
                .blockSize(request.settings().integer("block-size"))
                .compressionType(snappy ? CompressionType.SNAPPY : CompressionType.NONE);
    }

    private record Opened(DB db, WriteOptions write, NewNames names) implements Store<byte[]> {
        @Override
        public Form<byte[]> form() {
            // Both calls, of the database and of a batch, copy their arguments into native memory.
            return new ArrayForm(true);
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) {
            return new OfThread(db, write, names, plan.batched());
        }

        @Override
        public void close() throws IOException {
            db.close();
        }
    }

    private static final class OfThread implements Session<byte[]> {
        private final DB db;
        private final WriteOptions write;
        /** LevelDB does not flush the name of a new log: https://github.com/google/leveldb/issues/196. */
        private final NewNames names;

        private final boolean batched;
        private WriteBatch batch;

        OfThread(DB db, WriteOptions write, NewNames names, boolean batched) {
            this.db = db;
            this.write = write;
            this.names = names;
            this.batched = batched;
        }

        private WriteBatch batch() {
            if (batch == null) {
                batch = db.createWriteBatch();
            }
            return batch;
        }

        @Override
        public void insert(byte[] key, byte[] value) throws IOException {
            upsert(key, value);
        }

        @Override
        public void update(byte[] key, byte[] value) throws IOException {
            upsert(key, value);
        }

        @Override
        public void upsert(byte[] key, byte[] value) throws IOException {
            if (batched) {
                batch().put(key, value);
            } else {
                db.put(key, value, write);
                names.flush();
            }
        }

        @Override
        public void delete(byte[] key) throws IOException {
            if (batched) {
                batch().delete(key);
            } else {
                db.delete(key, write);
                names.flush();
            }
        }

        /** A read does not see the writes in the batch. */
        private void refuseInBatch() throws StoreException {
            if (batch != null) {
                throw StoreException.badRequest("a LevelDB batch cannot be read before its commit");
            }
        }

        @Override
        public boolean get(byte[] key, Output output) throws StoreException {
            refuseInBatch();
            byte[] value = db.get(key);
            if (value != null) {
                output.keep(value);
            }
            return value != null;
        }

        @Override
        public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor) throws IOException, StoreException {
            refuseInBatch();
            try (DBIterator iterator = db.iterator()) {
                if (direction == Direction.REVERSE) {
                    backward(iterator, from, visitor);
                } else {
                    forward(iterator, from, visitor);
                }
            }
        }

        private static void forward(DBIterator iterator, byte[] from, Visitor<byte[]> visitor) {
            if (from == null) {
                iterator.seekToFirst();
            } else {
                iterator.seek(from);
            }
            boolean goOn = true;
            while (goOn && iterator.hasNext()) {
                goOn = visit(iterator.next(), visitor);
            }
        }

        /** The iterator is at an entry, which peekNext returns; prev steps back and returns the entry there. */
        private static void backward(DBIterator iterator, byte[] from, Visitor<byte[]> visitor) {
            if (from != null) {
                iterator.seek(from);
            }
            boolean above = from != null && iterator.hasNext();
            if (!above) {
                iterator.seekToLast();
            }
            if (!iterator.hasNext()) {
                return;
            }
            boolean included = !above || Arrays.equals(iterator.peekNext().getKey(), from);
            boolean goOn = !included || visit(iterator.peekNext(), visitor);
            while (goOn && iterator.hasPrev()) {
                goOn = visit(iterator.prev(), visitor);
            }
        }

        private static boolean visit(java.util.Map.Entry<byte[], byte[]> entry, Visitor<byte[]> visitor) {
            return visitor.visit(entry.getKey(), entry.getValue());
        }

        @Override
        public void commit() throws IOException {
            if (batch != null) {
                db.write(batch, write);
                names.flush();
                batch.close();
                batch = null;
            }
        }

        @Override
        public void close() throws IOException {
            if (batch != null) {
                batch.close();
            }
        }
    }
}
