package bakeoff.stores;

import bakeoff.store.ArrayForm;
import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.Durability;
import bakeoff.store.Form;
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
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.HyperClockCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB through its own Java interface. */
public final class RocksDbJni implements StoreType {
    private static final String WIKI = "https://github.com/facebook/rocksdb/wiki/";
    private static final String HEADERS = "https://github.com/facebook/rocksdb/blob/v11.8.1/include/rocksdb/";

    @Override
    public StoreDescription describe() {
        return new StoreDescription("rocksdb-jni", "RocksDB (JNI)")
                .summary(
                        "Log-structured merge tree, a fork of LevelDB with many threads and settings, through its Java interface.")
                .version(RocksDbJni::version)
                .license("Apache-2.0 OR GPL-2.0-only")
                .language("C++")
                .structure("lsm")
                .files("*.sst (sorted files), *.log (the log), MANIFEST-*, CURRENT, IDENTITY, LOCK, LOG, OPTIONS-*")
                .durability(
                        Durability.NONE, "WriteOptions.setDisableWAL(true): no log", WIKI + "Write-Ahead-Log-%28WAL%29")
                .durability(
                        Durability.PROCESS,
                        "defaults: the log is written at every write and never flushed",
                        WIKI + "Basic-Operations#asynchronous-writes")
                .durability(
                        Durability.POWER,
                        "WriteOptions.setSync(true): the log is flushed at every write",
                        WIKI + "Basic-Operations#synchronous-writes")
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.ATOMIC_BATCH,
                        Capability.PARALLEL_READERS,
                        Capability.PARALLEL_WRITERS)
                .keys(0, null)
                .setting(Setting.bytes(
                        "cache",
                        0,
                        1L << 40,
                        32L << 20,
                        "Memory for blocks that were read, uncompressed; 0 for none. About a third of the memory is advised.",
                        WIKI + "Block-Cache"))
                .setting(Setting.bytes(
                        "write-buffer",
                        64L << 10,
                        16L << 30,
                        64L << 20,
                        "Bytes written that are sorted in memory before they become a file.",
                        WIKI + "RocksDB-Tuning-Guide"))
                .setting(Setting.bytes(
                        "block-size",
                        1L << 10,
                        4L << 20,
                        4L << 10,
                        "Bytes of entries, before compression, that are read and cached together. 16 KiB saves memory.",
                        HEADERS + "table.h"))
                .setting(Setting.integer(
                        "background-jobs",
                        1,
                        256,
                        2L,
                        "Threads that write buffers to files and merge files.",
                        HEADERS + "options.h"))
                .setting(Setting.integer(
                        "bloom-bits",
                        0,
                        100,
                        0L,
                        "Bits a key of a Bloom filter that saves reading files without the key; 0 for no filter.",
                        WIKI + "RocksDB-Bloom-Filter"))
                .setting(Setting.choice(
                        "compression",
                        List.of("lz4", "none", "snappy", "zstd"),
                        "Compression of each block.",
                        HEADERS + "options.h"))
                .memory(
                        "a third for blocks that were read, as is advised; the rest for two write buffers, as up to two are held at a time. "
                                + "Indexes and filters of open files are not counted",
                        WIKI + "Setup-Options-and-Basic-Tuning")
                .share("cache", 33, 1)
                .share("write-buffer", 67, 2);
    }

    private static String version() {
        RocksDB.loadLibrary();
        return RocksDB.rocksdbVersion().toString();
    }

    @Override
    public Store<byte[]> open(OpenRequest request) throws RocksDBException {
        RocksDB.loadLibrary();
        BlockBasedTableConfig table =
                new BlockBasedTableConfig().setBlockSize(request.settings().number("block-size"));
        long cacheBytes = request.settings().number("cache");
        if (cacheBytes == 0) {
            table.setNoBlockCache(true);
        } else {
            // The kind of cache that RocksDB makes by itself: it estimates how long entries are, and shares it out as
            // it likes.
            table.setBlockCache(new HyperClockCache(cacheBytes, 0, -1, false));
        }
        int bloomBits = request.settings().integer("bloom-bits");
        if (bloomBits > 0) {
            table.setFilterPolicy(new BloomFilter(bloomBits));
        }
        CompressionType compression =
                switch (request.settings().word("compression")) {
                    case "none" -> CompressionType.NO_COMPRESSION;
                    case "snappy" -> CompressionType.SNAPPY_COMPRESSION;
                    case "zstd" -> CompressionType.ZSTD_COMPRESSION;
                    default -> CompressionType.LZ4_COMPRESSION;
                };
        Options options = new Options()
                .setCreateIfMissing(true)
                .setWriteBufferSize(request.settings().number("write-buffer"))
                .setMaxBackgroundJobs(request.settings().integer("background-jobs"))
                .setCompressionType(compression)
                .setTableFormatConfig(table);
        return new Opened(RocksDB.open(options, request.directory().toString()), options, request.durability());
    }

    private record Opened(RocksDB db, Options options, Durability durability) implements Store<byte[]> {
        @Override
        public Form<byte[]> form() {
            return new ArrayForm();
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) {
            WriteOptions write = new WriteOptions()
                    .setDisableWAL(durability == Durability.NONE)
                    .setSync(durability == Durability.POWER);
            return new OfThread(db, plan.batched(), write, new ReadOptions(), new WriteBatch());
        }

        @Override
        public void close() throws RocksDBException {
            db.closeE();
            options.close();
        }
    }

    private static final class OfThread implements Session<byte[]> {
        private final RocksDB db;
        private final boolean batched;
        private final WriteOptions write;
        private final ReadOptions read;
        private final WriteBatch batch;
        private boolean inBatch;

        OfThread(RocksDB db, boolean batched, WriteOptions write, ReadOptions read, WriteBatch batch) {
            this.db = db;
            this.batched = batched;
            this.write = write;
            this.read = read;
            this.batch = batch;
        }

        @Override
        public void insert(byte[] key, byte[] value) throws RocksDBException {
            upsert(key, value);
        }

        @Override
        public void update(byte[] key, byte[] value) throws RocksDBException {
            upsert(key, value);
        }

        @Override
        public void upsert(byte[] key, byte[] value) throws RocksDBException {
            if (batched) {
                batch.put(key, value);
                inBatch = true;
            } else {
                db.put(write, key, value);
            }
        }

        @Override
        public void delete(byte[] key) throws RocksDBException {
            if (batched) {
                batch.delete(key);
                inBatch = true;
            } else {
                db.delete(write, key);
            }
        }

        /** A read would not see what waits in the batch. */
        private void refuseInBatch() throws StoreException {
            if (inBatch) {
                throw StoreException.badRequest("a RocksDB batch cannot be read before its commit");
            }
        }

        @Override
        public boolean get(byte[] key, Output output) throws RocksDBException, StoreException {
            refuseInBatch();
            byte[] into = output.array();
            int position = output.position();
            int length = db.get(read, key, 0, key.length, into, position, into.length - position);
            if (length == RocksDB.NOT_FOUND) {
                return false;
            }
            if (length > into.length - position) {
                output.keep(db.get(read, key));
                return true;
            }
            output.advance(length);
            return true;
        }

        @Override
        public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor)
                throws RocksDBException, StoreException {
            refuseInBatch();
            boolean reverse = direction == Direction.REVERSE;
            try (RocksIterator iterator = db.newIterator(read)) {
                begin(iterator, from, reverse);
                while (iterator.isValid() && visitor.visit(iterator.key(), iterator.value())) {
                    if (reverse) {
                        iterator.prev();
                    } else {
                        iterator.next();
                    }
                }
                iterator.status();
            }
        }

        private static void begin(RocksIterator iterator, byte[] from, boolean reverse) {
            if (from == null && reverse) {
                iterator.seekToLast();
            } else if (from == null) {
                iterator.seekToFirst();
            } else if (reverse) {
                iterator.seekForPrev(from);
            } else {
                iterator.seek(from);
            }
        }

        @Override
        public void commit() throws RocksDBException {
            if (inBatch) {
                db.write(write, batch);
                batch.clear();
                inBatch = false;
            }
        }

        @Override
        public void close() {
            batch.close();
            read.close();
            write.close();
        }
    }
}
