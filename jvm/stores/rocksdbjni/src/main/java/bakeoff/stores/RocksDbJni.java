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
import bakeoff.store.StoreException;
import bakeoff.store.StoreType;
import bakeoff.store.Visitor;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.Filter;
import org.rocksdb.HyperClockCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB through its own Java interface. Library, settings, defaults and capabilities are those of
 * {@code crates/stores/src/rocksdb.rs}.
 */
public final class RocksDbJni implements StoreType {
    /** The library chooses the number of shards of its cache. */
    private static final int SHARDS_BY_SIZE = -1;

    private static final String HEADERS = "https://github.com/facebook/rocksdb/blob/v11.8.1/include/rocksdb/";
    private static final String OPTIONS = HEADERS + "options.h";
    private static final String TABLE = HEADERS + "table.h";
    private static final String WIKI = "https://github.com/facebook/rocksdb/wiki/";

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
                .tableFiles(".sst", ".blob")
                .durability(
                        Durability.NONE,
                        "WriteOptions.setDisableWAL(true): no log",
                        after(Leaves.EARLIER_STATE, Leaves.EARLIER_STATE),
                        WIKI + "Write-Ahead-Log-%28WAL%29")
                .durability(
                        Durability.PROCESS,
                        "defaults: the log is written at every write and never flushed",
                        // "Gaps are still possible when WALs are truncated exactly on record boundaries" (HISTORY.md,
                        // 6.14).
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        WIKI + "Basic-Operations#asynchronous-writes")
                .durability(
                        Durability.CONSISTENT,
                        "WriteOptions.setSync(true), as at level power. Between two logs that are not flushed, recovery may miss writes",
                        after(Leaves.KEPT, Leaves.KEPT),
                        WIKI + "Basic-Operations#synchronous-writes")
                .durability(
                        Durability.POWER,
                        "WriteOptions.setSync(true): the log is flushed at every write",
                        after(Leaves.KEPT, Leaves.KEPT),
                        WIKI + "Basic-Operations#synchronous-writes")
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.ATOMIC_BATCH,
                        Capability.PARALLEL_READERS,
                        Capability.PARALLEL_WRITERS)
                .setting(Setting.bytes(
                        "cache",
                        0,
                        1L << 40,
                        32L << 20,
                        "Memory for blocks that were read, uncompressed; 0 for none. About a third of the memory is advised.",
                        TABLE))
                .setting(Setting.bytes(
                        "write-buffer",
                        64L << 10,
                        64L << 30,
                        64L << 20,
                        "Bytes written that are sorted in memory before they become a file; up to two such buffers are held.",
                        OPTIONS))
                .setting(Setting.bytes(
                        "block-size",
                        1 << 10,
                        4 << 20,
                        4L << 10,
                        "Bytes of entries, before compression, that are read and cached together. 16 KiB saves memory.",
                        TABLE))
                .setting(Setting.integer(
                        "bloom-bits",
                        0,
                        100,
                        10L,
                        "Bits per key of a Bloom filter that saves reading files without the key; 0 for no filter, RocksDB's default. "
                                + "Its tuning guide advises 10 for many gets.",
                        WIKI + "Setup-Options-and-Basic-Tuning"))
                .setting(Setting.integer(
                        "background-jobs", 1, 256, 2L, "Threads that write buffers to files and merge files.", OPTIONS))
                .setting(Setting.choice(
                                "compression",
                                List.of("lz4", "none", "snappy", "zstd"),
                                "Compression of each block.",
                                OPTIONS)
                        .uncompressed("none"))
                .memory(
                        "a third for blocks that were read, as its documentation advises; the rest for write buffers, of which up to two exist at a time. "
                                + "Indexes and filters of open files are not counted",
                        WIKI + "Setup-Options-and-Basic-Tuning")
                .share("cache", 33, 1)
                .share("write-buffer", 67, 2);
    }

    /** The binding is part of RocksDB, and built and numbered with it. */
    private static String version() {
        RocksDB.loadLibrary();
        return RocksDB.rocksdbVersion().toString();
    }

    @Override
    public Store<byte[]> open(OpenRequest request) throws RocksDBException {
        RocksDB.loadLibrary();
        Options options = options(request.settings());
        return new Opened(RocksDB.open(options, request.directory().toString()), options, request.durability());
    }

    /** The options of a database. */
    static Options options(Settings settings) {
        CompressionType compression =
                switch (settings.word("compression")) {
                    case "none" -> CompressionType.NO_COMPRESSION;
                    case "snappy" -> CompressionType.SNAPPY_COMPRESSION;
                    case "zstd" -> CompressionType.ZSTD_COMPRESSION;
                    default -> CompressionType.LZ4_COMPRESSION;
                };
        // The table's configuration keeps its own reference to cache and filter. This reference would outlive the
        // store, and with it the address space of the full cache, until none is left for the next store.
        try (Cache cache = cache(settings);
                Filter filter = filter(settings)) {
            return new Options()
                    .setCreateIfMissing(true)
                    .setWriteBufferSize(settings.number("write-buffer"))
                    .setMaxBackgroundJobs(settings.integer("background-jobs"))
                    .setCompressionType(compression)
                    .setTableFormatConfig(table(settings, cache, filter));
        }
    }

    /** The kind of cache that the library creates by default. Its Java interface would create an LRU cache. */
    private static Cache cache(Settings settings) {
        long cache = settings.number("cache");
        return cache == 0 ? null : new HyperClockCache(cache, 0, SHARDS_BY_SIZE, false);
    }

    private static Filter filter(Settings settings) {
        int bloomBits = settings.integer("bloom-bits");
        return bloomBits == 0 ? null : new BloomFilter(bloomBits);
    }

    private static BlockBasedTableConfig table(Settings settings, Cache cache, Filter filter) {
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockSize(settings.number("block-size"))
                // The library's default. The default of this class marks blocks for a search that is not switched on.
                .setUniformCvThreshold(-1);
        if (cache == null) {
            table.setNoBlockCache(true);
        } else {
            table.setBlockCache(cache);
        }
        if (filter != null) {
            table.setFilterPolicy(filter);
        }
        return table;
    }

    private record Opened(RocksDB db, Options options, Durability durability) implements Store<byte[]> {
        @Override
        public Form<byte[]> form() {
            // Both calls, of the database and of a batch, copy their arguments into native memory.
            return new ArrayForm(true);
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) {
            WriteOptions write = new WriteOptions()
                    .setDisableWAL(durability == Durability.NONE)
                    .setSync(durability.includes(Durability.CONSISTENT));
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

        /** A read does not see the writes in the batch. */
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
