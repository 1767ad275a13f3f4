package bakeoff.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import bakeoff.store.Capability;
import bakeoff.store.DataHints;
import bakeoff.store.Durability;
import bakeoff.store.OpenRequest;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Settings;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreType;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A store with some settings at one level, in a fresh directory inside another one. The outer directory shows whether
 * anything escapes.
 */
final class Fixture implements AutoCloseable {
    /** Each write is acknowledged when its call returns. */
    static final SessionPlan EACH = new SessionPlan(false, false);
    /** Writes are acknowledged by a commit. */
    static final SessionPlan BATCHED = new SessionPlan(true, false);

    /** Work in a session. */
    interface Work {
        void in(Handle<?> handle) throws Exception;
    }

    /** Flushing costs nothing here. These checks are about answers, not about power cuts. */
    private static final Path MEMORY = Path.of("/dev/shm");

    static final DataHints HINTS = new DataHints(10_000, 10_000, 65_535, 100, 1 << 20, 64 << 20, 64 << 20, false, 2);

    final StoreDescription description;
    private final StoreType type;
    private final JsonObject given;
    private final Durability durability;
    private final Path parent;
    private final Path directory;

    Fixture(StoreType type, StoreDescription description, JsonObject given, Durability durability) throws IOException {
        this.type = type;
        this.description = description;
        this.given = given;
        this.durability = durability;
        parent = Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, "bakeoff-conformance-")
                : Files.createTempDirectory("bakeoff-conformance-");
        directory = Files.createDirectory(parent.resolve("store"));
    }

    /** The same store and level, empty. */
    Fixture fresh() throws IOException {
        return new Fixture(type, description, given, durability);
    }

    /**
     * The number of random cases. It is lower if every write may wait for a disk, and for words other than the default.
     */
    int cases() {
        int cases = durability.includes(Durability.CONSISTENT) ? 4 : 16;
        return given.size() == 0 ? cases : cases / 2;
    }

    /** The directory of its files. */
    Path directory() {
        return directory;
    }

    boolean can(Capability capability) {
        return description.can(capability);
    }

    Store<?> open() throws Exception {
        return type.open(new OpenRequest(directory, durability, Settings.resolve(description, given), HINTS));
    }

    /** Runs work in one session of an open store. */
    static void in(Store<?> store, SessionPlan plan, Work work) throws Exception {
        inSession(store, plan, work);
    }

    private static <B> void inSession(Store<B> store, SessionPlan plan, Work work) throws Exception {
        try (Session<B> session = store.session(plan)) {
            work.in(new Handle<>(store.form(), session));
        }
    }

    /** Opens the store, runs work in one session, and closes it. */
    void session(SessionPlan plan, Work work) throws Exception {
        Store<?> store = open();
        in(store, plan, work);
        store.close();
    }

    /** The outer directory contains only the store's directory. */
    void assertContained() throws IOException {
        try (Stream<Path> outside = Files.list(parent)) {
            assertEquals(List.of(directory), outside.toList(), "something left the store's directory");
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> paths = Files.walk(parent)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
