package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.conformance.Defaults;
import bakeoff.store.Durability;
import java.nio.file.Path;
import java.util.List;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MvStoreDefaultsTest {
    private static List<Number> told(MVStore store) {
        return List.of(
                store.getAutoCommitMemory(),
                store.getCacheSize(),
                store.getRetentionTime(),
                store.getKeysPerPage(),
                store.getMaxPageSize());
    }

    @Test
    void withoutSettingsTheLibrarysOwnDefaultsAreInForce(@TempDir Path directory) throws Exception {
        String file = directory.resolve("bare").toString();
        MvStore type = new MvStore();
        for (Durability durability : Durability.values()) {
            MVStore.Builder builder = MvStore.builder(Defaults.request(type, directory, durability));
            try (MVStore bare = new MVStore.Builder().fileName(file).open();
                    MVStore ours = builder.open()) {
                assertEquals(told(bare), told(ours));
                // Automatic commits in the background are off at levels where commits guarantee something.
                int delay = durability == Durability.NONE ? bare.getAutoCommitDelay() : 0;
                assertEquals(delay, ours.getAutoCommitDelay());
            }
        }
    }
}
