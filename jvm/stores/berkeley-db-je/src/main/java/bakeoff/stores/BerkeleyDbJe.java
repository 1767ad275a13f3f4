package bakeoff.stores;

import static bakeoff.store.AfterFailure.after;

import bakeoff.store.ArrayForm;
import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.Durability;
import bakeoff.store.Form;
import bakeoff.store.Leaves;
import bakeoff.store.NewNames;
import bakeoff.store.OpenRequest;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Setting;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreException;
import bakeoff.store.StoreType;
import bakeoff.store.Visitor;
import com.sleepycat.je.Cursor;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.JEVersion;
import com.sleepycat.je.LockMode;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.Transaction;
import java.io.IOException;
import java.util.Arrays;

/** Berkeley DB Java Edition: one database in one transactional environment. */
public final class BerkeleyDbJe implements StoreType {
    private static final String DURABILITY =
            "https://docs.oracle.com/cd/E17277_02/html/java/com/sleepycat/je/Durability.html";
    private static final String CACHE =
            "https://docs.oracle.com/cd/E17277_02/html/java/com/sleepycat/je/EnvironmentMutableConfig.html";

    @Override
    public StoreDescription describe() {
        String written = "COMMIT_WRITE_NO_SYNC: the log is written at every commit and never flushed";
        return new StoreDescription("berkeley-db-je", "Berkeley DB JE")
                .summary("Log-structured B-tree with transactions and locks on records, in Java.")
                .version(JEVersion.CURRENT_VERSION.getNumericVersionString())
                .license("Apache-2.0")
                .language("Java")
                .structure("b-tree")
                .files("*.jdb (pieces of the log), je.lck, je.info.*, je.config.csv, je.stat.csv")
                // The documentation of both: "database integrity will be maintained"; of the second also "if the
                // operating system fails".
                .durability(
                        Durability.NONE,
                        "COMMIT_NO_SYNC: the log is written when its buffers are full",
                        after(Leaves.EARLIER_STATE, Leaves.EARLIER_STATE),
                        DURABILITY)
                .durability(Durability.PROCESS, written, after(Leaves.KEPT, Leaves.EARLIER_STATE), DURABILITY)
                .durability(Durability.CONSISTENT, written, after(Leaves.KEPT, Leaves.EARLIER_STATE), DURABILITY)
                .durability(
                        Durability.POWER,
                        "COMMIT_SYNC: the log is flushed at every commit",
                        after(Leaves.KEPT, Leaves.KEPT),
                        DURABILITY)
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.ATOMIC_BATCH,
                        Capability.INSERT_REFUSES,
                        Capability.PARALLEL_READERS,
                        Capability.PARALLEL_WRITERS)
                .setting(Setting.integer(
                        "cache-percent", 1, 90, 60L, "Part of the Java heap that the cache takes.", CACHE))
                .memory("all of it for the Java heap, of which the cache takes its part", CACHE)
                .share(StoreDescription.HEAP, 100, 1);
    }

    @Override
    public Store<byte[]> open(OpenRequest request) {
        Environment environment = new Environment(request.directory().toFile(), config(request));
        Database database = environment.openDatabase(null, "records", databaseConfig());
        return new Opened(environment, database, new NewNames(request, request.durability() == Durability.POWER));
    }

    /** The configuration of an environment. */
    static EnvironmentConfig config(OpenRequest request) {
        com.sleepycat.je.Durability durability =
                switch (request.durability()) {
                    case NONE -> com.sleepycat.je.Durability.COMMIT_NO_SYNC;
                    case PROCESS, CONSISTENT -> com.sleepycat.je.Durability.COMMIT_WRITE_NO_SYNC;
                    case POWER -> com.sleepycat.je.Durability.COMMIT_SYNC;
                };
        EnvironmentConfig config = new EnvironmentConfig();
        config.setAllowCreate(true).setTransactional(true).setDurability(durability);
        config.setCachePercent(request.settings().integer("cache-percent"));
        return config;
    }

    /** The configuration of its database. */
    static DatabaseConfig databaseConfig() {
        return new DatabaseConfig().setAllowCreate(true).setTransactional(true);
    }

    /** At level {@code power}, names of new logs are flushed after each commit. */
    private record Opened(Environment environment, Database database, NewNames names) implements Store<byte[]> {
        /**
         * It copies keys (Key.makeKey) and data (the constructor of LN, LN.copyEntryData) into its own arrays (classes
         * of 18.3.12).
         */
        @Override
        public Form<byte[]> form() {
            return new ArrayForm(true);
        }

        @Override
        public Session<byte[]> session(SessionPlan plan) {
            return new OfThread(environment, database, names, plan.batched());
        }

        @Override
        public void close() {
            database.close();
            environment.close();
        }
    }

    private static final class OfThread implements Session<byte[]> {
        private final Environment environment;
        private final Database database;
        private final NewNames names;
        private final boolean batched;
        private final DatabaseEntry keyEntry = new DatabaseEntry();
        private final DatabaseEntry valueEntry = new DatabaseEntry();
        /** The open batch; null outside of one, where each write is a transaction. */
        private Transaction batch;

        OfThread(Environment environment, Database database, NewNames names, boolean batched) {
            this.environment = environment;
            this.database = database;
            this.names = names;
            this.batched = batched;
        }

        private Transaction writer() {
            if (batched && batch == null) {
                batch = environment.beginTransaction(null, null);
            }
            return batch;
        }

        @Override
        public void insert(byte[] key, byte[] value) throws IOException, StoreException {
            keyEntry.setData(key);
            valueEntry.setData(value);
            if (database.putNoOverwrite(writer(), keyEntry, valueEntry) != OperationStatus.SUCCESS) {
                throw StoreException.store("KEYEXIST: the key is there already");
            }
            acknowledge();
        }

        @Override
        public void update(byte[] key, byte[] value) throws IOException {
            upsert(key, value);
        }

        @Override
        public void upsert(byte[] key, byte[] value) throws IOException {
            keyEntry.setData(key);
            valueEntry.setData(value);
            database.put(writer(), keyEntry, valueEntry);
            acknowledge();
        }

        @Override
        public void delete(byte[] key) throws IOException {
            keyEntry.setData(key);
            database.delete(writer(), keyEntry);
            acknowledge();
        }

        /** A commit must survive a power cut. It may be in a new log, whose name Berkeley DB does not flush. */
        private void acknowledge() throws IOException {
            if (batch == null) {
                names.flush();
            }
        }

        @Override
        public boolean get(byte[] key, Output output) {
            keyEntry.setData(key);
            valueEntry.setData(null);
            boolean found = database.get(batch, keyEntry, valueEntry, LockMode.DEFAULT) == OperationStatus.SUCCESS;
            if (found) {
                output.keep(arrayOf(valueEntry));
            }
            return found;
        }

        /** The entry's array, which belongs to the caller. */
        private static byte[] arrayOf(DatabaseEntry entry) {
            byte[] array = entry.getData();
            boolean whole = entry.getOffset() == 0 && entry.getSize() == array.length;
            return whole ? array : Arrays.copyOfRange(array, entry.getOffset(), entry.getOffset() + entry.getSize());
        }

        @Override
        public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor) {
            boolean reverse = direction == Direction.REVERSE;
            try (Cursor cursor = database.openCursor(batch, null)) {
                OperationStatus status = begin(cursor, from, reverse);
                while (status == OperationStatus.SUCCESS && visitor.visit(arrayOf(keyEntry), arrayOf(valueEntry))) {
                    status = reverse
                            ? cursor.getPrev(keyEntry, valueEntry, LockMode.DEFAULT)
                            : cursor.getNext(keyEntry, valueEntry, LockMode.DEFAULT);
                }
            }
        }

        private OperationStatus begin(Cursor cursor, byte[] from, boolean reverse) {
            if (from == null) {
                return reverse
                        ? cursor.getLast(keyEntry, valueEntry, LockMode.DEFAULT)
                        : cursor.getFirst(keyEntry, valueEntry, LockMode.DEFAULT);
            }
            keyEntry.setData(from);
            OperationStatus status = cursor.getSearchKeyRange(keyEntry, valueEntry, LockMode.DEFAULT);
            if (!reverse) {
                return status;
            }
            if (status != OperationStatus.SUCCESS) {
                return cursor.getLast(keyEntry, valueEntry, LockMode.DEFAULT);
            }
            boolean same = Arrays.equals(arrayOf(keyEntry), from);
            return same ? status : cursor.getPrev(keyEntry, valueEntry, LockMode.DEFAULT);
        }

        @Override
        public void commit() throws IOException {
            if (batch != null) {
                batch.commit();
                batch = null;
                acknowledge();
            }
        }

        @Override
        public void close() {
            if (batch != null) {
                batch.abort();
            }
        }
    }
}
