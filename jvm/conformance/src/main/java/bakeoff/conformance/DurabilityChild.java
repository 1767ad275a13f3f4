package bakeoff.conformance;

import bakeoff.store.DataHints;
import bakeoff.store.Direction;
import bakeoff.store.Directories;
import bakeoff.store.Durability;
import bakeoff.store.OpenRequest;
import bakeoff.store.SessionPlan;
import bakeoff.store.Settings;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreType;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/**
 * The process that {@code crates/store/src/durability} traces and kills, for stores on the JVM. It writes and
 * acknowledges, opens and waits, or checks the content. Its native counterpart {@code child.rs} documents the protocol.
 */
public final class DurabilityChild {
    private static final DataHints HINTS =
            new DataHints(10_000, 10_000, 64, 1_000, 1 << 20, 64 << 20, 1 << 30, false, 1);
    private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

    private final StoreType type;
    private final StoreDescription description;
    private final Durability durability;
    private final Path directory;
    private final long seed;
    private final boolean batched;
    private final JsonObject given;

    private DurabilityChild(String[] words) throws Exception {
        durability = Durability.of(words[2]).orElseThrow();
        directory = Path.of(words[3]);
        seed = Long.parseUnsignedLong(words[5]);
        batched = words[6].equals("1");
        given = JsonParser.parseString(words[9]).getAsJsonObject();
        for (StoreType candidate : ServiceLoader.load(StoreType.class)) {
            if (candidate.describe().name().equals(words[1])) {
                type = candidate;
                description = candidate.describe();
                return;
            }
        }
        throw new IllegalArgumentException("no store " + words[1]);
    }

    /** {@code child STORE CLASS DIRECTORY TASK SEED BATCHED FROM TO SETTINGS}. */
    public static void main(String[] words) {
        int status = 0;
        try {
            long from = Long.parseUnsignedLong(words[7]);
            long to = Long.parseUnsignedLong(words[8]);
            DurabilityChild child = new DurabilityChild(words);
            switch (words[4]) {
                case "write" -> child.write(from, to, -1);
                case "write-in-halves" -> child.write(from, to, to / 2);
                case "open" -> child.openAndWait();
                default -> say(child.check(from));
            }
        } catch (Exception | Error error) {
            System.err.println(error.getMessage() == null ? error : error.getMessage());
            status = 1;
        }
        // A library's threads must not keep the process alive.
        Runtime.getRuntime().halt(status);
    }

    /** One line in one write. */
    private static void say(Object line) throws IOException {
        OUT.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private Store<?> open() throws Exception {
        return type.open(new OpenRequest(directory, durability, Settings.resolve(description, given), HINTS));
    }

    private void write(long from, long to, long pause) throws Exception {
        History history = History.after(seed, from);
        Store<?> store = open();
        if (durability.includes(Durability.CONSISTENT)) {
            // As the driver does.
            Directories.flush(directory);
        }
        Fixture.in(store, new SessionPlan(batched, false), handle -> {
            say("ready");
            while (Long.compareUnsigned(history.steps(), to) < 0) {
                history.next().take(handle);
                boolean ends = !batched || history.steps() % History.BATCH == 0;
                if (batched && ends) {
                    handle.commit();
                }
                if (ends) {
                    say(history.steps());
                }
                if (history.steps() == pause) {
                    System.in.read();
                }
            }
        });
        say("done");
        store.close();
    }

    private void openAndWait() throws Exception {
        open();
        say("ready");
        // The parent process kills this one.
        System.in.read();
    }

    /**
     * The number of steps in the store: those acknowledged, or additionally the step or batch in progress. If an
     * acknowledged write may be lost with the process, any number of whole batches is right.
     */
    private long check(long from) throws Exception {
        if (!description.survivesProcessDeath(durability)) {
            return wholeBatches(from);
        }
        History before = History.after(seed, from);
        History after = History.after(seed, from + (batched ? History.BATCH : 1));
        TreeMap<String, byte[]> found = found();
        TreeMap<String, byte[]> old = before.content();
        TreeMap<String, byte[]> now = after.content();
        if (difference(found, old) == null) {
            return before.steps();
        }
        if (difference(found, now) == null) {
            return after.steps();
        }
        Set<String> touched = new HashSet<>();
        if (!description.batchIsAtomic(durability)) {
            // Unacknowledged steps may be partly done. They are repeated, as an application would.
            History again = History.after(seed, from);
            while (again.steps() < after.steps()) {
                touched.add(again.next().key());
            }
        }
        found.keySet().removeAll(touched);
        old.keySet().removeAll(touched);
        String wrong = difference(found, old);
        if (wrong != null) {
            throw new AssertionError(wrong);
        }
        redo(touched, now);
        return after.steps();
    }

    private long wholeBatches(long from) throws Exception {
        TreeMap<String, byte[]> found = found();
        History history = History.after(seed, 0);
        long whole = -1;
        while (history.steps() <= from + History.BATCH) {
            if (history.isContent(found)) {
                whole = history.steps();
            }
            for (int step = 0; step < History.BATCH; step++) {
                history.next();
            }
        }
        if (whole < 0) {
            throw new AssertionError("%d keys are there, and after no whole batch they are".formatted(found.size()));
        }
        return whole;
    }

    private TreeMap<String, byte[]> found() throws Exception {
        TreeMap<String, byte[]> found = new TreeMap<>();
        Store<?> store = open();
        say("ready");
        Fixture.in(store, Fixture.EACH, handle -> {
            for (Pair entry : handle.scanAll(Direction.ANY)) {
                String key = new String(entry.key(), StandardCharsets.UTF_8);
                if (found.put(key, entry.value()) != null) {
                    throw new AssertionError("`%s` is there twice".formatted(key));
                }
            }
        });
        store.close();
        return found;
    }

    private void redo(Set<String> keys, TreeMap<String, byte[]> wanted) throws Exception {
        Store<?> store = open();
        Fixture.in(store, Fixture.EACH, handle -> {
            for (String key : keys) {
                if (wanted.containsKey(key)) {
                    handle.upsert(History.bytes(key), wanted.get(key));
                } else {
                    handle.delete(History.bytes(key));
                }
            }
        });
        store.close();
    }

    /** The first wrong key, described briefly; null if there is none. */
    private static String difference(TreeMap<String, byte[]> found, TreeMap<String, byte[]> wanted) {
        Set<String> keys = new HashSet<>(found.keySet());
        keys.addAll(wanted.keySet());
        return keys.stream()
                .filter(key -> !Arrays.equals(found.get(key), wanted.get(key)))
                .sorted()
                .findFirst()
                .map(key -> "`%s` is %s and was acknowledged as %s"
                        .formatted(key, describe(found.get(key)), describe(wanted.get(key))))
                .orElse(null);
    }

    private static String describe(byte[] value) {
        return value == null ? "absent" : "%d bytes (%08x)".formatted(value.length, Arrays.hashCode(value));
    }
}
