package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.conformance.Defaults;
import bakeoff.store.Durability;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.EnvironmentConfig;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BerkeleyDbJeDefaultsTest {
    /** Properties that bakeoff sets on purpose, as the store's description states. */
    private static final String[] ASKED_FOR = {"getAllowCreate", "getTransactional", "getNumExplicitlySetParams"};

    @Test
    void withoutSettingsTheLibrarysOwnDefaultsAreInForce(@TempDir Path directory) throws Exception {
        BerkeleyDbJe type = new BerkeleyDbJe();
        EnvironmentConfig ours = BerkeleyDbJe.config(Defaults.request(type, directory, Durability.PROCESS));
        assertEquals(Defaults.told(new EnvironmentConfig(), ASKED_FOR), Defaults.told(ours, ASKED_FOR));
        assertEquals(
                Defaults.told(new DatabaseConfig(), ASKED_FOR),
                Defaults.told(BerkeleyDbJe.databaseConfig(), ASKED_FOR));
    }
}
