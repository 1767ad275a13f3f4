package bakeoff.stores;

import static bakeoff.store.AfterFailure.after;

import bakeoff.store.ArrayForm;
import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.Durability;
import bakeoff.store.Form;
import bakeoff.store.Leaves;
import bakeoff.store.OpenRequest;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreType;
import bakeoff.store.Visitor;
import java.util.EnumSet;

/** The store that does nothing: it measures the harness alone. */
public final class NullStore implements StoreType {
    private static final String SOURCE = "jvm/stores/selftest/src/main/java/bakeoff/stores/NullStore.java";

    @Override
    public StoreDescription describe() {
        String how = "keeps nothing, so nothing can be lost";
        return new StoreDescription("null-jvm", "Null (JVM)")
                .summary("Does nothing and finds nothing: shows the overhead of the harness in Java.")
                .version("0.1.0")
                .license("MIT OR Apache-2.0")
                .language("Java")
                .structure("memory")
                .files("none")
                .durability(Durability.NONE, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .durability(Durability.PROCESS, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .durability(Durability.CONSISTENT, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .durability(Durability.POWER, how, after(Leaves.KEPT, Leaves.KEPT), SOURCE)
                .can(EnumSet.complementOf(EnumSet.of(Capability.INSERT_REFUSES)).toArray(Capability[]::new))
                .keepsNothing()
                .testOnly();
    }

    @Override
    public Store<byte[]> open(OpenRequest request) {
        return new Store<>() {
            @Override
            public Form<byte[]> form() {
                return new ArrayForm(true);
            }

            @Override
            public Session<byte[]> session(SessionPlan plan) {
                return new NullSession<>();
            }

            @Override
            public void close() {}
        };
    }

    /** Ignores all its arguments. */
    public static final class NullSession<B> implements Session<B> {
        @Override
        public void insert(B key, B value) {}

        @Override
        public void update(B key, B value) {}

        @Override
        public void upsert(B key, B value) {}

        @Override
        public boolean get(B key, Output output) {
            return false;
        }

        @Override
        public void delete(B key) {}

        @Override
        public void scan(B from, Direction direction, Visitor<B> visitor) {}

        @Override
        public void commit() {}

        @Override
        public void close() {}
    }
}
