package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.conformance.Defaults;
import bakeoff.store.Durability;
import java.nio.file.Path;
import jetbrains.exodus.env.EnvironmentConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class XodusDefaultsTest {
    @Test
    void withoutSettingsTheLibrarysOwnDefaultsAreInForce(@TempDir Path directory) throws Exception {
        Xodus type = new Xodus();
        EnvironmentConfig ours = Xodus.config(Defaults.request(type, directory, Durability.PROCESS));
        assertEquals(Defaults.told(new EnvironmentConfig()), Defaults.told(ours));
    }
}
