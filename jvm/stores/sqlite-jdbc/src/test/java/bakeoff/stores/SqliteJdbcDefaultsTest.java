package bakeoff.stores;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.conformance.Defaults;
import bakeoff.store.Durability;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SqliteJdbcDefaultsTest {
    /** All pragmas that can be queried and do not define a durability level. */
    private static final List<String> PRAGMAS = List.of(
            "page_size",
            "cache_size",
            "cache_spill",
            "wal_autocheckpoint",
            "mmap_size",
            "locking_mode",
            "temp_store",
            "auto_vacuum",
            "secure_delete",
            "fullfsync",
            "checkpoint_fullfsync",
            "journal_size_limit",
            "threads",
            "read_uncommitted");

    private static List<String> told(Connection connection) throws SQLException {
        List<String> told = new ArrayList<>();
        for (String pragma : PRAGMAS) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("PRAGMA " + pragma)) {
                told.add(pragma + " " + (rows.next() ? rows.getString(1) : ""));
            }
        }
        return told;
    }

    @Test
    void withoutSettingsTheLibrarysOwnDefaultsAreInForce(@TempDir Path directory) throws Exception {
        SqliteJdbc type = new SqliteJdbc();
        var store = (SqliteJdbc.Opened) type.open(Defaults.request(type, directory, Durability.PROCESS));
        try (Connection bare = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("bare"));
                Connection ours = store.connect()) {
            assertEquals(told(bare), told(ours));
        }
        store.close();
    }
}
