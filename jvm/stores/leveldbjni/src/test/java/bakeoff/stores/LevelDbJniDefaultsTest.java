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
        // 0 is LevelDB's own choice of a cache: 8 MiB, by its options.h.
        assertEquals(0, bare.cacheSize());
        assertEquals(8 << 20, ours.cacheSize());
        for (Options options : new Options[] {bare, ours}) {
            options.cacheSize(0);
        }
        assertEquals(told(bare), told(ours));
    }

    /** Its methods that tell a setting are named as those that change it. */
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
