package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bakeoff.conformance.Defaults;
import bakeoff.store.Durability;
import bakeoff.store.OpenRequest;
import bakeoff.store.Settings;
import com.google.gson.JsonObject;
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
    /** The properties of the block cache in RocksDB's log, which are missing in the options file. */
    private static final List<String> CACHE =
            List.of("no_block_cache:", "block_cache_name:", "capacity :", "num_shard");

    @Test
    void withoutSettingsTheLibrarysOwnDefaultsAreInForceButForTheFilter(@TempDir Path bare, @TempDir Path ours)
            throws Exception {
        RocksDB.loadLibrary();
        try (Options options = new Options().setCreateIfMissing(true);
                RocksDB database = RocksDB.open(options, bare.toString())) {
            assertEquals("LZ4_COMPRESSION", options.compressionType().name());
        }
        RocksDbJni type = new RocksDbJni();
        type.open(Defaults.request(type, ours, Durability.PROCESS)).close();
        Predicate<String> isFilter = line -> line.contains("filter_policy=");
        assertLinesMatch(lines(bare, "OPTIONS-", isFilter.negate()), lines(ours, "OPTIONS-", isFilter.negate()));
        assertEquals(List.of("filter_policy=nullptr"), lines(bare, "OPTIONS-", isFilter));
        assertEquals(List.of("filter_policy=bloomfilter:10:false"), lines(ours, "OPTIONS-", isFilter));
        List<String> cache = lines(bare, "LOG", line -> CACHE.stream().anyMatch(line::contains));
        assertTrue(cache.contains("block_cache_name: AutoHyperClockCache"), cache.toString());
        assertLinesMatch(cache, lines(ours, "LOG", line -> CACHE.stream().anyMatch(line::contains)));
    }

    /** A cell opens its store once per pass of its warm-up. When they accumulated, the kernel refused the next one. */
    @Test
    void whatACacheReservesIsGivenBackWhenTheStoreIsClosed(@TempDir Path directory) throws Exception {
        RocksDbJni type = new RocksDbJni();
        JsonObject asked = new JsonObject();
        asked.addProperty("cache", 4L << 30);
        OpenRequest byDefault = Defaults.request(type, directory, Durability.PROCESS);
        Settings settings = Settings.resolve(type.describe(), asked);
        OpenRequest request = new OpenRequest(directory, Durability.PROCESS, settings, byDefault.hints());
        type.open(request).close();
        long before = privateKibibytes();
        for (int again = 0; again < 4; again++) {
            type.open(request).close();
        }
        long grown = privateKibibytes() - before;
        assertTrue(grown < 1 << 20, grown + " KiB more after four stores that are closed");
    }

    /** Private, writable address space of this process: the quantity that the kernel limits. */
    private static long privateKibibytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmData:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    /** Lines of the newest file with this prefix in its name. */
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
