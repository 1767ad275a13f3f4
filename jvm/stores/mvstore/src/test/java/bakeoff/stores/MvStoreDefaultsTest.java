package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.store.Settings;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Its write buffer was a nineteenth of what MVStore takes by itself, and its files thirty times as long. */
final class MvStoreDefaultsTest {
    @Test
    void whatIsNotSetIsAsTheLibraryHasIt(@TempDir Path directory) throws Exception {
        Settings ours = Settings.resolve(new MvStore().describe(), new JsonObject());
        String file = directory.resolve("records").toString();
        try (MVStore library = new MVStore.Builder().fileName(file).open()) {
            assertEquals(library.getAutoCommitMemory(), ours.number("write-buffer"));
            assertEquals(library.getCacheSize(), ours.number("cache") >> 20);
        }
    }
}
