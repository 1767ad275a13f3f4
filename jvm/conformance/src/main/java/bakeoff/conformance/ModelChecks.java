package bakeoff.conformance;

import static bakeoff.conformance.Fixture.EACH;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.SessionPlan;
import bakeoff.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** Random operations and random scans, compared with a {@link TreeMap}. The same every time. */
final class ModelChecks {
    private static final byte[] KEY_BYTES = {0, 1, '.', '/', 'a', 'A', 'b', 0x7f, (byte) 0x80, (byte) 0xff};
    private static final int[] LENGTHS = {0, 40, 100, 300, 1_900, 2_200, 4_000, 9_000};

    private final Fixture fixture;
    private final Random random;
    private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

    private ModelChecks(Fixture fixture, long seed) {
        this.fixture = fixture;
        random = new Random(seed);
    }

    static String randomOperations(Fixture fixture) throws Exception {
        for (int seed = 0; seed < fixture.cases(); seed++) {
            try (Fixture fresh = fixture.fresh()) {
                new ModelChecks(fresh, seed).operate();
            }
        }
        return null;
    }

    private void operate() throws Exception {
        Store<?> store = fixture.open();
        int parts = 1 + random.nextInt(4);
        for (int part = 0; part < parts; part++) {
            boolean batched = random.nextBoolean() && fixture.can(Capability.BATCH);
            Fixture.in(store, new SessionPlan(batched, false), session -> {
                int steps = 1 + random.nextInt(60);
                for (int step = 0; step < steps; step++) {
                    step(session, batched);
                }
                session.commit();
            });
            if (random.nextBoolean()) {
                store.close();
                store = fixture.open();
            }
        }
        store.close();
        fixture.session(EACH, this::compareContent);
    }

    private void step(Handle<?> session, boolean batched) throws Exception {
        int kind = random.nextInt(14);
        if (kind >= 8 && batched && !fixture.can(Capability.BATCH_READS)) {
            session.commit();
        }
        byte[] key = key();
        if (kind < 4) {
            write(session, key, value());
        } else if (kind < 6) {
            byte[] value = value();
            session.upsert(key, value);
            model.put(key, value);
        } else if (kind < 8) {
            session.delete(key);
            model.remove(key);
        } else if (kind < 11) {
            assertArrayEquals(model.get(key), session.get(key));
            assertEquals(model.containsKey(key), session.exists(key));
        } else if (kind == 11 && fixture.can(Capability.SCAN_FROM)) {
            compareScan(session, key, random.nextBoolean(), 1 + random.nextInt(8));
        } else if (kind == 12 && fixture.can(Capability.SCAN_ORDERED)) {
            compareScan(session, null, random.nextBoolean(), Integer.MAX_VALUE);
        } else if (kind == 13) {
            session.commit();
        }
    }

    private void write(Handle<?> session, byte[] key, byte[] value) throws Exception {
        if (model.containsKey(key)) {
            session.update(key, value);
        } else {
            session.insert(key, value);
        }
        model.put(key, value);
    }

    /** Few distinct keys, so that operations often have the same key. Some have bytes at both ends of the order. */
    private byte[] key() {
        int least = (int) fixture.description.keyBytesMin();
        byte[] key = new byte[least + random.nextInt(4 - least)];
        for (int at = 0; at < key.length; at++) {
            key[at] = KEY_BYTES[random.nextInt(KEY_BYTES.length)];
        }
        return key;
    }

    /** Values on both sides of the size from which stores keep them away from the key. */
    private byte[] value() {
        int range = 2 * random.nextInt(LENGTHS.length / 2);
        byte[] value = new byte[LENGTHS[range] + random.nextInt(LENGTHS[range + 1] - LENGTHS[range])];
        Arrays.fill(value, (byte) random.nextInt());
        return value;
    }

    private void compareContent(Handle<?> session) throws Exception {
        List<Pair> found = session.scanAll(Direction.ANY);
        found.sort(Pair.ORDER);
        assertEquals(range(null, false, Integer.MAX_VALUE), found);
    }

    private void compareScan(Handle<?> session, byte[] from, boolean reverse, int limit) throws Exception {
        Direction direction = reverse ? Direction.REVERSE : Direction.FORWARD;
        assertEquals(range(from, reverse, limit), session.scan(from, direction, limit));
    }

    /** The result of a scan of the model. */
    private List<Pair> range(byte[] from, boolean reverse, int limit) {
        NavigableMap<byte[], byte[]> part = reverse ? model.descendingMap() : model;
        if (from != null) {
            part = part.tailMap(from, true);
        }
        List<Pair> pairs = new ArrayList<>();
        part.forEach((key, value) -> pairs.add(new Pair(key, value)));
        return pairs.subList(0, Math.min(limit, pairs.size()));
    }

    static String scansFromAnyKey(Fixture fixture) throws Exception {
        if (!fixture.can(Capability.SCAN_FROM)) {
            fixture.session(
                    EACH,
                    session -> assertThrows(
                            Exception.class,
                            () -> session.scan(Checks.bytes("key"), Direction.FORWARD, 1),
                            "it is refused"));
            return "no scans from a key";
        }
        for (int seed = 0; seed < fixture.cases(); seed++) {
            try (Fixture fresh = fixture.fresh()) {
                new ModelChecks(fresh, seed).scans();
            }
        }
        return null;
    }

    private void scans() throws Exception {
        int keys = random.nextInt(120);
        while (model.size() < keys) {
            byte[] key = key();
            model.put(key, Checks.bytes("value " + Arrays.toString(key)));
        }
        fixture.session(new SessionPlan(fixture.can(Capability.BATCH), false), session -> {
            for (var entry : model.descendingMap().entrySet()) {
                session.insert(entry.getKey(), entry.getValue());
            }
            session.commit();
            for (int scan = 0; scan < 20; scan++) {
                byte[] from = key();
                compareScan(session, from, false, Integer.MAX_VALUE);
                compareScan(session, from, true, Integer.MAX_VALUE);
                compareScan(session, from, scan % 2 == 0, 1 + random.nextInt(11));
            }
        });
    }
}
