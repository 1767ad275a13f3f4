package bakeoff.stores;

import static bakeoff.store.AfterFailure.after;

import bakeoff.store.ArrayForm;
import bakeoff.store.Capability;
import bakeoff.store.DataHints;
import bakeoff.store.Durability;
import bakeoff.store.Form;
import bakeoff.store.Leaves;
import bakeoff.store.OpenRequest;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Setting;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreException;
import bakeoff.store.StoreType;
import bakeoff.store.Versions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteJDBCLoader;

/** SQLite through JDBC: one table of keys and values, and one connection per thread, kept between sessions. */
public final class SqliteJdbc implements StoreType {
    private static final String PRAGMA = "https://sqlite.org/pragma.html#pragma_";
    /**
     * Key and value together are limited as a row (https://sqlite.org/limits.html), as in
     * {@code crates/stores/src/sqlite.rs}.
     */
    private static final long ROW_BYTES_MAX = 1_000_000_000;

    private static final String FILE = "records.sqlite";
    private static final int BUSY_TIMEOUT_MS = 60_000;

    @Override
    public StoreDescription describe() {
        return new StoreDescription("sqlite-jdbc", "SQLite (JDBC)")
                .summary(
                        "SQL database in one file, through sqlite-jdbc; here one table of keys and values, with prepared statements.")
                .version(SqliteJdbc::version)
                .license("Apache-2.0 AND blessing")
                .language("C")
                .structure("b-tree")
                .files("records.sqlite; while open at levels process and power also records.sqlite-wal and -shm")
                .durability(
                        Durability.NONE,
                        "journal_mode=MEMORY, synchronous=OFF: a process that dies inside a transaction can leave a corrupt database, so a batch is not atomic",
                        after(Leaves.POSSIBLY_CORRUPT, Leaves.POSSIBLY_CORRUPT),
                        PRAGMA + "journal_mode")
                .batchesNotAtomic(Durability.NONE)
                .durability(
                        Durability.PROCESS,
                        "journal_mode=WAL, synchronous=OFF: the log is written at every commit and never flushed",
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        PRAGMA + "synchronous")
                .durability(
                        Durability.CONSISTENT,
                        "journal_mode=WAL, synchronous=NORMAL: the log is flushed at checkpoints only",
                        after(Leaves.KEPT, Leaves.EARLIER_STATE),
                        PRAGMA + "synchronous")
                .durability(
                        Durability.POWER,
                        "journal_mode=WAL, synchronous=FULL: the log is flushed at every commit",
                        after(Leaves.KEPT, Leaves.KEPT),
                        PRAGMA + "synchronous")
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.ATOMIC_BATCH,
                        Capability.INSERT_REFUSES,
                        Capability.PARALLEL_READERS,
                        Capability.MULTI_PROCESS,
                        Capability.COMPACTED_COPY)
                .keys(0, ROW_BYTES_MAX - 32)
                .values(ROW_BYTES_MAX - 100_000)
                .setting(Setting.bytes(
                                "page-size",
                                512,
                                65_536,
                                4_096L,
                                "Size of a database page: a power of two.",
                                PRAGMA + "page_size")
                        .ofPowersOfTwo())
                .setting(Setting.bytes(
                        "cache",
                        0,
                        1L << 40,
                        2_048_000L,
                        "Maximum memory of the page cache of one connection (thread); less than 1 KiB counts as none.",
                        PRAGMA + "cache_size"))
                .setting(Setting.choice(
                        "table",
                        List.of("auto", "without-rowid", "rowid"),
                        "Where rows are kept: in the tree of keys (without-rowid), or in a separate tree with an index (rowid); "
                                + "auto means rowid if a mean row is larger than a twentieth of a page.",
                        "https://sqlite.org/withoutrowid.html"))
                .setting(Setting.integer(
                        "wal-autocheckpoint",
                        0,
                        Integer.MAX_VALUE,
                        1_000L,
                        "Pages in the write-ahead log after which a commit also checkpoints; 0 for never.",
                        PRAGMA + "wal_autocheckpoint"))
                .memory(
                        "all of it for page caches, in equal parts, since each connection (thread) has one",
                        PRAGMA + "cache_size")
                .shareOfThreads("cache", 100);
    }

    /** The library's reported version, which also shows that it runs. */
    private static String version() throws Exception {
        SQLiteJDBCLoader.initialize();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            String sqlite = query(connection, "SELECT sqlite_version()");
            return Versions.ofBoth(Versions.ofPom(JDBC.class, "org.xerial", "sqlite-jdbc"), "SQLite", sqlite);
        }
    }

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    @Override
    public Store<byte[]> open(OpenRequest request) throws SQLException, StoreException {
        long pageBytes = request.settings().number("page-size");
        Opened store = new Opened(
                "jdbc:sqlite:" + request.directory().resolve(FILE), pragmas(request), new ConcurrentLinkedQueue<>());
        Connection connection = store.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute(createTable(request.settings().word("table"), pageBytes, request.hints()));
        }
        store.idle.add(connection);
        return store;
    }

    /** Pragma and value, in the required order: the page size comes before the journal, which creates the file. */
    private static Map<String, String> pragmas(OpenRequest request) {
        long cacheKib = request.settings().number("cache") / 1_024;
        boolean none = request.durability() == Durability.NONE;
        String synchronous =
                switch (request.durability()) {
                    case NONE, PROCESS -> "0";
                    case CONSISTENT -> "1";
                    case POWER -> "2";
                };
        Map<String, String> pragmas = new LinkedHashMap<>();
        pragmas.put("page_size", String.valueOf(request.settings().number("page-size")));
        pragmas.put("journal_mode", none ? "memory" : "wal");
        pragmas.put("synchronous", synchronous);
        // A negative cache size counts KiB instead of pages.
        pragmas.put("cache_size", String.valueOf(-cacheKib));
        pragmas.put("wal_autocheckpoint", String.valueOf(request.settings().number("wal-autocheckpoint")));
        return pragmas;
    }

    /** The mean row should be smaller than about a twentieth of a page, else rows make the tree of keys deep. */
    private static String createTable(String table, long pageBytes, DataHints hints) {
        boolean small = hints.keyBytesMax() + hints.valueBytesMean() <= pageBytes / 20;
        boolean withoutRowid = table.equals("auto") ? small : table.equals("without-rowid");
        return "CREATE TABLE IF NOT EXISTS record (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL)"
                + (withoutRowid ? " WITHOUT ROWID" : "");
    }

    /** The open database. {@code idle} are connections without a session. */
    record Opened(String url, Map<String, String> pragmas, ConcurrentLinkedQueue<Connection> idle)
            implements Store<byte[]> {
        /**
         * SQLite copies bound values when the statement runs (NativeDB.c: SQLITE_TRANSIENT), and each statement gets
         * new ones before it runs again.
         */
        @Override
        public Form<byte[]> form() {
            return new ArrayForm(true);
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) throws SQLException, StoreException {
            Connection connection = idle.poll();
            return new SqliteJdbcSession(connection == null ? connect() : connection, idle::add, plan.batched());
        }

        /** Opens a connection and verifies every pragma: SQLite does not report a pragma without effect. */
        Connection connect() throws SQLException, StoreException {
            SQLiteConfig config = new SQLiteConfig();
            config.setBusyTimeout(BUSY_TIMEOUT_MS);
            Connection connection = config.createConnection(url);
            for (Map.Entry<String, String> pragma : pragmas.entrySet()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("PRAGMA %s = %s".formatted(pragma.getKey(), pragma.getValue()));
                }
                String taken = query(connection, "PRAGMA " + pragma.getKey());
                if (!taken.equals(pragma.getValue())) {
                    throw StoreException.store("SQLite keeps PRAGMA %s at %s when asked for %s"
                            .formatted(pragma.getKey(), taken, pragma.getValue()));
                }
            }
            return connection;
        }

        /** See <a href="https://sqlite.org/lang_vacuum.html#vacuuminto">the documentation</a>. */
        @Override
        public void compactedCopy(Path directory) throws SQLException, StoreException {
            try (Connection connection = connect();
                    PreparedStatement vacuum = connection.prepareStatement("VACUUM INTO ?")) {
                vacuum.setString(1, directory.resolve(FILE).toString());
                vacuum.execute();
            }
        }

        /** The last connection to close checkpoints the write-ahead log and removes it. */
        @Override
        public void close() throws SQLException {
            for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
                connection.close();
            }
        }
    }
}
