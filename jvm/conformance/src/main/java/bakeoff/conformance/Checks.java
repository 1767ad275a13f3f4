package bakeoff.conformance;

import static bakeoff.conformance.Fixture.BATCHED;
import static bakeoff.conformance.Fixture.EACH;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.SessionPlan;
import bakeoff.store.Store;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Checks with a scenario, one guarantee each. They return null, or why a store does not offer it. */
final class Checks {
    /** No tape has longer keys, so a limit above this is not checked. */
    private static final int RECORD_KEY_BYTES_MAX = 0xffff;

    private static final String NO_BATCH = "no batches";

    private Checks() {}

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static void assertValue(String expected, byte[] value) {
        assertArrayEquals(bytes(expected), value);
    }

    static String createReadUpdateDelete(Fixture fixture) throws Exception {
        fixture.session(EACH, session -> {
            session.insert(bytes("key"), bytes("first"));
            session.insert(bytes("keys"), bytes("other"));
            assertValue("first", session.get(bytes("key")));
            session.update(bytes("key"), bytes("a longer second value"));
            assertValue("a longer second value", session.get(bytes("key")));
            session.update(bytes("key"), bytes("3"));
            assertValue("3", session.get(bytes("key")));
            session.delete(bytes("key"));
            assertNull(session.get(bytes("key")));
            assertValue("other", session.get(bytes("keys")));
            session.insert(bytes("key"), bytes("again"));
            assertValue("again", session.get(bytes("key")));
        });
        return null;
    }

    /** Keys that a file system, a C string, a query or a number parser might misinterpret. */
    static String oddKeys(Fixture fixture) throws Exception {
        List<byte[]> keys = new ArrayList<>();
        for (String key : List.of(
                "",
                "\0",
                "\0\0",
                "a\0",
                "a\0b",
                "a",
                "A",
                "Key",
                "key",
                ".",
                "..",
                "../x",
                "../../x",
                "/",
                "/etc/passwd",
                "a/b",
                "a/",
                "a//b",
                "~",
                "~1",
                "%",
                "%00",
                "%empty",
                "%2e",
                "con",
                " ",
                "'; DROP TABLE record; --",
                "\u00ff",
                "\u00ff\u00fe",
                "\u00c3\u00a9",
                "0",
                "../".repeat(100) + "x")) {
            if (key.length() >= fixture.description.keyBytesMin()
                    && key.length() <= fixture.description.keyBytesMax()) {
                keys.add(bytes(key));
            }
        }
        fixture.session(EACH, session -> {
            for (byte[] key : keys) {
                assertNull(session.get(key), "a key is there before it is written");
                session.insert(key, valueOf(key));
            }
            for (byte[] key : keys) {
                assertArrayEquals(valueOf(key), session.get(key));
            }
            assertEquals(keys.size(), session.scanAll(Direction.ANY).size());
        });
        fixture.assertContained();
        fixture.session(EACH, session -> {
            for (byte[] key : keys) {
                assertArrayEquals(valueOf(key), session.get(key), "after reopening");
                session.update(key, bytes("new"));
                assertValue("new", session.get(key));
                session.delete(key);
                assertNull(session.get(key), "a key that was removed");
            }
            assertEquals(List.of(), session.scanAll(Direction.ANY));
        });
        fixture.assertContained();
        return null;
    }

    private static byte[] valueOf(byte[] key) {
        return bytes(new String(key, ISO_8859_1) + " is the key");
    }

    /**
     * The longest key in the store's description is stored. Longer and shorter keys are refused, if a tape can hold
     * them.
     */
    static String longestKeys(Fixture fixture) throws Exception {
        long least = fixture.description.keyBytesMin();
        long most = fixture.description.keyBytesMax();
        if (least > 0) {
            assertRefused(fixture, (int) least - 1);
        }
        if (most < RECORD_KEY_BYTES_MAX) {
            assertRefused(fixture, (int) most + 1);
        }
        int length = (int) Math.min(most, RECORD_KEY_BYTES_MAX);
        List<byte[]> keys = new ArrayList<>(List.of(
                filled(length, 'a'),
                filled(length, 0xff),
                filled(length - 1, 'a'),
                filled(length - 1, 0xff),
                filled(length, 'a')));
        keys.get(4)[length - 1] = '.';
        fixture.session(EACH, session -> {
            for (int index = 0; index < keys.size(); index++) {
                session.insert(keys.get(index), new byte[] {(byte) index});
                session.upsert(keys.get(index), new byte[] {(byte) index, 1});
            }
        });
        fixture.session(EACH, session -> {
            for (int index = 0; index < keys.size(); index++) {
                assertArrayEquals(new byte[] {(byte) index, 1}, session.get(keys.get(index)), "key " + index);
            }
            List<Pair> found = session.scanAll(Direction.ANY);
            found.sort(Pair.ORDER);
            keys.sort(Arrays::compareUnsigned);
            assertEquals(keys.size(), found.size());
            for (int index = 0; index < keys.size(); index++) {
                assertArrayEquals(keys.get(index), found.get(index).key());
            }
        });
        return null;
    }

    private static void assertRefused(Fixture fixture, int length) throws Exception {
        try (Fixture fresh = fixture.fresh()) {
            byte[] key = filled(length, 'a');
            fresh.session(
                    EACH,
                    session -> assertThrows(
                            Exception.class,
                            () -> session.insert(key, bytes("not to be kept")),
                            () -> "a key of %d bytes is taken".formatted(length)));
        }
    }

    private static byte[] filled(int length, int with) {
        byte[] array = new byte[length];
        Arrays.fill(array, (byte) with);
        return array;
    }

    static String values(Fixture fixture) throws Exception {
        byte[] large = new byte[1 << 20];
        new Random(1).nextBytes(large);
        fixture.session(EACH, session -> {
            session.insert(bytes("empty"), new byte[0]);
            session.insert(bytes("large"), large);
            session.insert(bytes("zeros"), new byte[5_000]);
            session.insert(bytes("shrinks"), large);
            session.update(bytes("shrinks"), new byte[0]);
            session.insert(bytes("grows"), new byte[0]);
            session.update(bytes("grows"), large);
        });
        fixture.session(EACH, session -> {
            assertArrayEquals(new byte[0], session.get(bytes("empty")));
            assertTrue(Arrays.equals(large, session.get(bytes("large"))));
            assertArrayEquals(new byte[5_000], session.get(bytes("zeros")));
            assertArrayEquals(new byte[0], session.get(bytes("shrinks")));
            assertTrue(Arrays.equals(large, session.get(bytes("grows"))));
            int sum = session.scanAll(Direction.ANY).stream()
                    .mapToInt(pair -> pair.value().length)
                    .sum();
            assertEquals(2 * large.length + 5_000, sum);
        });
        return null;
    }

    /**
     * Deleting a missing key does nothing. Inserting an existing key is an error, or a write if the description allows
     * that. Updating a missing key may do nothing, write it, or be an error. None of them may damage anything else.
     */
    static String missingAndPresent(Fixture fixture) throws Exception {
        fixture.session(EACH, session -> {
            byte[] missing = bytes("missing");
            byte[] present = bytes("present");
            assertNull(session.get(missing));
            session.delete(missing);
            session.insert(present, bytes("kept"));
            if (fixture.can(Capability.INSERT_REFUSES)) {
                assertThrows(Exception.class, () -> session.insert(present, bytes("other")));
            } else {
                session.insert(present, bytes("other"));
                assertValue("other", session.get(present));
                session.insert(present, bytes("kept"));
            }
            assertValue("kept", session.get(present));
            boolean updated = updates(session, missing);
            byte[] value = session.get(missing);
            assertTrue(
                    value == null || updated && Arrays.equals(bytes("value"), value),
                    "after an update of a missing key");
            session.delete(missing);
            session.delete(missing);
            session.insert(missing, bytes("no more"));
            assertValue("no more", session.get(missing));
            assertValue("kept", session.get(present));
        });
        return null;
    }

    private static boolean updates(Handle<?> session, byte[] missing) {
        try {
            session.update(missing, bytes("value"));
            return true;
        } catch (Exception refused) {
            return false;
        }
    }

    static String upsert(Fixture fixture) throws Exception {
        fixture.session(EACH, session -> {
            for (String value : List.of("first", "second", "", "fourth")) {
                session.upsert(bytes("key"), bytes(value));
                assertValue(value, session.get(bytes("key")));
            }
            assertEquals(List.of(new Pair(bytes("key"), bytes("fourth"))), session.scanAll(Direction.ANY));
        });
        return null;
    }

    static String batch(Fixture fixture) throws Exception {
        Store<?> store = fixture.open();
        if (!fixture.can(Capability.BATCH)) {
            assertThrows(Exception.class, () -> Fixture.in(store, BATCHED, session -> {}), "a batch is refused");
            store.close();
            return NO_BATCH;
        }
        boolean reads = fixture.can(Capability.BATCH_READS);
        Fixture.in(store, BATCHED, session -> {
            session.commit();
            for (int index = 0; index < 250; index++) {
                byte[] key = {'k', (byte) index};
                session.insert(key, new byte[] {(byte) index});
                if (reads) {
                    assertArrayEquals(new byte[] {(byte) index}, session.get(key), "a batch sees its own writes");
                } else {
                    assertThrows(Exception.class, () -> session.get(key));
                    assertThrows(Exception.class, () -> session.scanAll(Direction.ANY));
                }
                if (index % 50 == 49) {
                    session.commit();
                }
            }
            byte[] first = {'k', 0};
            session.delete(first);
            session.update(new byte[] {'k', 1}, bytes("updated"));
            if (reads) {
                assertNull(session.get(first));
                assertEquals(249, session.scanAll(Direction.ANY).size(), "a scan sees the batch");
            }
            session.commit();
            session.commit();
            assertNull(session.get(first));
        });
        Fixture.in(store, EACH, session -> {
            assertValue("updated", session.get(new byte[] {'k', 1}));
            session.insert(bytes("alone"), new byte[0]);
            session.commit();
        });
        store.close();
        fixture.session(
                EACH,
                session -> assertEquals(250, session.scanAll(Direction.ANY).size()));
        return reads ? null : "no reads inside a batch";
    }

    /** A session that ends inside a batch leaves a store that others can use. */
    static String unfinishedBatch(Fixture fixture) throws Exception {
        if (!fixture.can(Capability.BATCH)) {
            return NO_BATCH;
        }
        Store<?> store = fixture.open();
        Fixture.in(store, BATCHED, session -> {
            session.insert(bytes("acknowledged"), bytes("1"));
            session.commit();
            session.insert(bytes("unfinished"), bytes("2"));
        });
        Fixture.in(store, BATCHED, session -> {
            session.upsert(bytes("later"), bytes("3"));
            session.commit();
        });
        store.close();
        fixture.session(EACH, session -> {
            assertValue("1", session.get(bytes("acknowledged")));
            assertValue("3", session.get(bytes("later")));
            if (fixture.can(Capability.ATOMIC_BATCH)) {
                assertNull(session.get(bytes("unfinished")), "a batch that is not committed is dropped as a whole");
            }
        });
        return null;
    }

    static String ascending(Fixture fixture) throws Exception {
        fixture.session(new SessionPlan(fixture.can(Capability.BATCH), true), session -> {
            for (int index = 0; index < 300; index++) {
                session.insert(integer(index), integer(index));
            }
            session.commit();
        });
        fixture.session(EACH, session -> {
            for (int index = 0; index < 300; index++) {
                assertArrayEquals(integer(index), session.get(integer(index)));
            }
            session.insert(new byte[] {0}, bytes("below the others"));
            assertEquals(301, session.scanAll(Direction.ANY).size());
        });
        return null;
    }

    private static byte[] integer(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    /** A key composed inside the clock finds the entry written under a key made beforehand. */
    static String walkKeys(Fixture fixture) throws Exception {
        fixture.session(EACH, session -> {
            for (String name : List.of("", "usr", "a".repeat(255))) {
                byte[] key = ByteBuffer.allocate(8 + name.length())
                        .putLong(77)
                        .put(bytes(name))
                        .array();
                session.insert(key, bytes("value of " + name));
                assertValue("value of " + name, session.getStep(77, bytes(name)));
                assertNull(session.getStep(78, bytes(name)));
            }
        });
        return null;
    }

    /** Entries in key order. Their keys differ in length and share prefixes, and their values differ in length. */
    private static List<Pair> sample() {
        List<Pair> sample = new ArrayList<>();
        for (int index = 0; index < 200; index++) {
            byte[] key =
                    switch (index % 3) {
                        case 0 -> integer(index);
                        case 1 -> bytes("key " + index);
                        default -> filled(1 + index % 40, index);
                    };
            sample.add(new Pair(key, filled(index * 7 % 900, index)));
        }
        sample.sort(Pair.ORDER);
        return sample;
    }

    private static List<Pair> fill(Fixture fixture) throws Exception {
        List<Pair> sample = sample();
        List<Pair> shuffled = new ArrayList<>(sample);
        Collections.shuffle(shuffled, new Random(1));
        fixture.session(EACH, session -> {
            for (Pair pair : shuffled) {
                session.insert(pair.key(), pair.value());
            }
        });
        return sample;
    }

    static String scanAnyOrder(Fixture fixture) throws Exception {
        if (!fixture.can(Capability.SCAN_ANY_ORDER)) {
            return "no scans";
        }
        List<Pair> expected = fill(fixture);
        fixture.session(EACH, session -> {
            List<Pair> found = session.scanAll(Direction.ANY);
            found.sort(Pair.ORDER);
            assertEquals(expected, found);
            assertEquals(7, session.scan(null, Direction.ANY, 7).size());
        });
        return null;
    }

    static String scanOrdered(Fixture fixture) throws Exception {
        if (!fixture.can(Capability.SCAN_ORDERED)) {
            return "no order";
        }
        List<Pair> expected = fill(fixture);
        List<Pair> backwards = new ArrayList<>(expected);
        Collections.reverse(backwards);
        fixture.session(EACH, session -> {
            assertEquals(expected, session.scanAll(Direction.FORWARD));
            assertEquals(backwards, session.scanAll(Direction.REVERSE));
            assertEquals(expected.subList(0, 7), session.scan(null, Direction.FORWARD, 7));
            assertEquals(backwards.subList(0, 7), session.scan(null, Direction.REVERSE, 7));
        });
        return null;
    }

    static String reopen(Fixture fixture) throws Exception {
        List<Pair> expected = fill(fixture);
        List<Pair> left = new ArrayList<>();
        fixture.session(EACH, session -> {
            for (int index = 0; index < expected.size(); index++) {
                Pair pair = expected.get(index);
                assertArrayEquals(pair.value(), session.get(pair.key()));
                if (index % 2 == 0) {
                    session.delete(pair.key());
                } else {
                    left.add(pair);
                }
            }
        });
        fixture.session(EACH, session -> {
            List<Pair> found = session.scanAll(Direction.ANY);
            found.sort(Pair.ORDER);
            assertEquals(left, found);
        });
        return null;
    }

    /** The copy opens as the store does, has the same entries, and no space for deleted ones. */
    static String compactedCopy(Fixture fixture) throws Exception {
        if (!fixture.can(Capability.COMPACTED_COPY)) {
            return "no compacted copy";
        }
        List<Pair> expected = fill(fixture);
        try (Fixture copy = fixture.fresh()) {
            Store<?> store = fixture.open();
            Fixture.in(store, EACH, session -> {
                for (Pair pair : expected.subList(1, expected.size())) {
                    session.delete(pair.key());
                }
            });
            store.compactedCopy(copy.directory());
            store.close();
            long bytes = 0;
            try (DirectoryStream<Path> files = Files.newDirectoryStream(copy.directory())) {
                for (Path file : files) {
                    bytes += Files.size(file);
                }
            }
            assertTrue(bytes < 64 << 10, "the copy of one small entry takes " + bytes + " bytes");
            copy.session(EACH, session -> {
                assertEquals(expected.subList(0, 1), session.scanAll(Direction.ANY));
                session.insert(bytes("a copy can be written to"), bytes(""));
            });
        }
        return null;
    }
}
