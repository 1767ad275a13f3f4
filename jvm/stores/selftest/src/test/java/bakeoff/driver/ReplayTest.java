package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bakeoff.store.ArrayForm;
import bakeoff.store.BufferForm;
import bakeoff.store.DataHints;
import bakeoff.store.Durability;
import bakeoff.store.Form;
import bakeoff.store.OpenRequest;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Settings;
import bakeoff.store.Store;
import bakeoff.stores.FaultyStore;
import bakeoff.stores.NullStore;
import bakeoff.tape.Pool;
import bakeoff.tape.TapeReader;
import bakeoff.tape.WrittenValues;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The replay loop with the committed tape that has every operation, flag and consumer. */
final class ReplayTest {
    static final Path VECTORS = Path.of("../../../crates/tape/vectors");
    private static final DataHints HINTS = new DataHints(10, 10, 20, 10, 300, 1_000, 1_000, false, 1);

    private static int directories;

    private static OpenRequest request(String fault) throws Exception {
        JsonObject given = new JsonObject();
        given.addProperty("fault", fault);
        Settings settings = Settings.resolve(new FaultyStore().describe(), given);
        // A separate name for each: the store keeps the content of a directory.
        return new OpenRequest(Path.of("memory-" + directories++), Durability.PROCESS, settings, HINTS);
    }

    /** Replays the tape's lanes one after the other, as its description requires. */
    private static LaneOutcome replay(String fault, boolean latency) throws Exception {
        Store<byte[]> store = new FaultyStore().open(request(fault));
        Pool pool = Pool.open(VECTORS.resolve("pool.bin"));
        LaneOutcome whole = new LaneOutcome();
        try (TapeReader tape = TapeReader.open(VECTORS.resolve("every-operation.tape"))) {
            Lane<byte[]> lane = new Lane<>(store.form(), pool, Slices.none(), 1_000);
            for (int number = 0; number < tape.header().lanes().size(); number++) {
                try (Session<byte[]> session = store.session(new SessionPlan(false, false))) {
                    whole.merge(lane.replay(new Job(latency, true), tape.lane(number), session));
                }
                if (number == 0) {
                    // The tree of the second lane stands alone.
                    clear(store);
                }
            }
        }
        return whole;
    }

    private static void clear(Store<byte[]> store) throws Exception {
        try (Session<byte[]> session = store.session(new SessionPlan(false, false))) {
            for (String key : new String[] {"", "\0\u00ff../x", "b", "c"}) {
                session.delete(key.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rightAnswersAreFoundRight(boolean latency) throws Exception {
        LaneOutcome outcome = replay("none", latency);
        assertNull(outcome.firstWrong);
        assertEquals(0, outcome.answersWrong);
        assertTrue(outcome.answersChecked > 25, "%d answers".formatted(outcome.answersChecked));
        assertTrue(outcome.timedNs > 0 && outcome.allocatedBytes >= 0);
        JsonObject first = outcome.results(List.of()).get(0).getAsJsonObject();
        assertEquals("get", first.get("operation").getAsString());
        assertEquals(latency, first.has("latency"));
    }

    /** Blocks of equal operations have special code for preparing, executing and counting. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void blocksOfOperationsThatAreAlikeAreDoneAsAnyOthers(boolean latency) throws Exception {
        LaneOutcome whole = replayRight(latency, "alike.tape", 39);
        assertEquals(List.of("insert 26 1130", "update 15 651", "delete 1 0", "get 39 1565"), counts(whole));
    }

    /** Existence checks, scans of a prefix and first entries. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lookupsByPrefixAreFoundRight(boolean latency) throws Exception {
        LaneOutcome whole = replayRight(latency, "prefixes.tape", 63);
        List<String> kinds = counts(whole).stream()
                .map(of -> of.substring(0, of.lastIndexOf(' ')))
                .toList();
        assertEquals(List.of("exists 3", "first 28", "scan-prefix 31", "insert 5", "delete 1"), kinds);
    }

    /** Replays a committed tape on which this number of answers must all be right. */
    private static LaneOutcome replayRight(boolean latency, String name, long answers) throws Exception {
        LaneOutcome whole = replayInOneSession("none", latency, name, "pool.bin");
        assertNull(whole.firstWrong);
        assertEquals(0, whole.answersWrong);
        assertEquals(answers, whole.answersChecked);
        return whole;
    }

    /** For each kind: name, number, bytes. */
    private static List<String> counts(LaneOutcome outcome) {
        List<String> counts = new ArrayList<>();
        for (JsonElement element : outcome.results(List.of())) {
            JsonObject kind = element.getAsJsonObject();
            counts.add(kind.get("operation").getAsString() + " " + kind.get("operations") + " " + kind.get("bytes"));
        }
        return counts;
    }

    @ParameterizedTest
    @CsvSource({
        "wrong-value,first difference at byte",
        "missing-key,found nothing",
        "phantom-key,but the key is not there",
    })
    void wrongAnswersAreFoundWrong(String fault, String words) throws Exception {
        LaneOutcome outcome = replay(fault, true);
        assertTrue(outcome.answersWrong > 0);
        assertTrue(outcome.firstWrong.contains(words), outcome.firstWrong);
    }

    @ParameterizedTest
    @CsvSource({
        "error,STORE_ERROR,the store was asked to fail",
        "throw,STORE_ERROR,the store was asked to throw",
        "panic,PANIC,the store was asked to panic",
        "disk-full,DISK_FULL,No space left on device",
        "missing-library,STORE_ERROR,bakeoff-there-is-none",
    })
    void whatIsThrownEndsTheCellWithItsReason(String fault, Failure.Kind kind, String words) {
        Failure failure = assertThrows(Failure.class, () -> replay(fault, true));
        assertEquals(kind, failure.kind());
        assertTrue(failure.getMessage().startsWith("get of key `absent`: "), failure.getMessage());
        assertTrue(failure.getMessage().contains(words), failure.getMessage());
    }

    /** Replays a committed tape's lanes one after the other. */
    private static LaneOutcome replayInOneSession(String fault, boolean latency, String name, String pool)
            throws Exception {
        return replayInOneSession(fault, new Job(latency, true), name, pool);
    }

    private static LaneOutcome replayInOneSession(String fault, Job job, String name, String pool) throws Exception {
        Store<byte[]> store = new FaultyStore().open(request(fault));
        LaneOutcome whole = new LaneOutcome();
        try (TapeReader tape = TapeReader.open(VECTORS.resolve(name));
                Session<byte[]> session = store.session(new SessionPlan(false, false))) {
            Pool values = Pool.open(VECTORS.resolve(pool));
            WrittenValues written = new WrittenValues(values.bytes());
            tape.check(written);
            Slices<byte[]> slices = Slices.of(store.form(), values, written.slices());
            // Values at arbitrary places in the pool are cut when they are written.
            assertTrue(slices.all() != null || name.equals("prefixes.tape"));
            Lane<byte[]> lane = new Lane<>(store.form(), values, slices, 1_000);
            for (int number = 0; number < tape.header().lanes().size(); number++) {
                whole.merge(lane.replay(job, tape.lane(number), session));
            }
        }
        return whole;
    }

    /** Values of up to 20, 40 and 100 bytes. Gets that find nothing and deletes have no size. */
    @Test
    void latenciesAreKeptApartBySize() throws Exception {
        List<ValueSizes> sizes = List.of(new ValueSizes(0, 20), new ValueSizes(21, 40), new ValueSizes(41, 100));
        Job job = new Job(true, true, 0, null, sizes);
        LaneOutcome whole = replayInOneSession("none", job, "alike.tape", "pool.bin");
        List<String> counts = new ArrayList<>();
        for (JsonElement element : whole.results(sizes)) {
            JsonObject kind = element.getAsJsonObject();
            StringBuilder line = new StringBuilder(kind.get("operation").getAsString());
            if (kind.has("by_size")) {
                for (JsonElement each : kind.getAsJsonArray("by_size")) {
                    JsonObject of = each.getAsJsonObject();
                    line.append(" %s:%s".formatted(of.get("value_bytes_max"), of.get("operations")));
                    assertTrue(
                            of.getAsJsonObject("latency").get("latency_ns_p50").getAsLong() > 0);
                }
            }
            counts.add(line.toString());
        }
        List<String> expected =
                List.of("insert 20:4 40:20 100:2", "update 20:3 40:10 100:2", "delete", "get 20:4 40:29 100:2");
        assertEquals(expected, counts);
    }

    /** The committed tape of walks through serialised values: Java reads what Rust wrote. */
    private static LaneOutcome replaySerialised(String fault) throws Exception {
        return replayInOneSession(fault, true, "serialised.tape", "serialised.bin");
    }

    @Test
    void serialisedValuesAreRead() throws Exception {
        LaneOutcome outcome = replaySerialised("none");
        assertNull(outcome.firstWrong);
        assertEquals(15, outcome.answersChecked);
    }

    @Test
    void valuesThatCannotBeReadAreWrongAnswers() throws Exception {
        LaneOutcome outcome = replaySerialised("half-value");
        // FlatBuffers reads a single field without checking the rest, so these three answers stay right.
        assertEquals(12, outcome.answersWrong);
        assertTrue(outcome.firstWrong.contains("cannot be read as long"), outcome.firstWrong);
    }

    @Test
    void aChangedIdIsAWrongAnswer() throws Exception {
        LaneOutcome outcome = replaySerialised("wrong-value");
        // In codec long the last byte is part of the id. In the others it is padding, or part of the last access
        // right.
        assertTrue(outcome.answersWrong > 2, "%d answers".formatted(outcome.answersWrong));
        assertTrue(outcome.firstWrong.contains("expected object 90000"), outcome.firstWrong);
    }

    /** The harness allocates nothing while the clock runs, as the null store shows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theHarnessAllocatesNothingInsideTheClock(boolean latency) throws Exception {
        Store<byte[]> store = new NullStore().open(request("none"));
        Pool pool = Pool.open(VECTORS.resolve("pool.bin"));
        try (TapeReader tape = TapeReader.open(VECTORS.resolve("every-operation.tape"));
                Session<byte[]> session = store.session(new SessionPlan(false, false))) {
            Lane<byte[]> lane = new Lane<>(new ArrayForm(), pool, Slices.none(), 1_000);
            long least = Long.MAX_VALUE;
            // The first passes load classes.
            for (int pass = 0; pass < 100; pass++) {
                LaneOutcome outcome = lane.replay(new Job(latency, false), tape.lane(1), session);
                least = Math.min(least, outcome.allocatedBytes);
            }
            assertEquals(0, least);
        }
    }

    /** Eight bytes, and the ends of arrays and buffers, are the same for every byte order of a buffer. */
    @Test
    void formsShowTheSameBytes() {
        java.nio.ByteBuffer source = java.nio.ByteBuffer.allocateDirect(40);
        for (int at = 0; at < 40; at++) {
            source.put(at, (byte) (at * 37));
        }
        compare(new ArrayForm(), new BufferForm(), source);
    }

    private static <A, B> void compare(Form<A> arrays, Form<B> buffers, java.nio.ByteBuffer source) {
        A array = arrays.of(source, 3, 30);
        B buffer = buffers.of(source, 3, 30);
        for (int offset = 0; offset <= 22; offset++) {
            assertEquals(arrays.longAt(array, offset), buffers.longAt(buffer, offset));
        }
        java.util.zip.CRC32 one = new java.util.zip.CRC32();
        java.util.zip.CRC32 other = new java.util.zip.CRC32();
        arrays.checksum(array, one, new byte[30]);
        buffers.checksum(buffer, other, new byte[30]);
        assertEquals(one.getValue(), other.getValue());
        assertEquals(30, buffers.length(buffer), "a checksum leaves the buffer as it was");
    }
}
