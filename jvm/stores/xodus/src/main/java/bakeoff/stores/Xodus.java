package bakeoff.stores;

import static bakeoff.store.AfterFailure.after;

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
import bakeoff.store.Versions;
import bakeoff.store.Visitor;
import java.io.IOException;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.StoreConfig;
import jetbrains.exodus.env.Transaction;

/** Xodus: one store in one environment. Writers take turns, because its transactions are exclusive. */
public final class Xodus implements StoreType {
    private static final String WIKI = "https://github.com/JetBrains/xodus/wiki/";
    private static final String CONFIG =
            "https://github.com/JetBrains/xodus/blob/v2.0.1/openAPI/src/main/java/jetbrains/exodus/env/EnvironmentConfig.java";
    private static final String STORE = "records";

    @Override
    public StoreDescription describe() throws StoreException {
        return new StoreDescription("xodus", "Xodus")
                .summary("Log-structured B+ tree with snapshot isolation, in Java.")
                .version(Versions.ofManifest(Environments.class))
                .license("Apache-2.0")
                .language("Java")
                .structure("b-tree")
                .files("*.xd (pieces of the log), xd.lck")
                .durability(
                        Durability.PROCESS,
                        "logDurableWrite=false, the default: the log is written at every commit and never flushed",
                        // A damaged log "will be truncated till address", but that is not a guarantee.
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        WIKI + "Environments")
                .durability(
                        Durability.CONSISTENT,
                        "setLogDurableWrite(true), as at level power: nothing is promised of a log that is not flushed",
                        after(Leaves.KEPT, Leaves.KEPT),
                        WIKI + "Environments")
                .durability(
                        Durability.POWER,
                        "setLogDurableWrite(true): the log is flushed at every commit, and by this adapter the name of a new piece of it",
                        after(Leaves.KEPT, Leaves.KEPT),
                        WIKI + "Environments")
                .notOffered(
                        Durability.NONE,
                        "the log, which is the store itself, is written at every commit: no setting turns that off",
                        WIKI + "Environments")
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.ATOMIC_BATCH,
                        Capability.INSERT_REFUSES,
                        Capability.PARALLEL_READERS)
                // Keys and values that do not fit into one file of the log are refused.
                .keys(0, 7 << 20)
                .values(7 << 20)
                .setting(Setting.integer(
                        "memory-percent",
                        5,
                        95,
                        50L,
                        "Part of the Java heap that the log's cache takes.",
                        WIKI + "Environments"))
                .setting(Setting.bytes(
                        "log-file",
                        1L << 20,
                        1L << 30,
                        8L << 20,
                        "Length of each file of the log; a record must fit into one.",
                        CONFIG))
                .memory("all of it for the Java heap, of which the log's cache takes its part", WIKI + "Environments")
                .share(StoreDescription.HEAP, 100, 1);
    }

    @Override
    public Store<ByteIterable> open(OpenRequest request) {
        Environment environment = Environments.newInstance(request.directory().toFile(), config(request));
        jetbrains.exodus.env.Store store = environment.computeInTransaction(
                transaction -> environment.openStore(STORE, StoreConfig.WITHOUT_DUPLICATES, transaction));
        return new Opened(
                environment, store, new NewNames(request, request.durability().includes(Durability.CONSISTENT)));
    }

    /** The configuration of an environment. */
    static EnvironmentConfig config(OpenRequest request) {
        return new EnvironmentConfig()
                .setLogDurableWrite(request.durability().includes(Durability.CONSISTENT))
                .setLogFileSize(request.settings().number("log-file") >> 10)
                .setMemoryUsagePercentage(request.settings().integer("memory-percent"));
    }

    private record Opened(Environment environment, jetbrains.exodus.env.Store store, NewNames names)
            implements Store<ByteIterable> {
        @Override
        public Form<ByteIterable> form() {
            return new XodusForm();
        }

        @Override
        public Session<ByteIterable> session(SessionPlan plan) {
            return new OfThread(environment, store, names, plan);
        }

        @Override
        public void close() {
            environment.close();
        }
    }

    private static final class OfThread implements Session<ByteIterable> {
        private final Environment environment;
        private final jetbrains.exodus.env.Store store;
        private final NewNames names;
        private final SessionPlan plan;
        private Transaction batch;

        OfThread(Environment environment, jetbrains.exodus.env.Store store, NewNames names, SessionPlan plan) {
            this.environment = environment;
            this.store = store;
            this.names = names;
            this.plan = plan;
        }

        private Transaction writer() {
            if (batch == null) {
                batch = environment.beginExclusiveTransaction();
            }
            return batch;
        }

        /** Outside batches, a write is a batch of one. */
        private void afterWrite() throws StoreException, IOException {
            if (!plan.batched()) {
                commit();
            }
        }

        @Override
        public void insert(ByteIterable key, ByteIterable value) throws StoreException, IOException {
            if (plan.ascending()) {
                store.putRight(writer(), key, value);
            } else if (!store.add(writer(), key, value)) {
                if (!plan.batched()) {
                    drop();
                }
                throw StoreException.store("the key is there already");
            }
            afterWrite();
        }

        @Override
        public void update(ByteIterable key, ByteIterable value) throws StoreException, IOException {
            upsert(key, value);
        }

        @Override
        public void upsert(ByteIterable key, ByteIterable value) throws StoreException, IOException {
            store.put(writer(), key, value);
            afterWrite();
        }

        @Override
        public void delete(ByteIterable key) throws StoreException, IOException {
            store.delete(writer(), key);
            afterWrite();
        }

        @Override
        public boolean get(ByteIterable key, Output output) {
            if (batch != null) {
                return get(batch, key, output);
            }
            Transaction reader = environment.beginReadonlyTransaction();
            try {
                return get(reader, key, output);
            } finally {
                reader.abort();
            }
        }

        private boolean get(Transaction transaction, ByteIterable key, Output output) {
            ByteIterable value = store.get(transaction, key);
            if (value != null) {
                output.append(value.getBytesUnsafe(), 0, value.getLength());
            }
            return value != null;
        }

        @Override
        public void scan(ByteIterable from, Direction direction, Visitor<ByteIterable> visitor) {
            if (batch != null) {
                scan(batch, from, direction == Direction.REVERSE, visitor);
                return;
            }
            Transaction reader = environment.beginReadonlyTransaction();
            try {
                scan(reader, from, direction == Direction.REVERSE, visitor);
            } finally {
                reader.abort();
            }
        }

        private void scan(Transaction transaction, ByteIterable from, boolean reverse, Visitor<ByteIterable> visitor) {
            try (Cursor cursor = store.openCursor(transaction)) {
                boolean there = begin(cursor, from, reverse);
                while (there && visitor.visit(cursor.getKey(), cursor.getValue())) {
                    there = reverse ? cursor.getPrev() : cursor.getNext();
                }
            }
        }

        private static boolean begin(Cursor cursor, ByteIterable from, boolean reverse) {
            if (from == null) {
                return reverse ? cursor.getLast() : cursor.getNext();
            }
            boolean there = cursor.getSearchKeyRange(from) != null;
            if (!reverse) {
                return there;
            }
            if (!there) {
                return cursor.getLast();
            }
            return cursor.getKey().compareTo(from) == 0 || cursor.getPrev();
        }

        @Override
        public void commit() throws StoreException, IOException {
            if (batch != null) {
                boolean done = batch.commit();
                batch = null;
                if (!done) {
                    throw StoreException.store("the transaction was not committed");
                }
                // It may be in a new piece of the log, whose name Xodus does not flush.
                names.flush();
            }
        }

        private void drop() {
            if (batch != null) {
                batch.abort();
                batch = null;
            }
        }

        @Override
        public void close() {
            drop();
        }
    }
}
