package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.conformance.Defaults;
import bakeoff.store.Durability;
import java.nio.file.Path;
import org.iq80.leveldb.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LevelDbJniDefaultsTest {
    @Test
    void withoutSettingsTheLibrarysOwnDefaultsAreInForce(@TempDir Path directory) throws Exception {
        LevelDbJni type = new LevelDbJni();
        Options ours = LevelDbJni.options(Defaults.request(type, directory, Durability.PROCESS));
        Options bare = new Options();
        // 0 means LevelDB's default cache: 8 MiB, by its options.h.
        assertEquals(0, bare.cacheSize());
        assertEquals(8 << 20, ours.cacheSize());
        for (Options options : new Options[] {bare, ours}) {
            options.cacheSize(0);
        }
        assertEquals(told(bare), told(ours));
    }

    /** Its getters have the same names as its setters. */
    private static String told(Options options) {
        return "%s %d %d %d %d %b %b %s"
                .formatted(
                        options.compressionType(),
                        options.writeBufferSize(),
                        options.blockSize(),
                        options.blockRestartInterval(),
                        options.maxOpenFiles(),
                        options.paranoidChecks(),
                        options.verifyChecksums(),
                        options.comparator());
    }
}
