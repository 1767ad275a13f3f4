package bakeoff.tape;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The committed tapes of the recorder's tests are read here as there. */
final class VectorsTest {
    private static final Path VECTORS = Path.of("../../crates/tape/vectors");

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"every-operation", "prefixes", "alike", "empty", "serialised"})
    void tapesHoldWhatTheirDescriptionsSay(String name) throws Exception {
        JsonObject expected = JsonParser.parseString(Files.readString(VECTORS.resolve(name + ".json")))
                .getAsJsonObject();
        try (TapeReader tape = TapeReader.open(VECTORS.resolve(name + ".tape"))) {
            check(tape);
            TapeHeader header = tape.header();
            assertEquals(expected.get("tape_checksum").getAsString(), TapeHeader.hex(header.tapeChecksum()));
            assertEquals(expected.get("content_checksum").getAsString(), TapeHeader.hex(header.contentChecksum()));
            assertEquals(expected.get("operations").getAsLong(), header.operations());
            assertEquals(expected.get("pool_bytes").getAsLong(), header.poolBytes());
            assertEquals(expected.get("pool_checksum").getAsString(), TapeHeader.hex(header.poolChecksum()));
            assertEquals(expected.get("metadata").getAsString(), header.metadata());
            JsonArray lanes = expected.getAsJsonArray("lanes");
            assertEquals(lanes.size(), header.lanes().size());
            for (int lane = 0; lane < lanes.size(); lane++) {
                assertEquals(lanes.get(lane), records(tape.lane(lane)), "lane " + lane);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 24, 100, 1_000})
    void aWindowOfAnySizeShowsTheSameRecords(int windowBytes) throws Exception {
        try (TapeReader tape = TapeReader.open(VECTORS.resolve("every-operation.tape"))) {
            for (int lane = 0; lane < tape.header().lanes().size(); lane++) {
                assertEquals(records(tape.lane(lane)), records(tape.lane(lane, windowBytes)), "lane " + lane);
            }
        }
    }

    private static JsonArray records(LaneReader lane) throws TapeException {
        JsonArray records = new JsonArray();
        Record record = new Record();
        while (lane.next()) {
            int place = lane.first();
            for (int index = 0; index < lane.operations(); index++) {
                place = lane.read(place, record);
                records.add(json(record, lane.records()));
            }
        }
        return records;
    }

    private static JsonElement json(Record record, ByteBuffer block) {
        byte[] key = new byte[record.keyBytes()];
        block.get(record.keyOffset, key);
        JsonObject json = new JsonObject();
        json.addProperty("operation", record.operation().word());
        json.addProperty("flags", record.flags());
        json.addProperty("key", HexFormat.of().formatHex(key));
        json.addProperty("value_bytes", record.valueBytes());
        json.addProperty("value_offset", Long.toUnsignedString(record.valueOffset));
        if (record.has(Flags.DUE)) {
            json.addProperty("due_ns", Long.toUnsignedString(record.dueNs));
        }
        if (record.operation().isScan()) {
            JsonObject scan = new JsonObject();
            scan.addProperty("limit", new BigInteger(Long.toUnsignedString(record.limit)));
            scan.addProperty("entries", record.entries);
            scan.addProperty("bytes", record.bytes);
            scan.addProperty("checksum", TapeHeader.hex(record.checksum));
            scan.addProperty("consumer", record.consumer.word());
            json.add("scan", scan);
        }
        // Numbers are compared as text, as the parser keeps them.
        return JsonParser.parseString(json.toString());
    }

    @Test
    void thePoolIsTheOneTheTapesWereMadeFor() throws TapeException {
        Pool pool = Pool.open(VECTORS.resolve("pool.bin"));
        try (TapeReader tape = TapeReader.open(VECTORS.resolve("every-operation.tape"))) {
            assertEquals(tape.header().poolBytes(), pool.bytes());
            assertEquals(tape.header().poolChecksum(), pool.checksum());
        }
        assertEquals(pool.bytes(), pool.place(pool.bytes()), "a value of no bytes may lie at the end");
    }

    @Test
    void everyByteCounts() throws Exception {
        byte[] whole = Files.readAllBytes(VECTORS.resolve("every-operation.tape"));
        for (int at = 0; at < whole.length; at++) {
            byte[] bytes = whole.clone();
            bytes[at] ^= 0x41;
            assertThrows(TapeException.class, () -> readAll(bytes), "byte " + at);
        }
    }

    @Test
    void tapesOfAnotherLengthAreRefused() throws Exception {
        byte[] whole = Files.readAllBytes(VECTORS.resolve("every-operation.tape"));
        for (int length : new int[] {0, 7, 8, 71, 72, 200, whole.length - 1, whole.length + 1}) {
            byte[] bytes = java.util.Arrays.copyOf(whole, length);
            assertThrows(TapeException.class, () -> readAll(bytes), length + " bytes");
        }
    }

    /** Damage with valid checksums is refused with a message, or gives another tape, but never anything else. */
    @Test
    void bytesThatChecksumsAgreeWithNeverCrashAReader() throws Exception {
        byte[] whole = Files.readAllBytes(VECTORS.resolve("every-operation.tape"));
        int refused = 0;
        for (int at = 8; at < whole.length; at++) {
            for (int mask : new int[] {1, 0x10, 0x80, 0xff}) {
                byte[] bytes = whole.clone();
                bytes[at] ^= (byte) mask;
                seal(bytes);
                try {
                    readAll(bytes);
                } catch (TapeException damaged) {
                    assertTrue(damaged.getMessage().contains("damaged.tape"), damaged.getMessage());
                    refused++;
                }
            }
        }
        assertTrue(refused > 1_000, "only %d were refused".formatted(refused));
    }

    @Test
    void brokenRulesAreNamed() throws Exception {
        byte[] whole = Files.readAllBytes(VECTORS.resolve("every-operation.tape"));
        int record = (int) number(whole, 72) + 24;
        for (Object[] broken : List.<Object[]>of(
                new Object[] {0, 13, "record is malformed (first byte 13)"},
                new Object[] {1, 0x40, "flags is 0x40, expected bits of 0x2d in get"},
                new Object[] {1, Flags.ANY_ORDER, "flags is 0x10"},
                new Object[] {1, Flags.FOUND, "output_bytes"})) {
            byte[] bytes = whole.clone();
            bytes[record + (int) broken[0]] = ((Integer) broken[1]).byteValue();
            bytes[record + 4] = 1;
            seal(bytes);
            String message =
                    assertThrows(TapeException.class, () -> readAll(bytes)).getMessage();
            assertTrue(message.contains((String) broken[2]), message);
        }
    }

    @Test
    void everyRuleHasATapeThatIsRefusedForIt() throws Exception {
        JsonArray refused = JsonParser.parseString(Files.readString(VECTORS.resolve("refused.json")))
                .getAsJsonArray();
        assertTrue(refused.size() > 50, "only %d".formatted(refused.size()));
        for (JsonElement element : refused) {
            JsonObject vector = element.getAsJsonObject();
            byte[] bytes = HexFormat.of().parseHex(vector.get("tape").getAsString());
            String rule =
                    vector.get("name").getAsString() + ": " + vector.get("rule").getAsString();
            assertThrows(TapeException.class, () -> readAll(bytes), rule);
        }
    }

    @Test
    void missingAndForeignFilesAreNamed() throws Exception {
        Path missing = temporary.resolve("missing.tape");
        assertTrue(assertThrows(TapeException.class, () -> TapeReader.open(missing))
                .getMessage()
                .contains("missing.tape"));
        byte[] foreign = "PAR1 and so on, long enough to hold a header of seventy-two bytes, and more".getBytes();
        String message =
                assertThrows(TapeException.class, () -> readAll(foreign)).getMessage();
        assertTrue(message.contains("is not a tape"), message);
    }

    private void readAll(byte[] bytes) throws TapeException, IOException {
        Path path = temporary.resolve("damaged.tape");
        Files.write(path, bytes);
        try (TapeReader tape = TapeReader.open(path)) {
            check(tape);
        }
    }

    private static void check(TapeReader tape) throws TapeException {
        tape.check(new WrittenValues(tape.header().poolBytes()));
    }

    /** A checked tape is not checked again, so it must be unchanged when a lane begins and ends. */
    @Test
    void aTapeThatIsWrittenToAfterItWasCheckedIsRefused() throws Exception {
        Path path = temporary.resolve("written.tape");
        Files.copy(VECTORS.resolve("every-operation.tape"), path);
        try (TapeReader tape = TapeReader.open(path)) {
            check(tape);
            LaneReader begun = tape.lane(0);
            Files.setLastModifiedTime(path, FileTime.fromMillis(0));
            for (Executable reading :
                    List.<Executable>of(() -> records(begun), () -> tape.lane(0), () -> check(tape))) {
                String message = assertThrows(TapeException.class, reading).getMessage();
                assertTrue(message.contains("was changed after it was checked"), message);
            }
        }
    }

    /** Without a check of the whole tape, each block is checked when it is read. */
    @Test
    void blocksOfATapeThatWasNotCheckedAreChecked() throws Exception {
        byte[] bytes = Files.readAllBytes(VECTORS.resolve("every-operation.tape"));
        bytes[(int) number(bytes, 72) + 24 + 1] ^= 1;
        Path path = temporary.resolve("damaged.tape");
        Files.write(path, bytes);
        try (TapeReader tape = TapeReader.open(path)) {
            LaneReader lane = tape.lane(0);
            String message = assertThrows(TapeException.class, lane::next).getMessage();
            assertTrue(message.contains("checksum of a block"), message);
        }
    }

    private static long number(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
    }

    /** Corrects the checksums, so that only other rules can detect damage. */
    private static void seal(byte[] bytes) {
        ByteBuffer tape = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        List<Long> checksums = new ArrayList<>();
        long at = Math.max(0, tape.getLong(72));
        while (at + 24 <= bytes.length) {
            long length = Math.min(tape.getInt((int) at) & 0xffff_ffffL, bytes.length - at - 24);
            long checksum = Hash.xxh64(bytes, (int) at + 24, (int) length, 0);
            tape.putLong((int) at + 16, checksum);
            checksums.add(checksum);
            at += 24 + length;
        }
        ByteBuffer content = ByteBuffer.allocate(checksums.size() * 8).order(ByteOrder.LITTLE_ENDIAN);
        checksums.forEach(content::putLong);
        tape.putLong(56, Hash.xxh64(content.array(), 0, content.capacity(), 0));
        tape.putLong(64, 0);
        int headerBytes = Math.min(Math.max(0, tape.getInt(12)), bytes.length);
        tape.putLong(64, Hash.xxh64(bytes, 0, headerBytes, 0));
    }

    @Test
    void emptyLanesHaveNoBlocks() throws TapeException {
        try (TapeReader tape = TapeReader.open(VECTORS.resolve("empty.tape"))) {
            assertFalse(tape.lane(0).next());
        }
    }
}
