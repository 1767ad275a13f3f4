package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bakeoff.conformance.Defaults;
import bakeoff.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

final class RocksDbJniDefaultsTest {
    /** What RocksDB's log tells of its block cache, of which the file of options says nothing. */
    private static final List<String> CACHE =
            List.of("no_block_cache:", "block_cache_name:", "capacity :", "num_shard");

    @Test
    void withoutSettingsTheLibrarysOwnDefaultsAreInForce(@TempDir Path bare, @TempDir Path ours) throws Exception {
        RocksDB.loadLibrary();
        try (Options options = new Options().setCreateIfMissing(true);
                RocksDB database = RocksDB.open(options, bare.toString())) {
            assertEquals("LZ4_COMPRESSION", options.compressionType().name());
        }
        RocksDbJni type = new RocksDbJni();
        type.open(Defaults.request(type, ours, Durability.PROCESS)).close();
        assertLinesMatch(lines(bare, "OPTIONS-", line -> true), lines(ours, "OPTIONS-", line -> true));
        List<String> cache = lines(bare, "LOG", line -> CACHE.stream().anyMatch(line::contains));
        assertTrue(cache.contains("block_cache_name: AutoHyperClockCache"), cache.toString());
        assertLinesMatch(cache, lines(ours, "LOG", line -> CACHE.stream().anyMatch(line::contains)));
    }

    /** Lines of the newest file whose name begins so. */
    private static List<String> lines(Path directory, String name, Predicate<String> wanted) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            Path newest = files.filter(file -> file.getFileName().toString().startsWith(name))
                    .max(Path::compareTo)
                    .orElseThrow();
            return Files.readAllLines(newest).stream()
                    .filter(wanted)
                    .map(String::strip)
                    .toList();
        }
    }
}
