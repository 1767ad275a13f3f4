package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.store.Settings;
import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** It compressed with Snappy by default, which RocksDB no longer does. */
final class RocksDbDefaultsTest {
    @Test
    void whatIsNotSetIsAsTheLibraryHasIt() throws Exception {
        RocksDB.loadLibrary();
        Settings ours = Settings.resolve(new RocksDbJni().describe(), new JsonObject());
        try (Options library = new Options()) {
            assertEquals(library.writeBufferSize(), ours.number("write-buffer"));
            assertEquals(library.maxBackgroundJobs(), ours.integer("background-jobs"));
            assertEquals(library.compressionType(), CompressionType.LZ4_COMPRESSION);
            assertEquals("lz4", ours.word("compression"));
        }
        assertEquals(new BlockBasedTableConfig().blockSize(), ours.number("block-size"));
    }
}
