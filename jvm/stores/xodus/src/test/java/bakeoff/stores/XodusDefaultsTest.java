package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.store.Settings;
import com.google.gson.JsonObject;
import jetbrains.exodus.env.EnvironmentConfig;
import org.junit.jupiter.api.Test;

/** Files of its log were four times as long as Xodus makes them by itself. */
final class XodusDefaultsTest {
    @Test
    void whatIsNotSetIsAsTheLibraryHasIt() throws Exception {
        Settings ours = Settings.resolve(new Xodus().describe(), new JsonObject());
        assertEquals(EnvironmentConfig.DEFAULT.getLogFileSize(), ours.number("log-file") >> 10);
        assertEquals(EnvironmentConfig.DEFAULT.getMemoryUsagePercentage(), ours.integer("memory-percent"));
    }
}
