package bakeoff.conformance;

import static bakeoff.conformance.Fixture.BATCHED;
import static bakeoff.conformance.Fixture.EACH;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.SessionPlan;
import bakeoff.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Two concurrent threads, each writing its own keys, as on tapes. */
final class ThreadChecks {
    private static final int KEYS = 120;

    private ThreadChecks() {}

    static String twoThreads(Fixture fixture) throws Exception {
        Store<?> store = fixture.open();
        write(store, EACH, true);
        Fixture.in(store, EACH, ThreadChecks::compareContent);
        store.close();
        fixture.session(EACH, ThreadChecks::compareContent);
        return null;
    }

    static String twoThreadsInBatches(Fixture fixture) throws Exception {
        if (!fixture.can(Capability.BATCH)) {
            return "no batches";
        }
        Store<?> store = fixture.open();
        write(store, BATCHED, fixture.can(Capability.BATCH_READS));
        store.close();
        fixture.session(EACH, ThreadChecks::compareContent);
        return null;
    }

    private static void write(Store<?> store, SessionPlan plan, boolean reads) throws Exception {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int lane = 0; lane < 2; lane++) {
            int number = lane;
            tasks.add(new FutureTask<>(() -> {
                Fixture.in(store, plan, session -> writeLane(session, number, reads));
                return null;
            }));
        }
        tasks.forEach(task -> new Thread(task).start());
        for (FutureTask<Void> task : tasks) {
            task.get();
        }
    }

    /** Inserts, updates and deletes. The commit after every tenth key has an effect only in batches. */
    private static void writeLane(Handle<?> session, int lane, boolean reads) throws Exception {
        for (int index = 0; index < KEYS; index++) {
            byte[] key = key(lane, index);
            session.insert(key, Checks.bytes("first"));
            session.update(key, value(lane, index));
            if (reads) {
                assertArrayEquals(value(lane, index), session.get(key));
            }
            if (index % 4 == 3) {
                session.delete(key);
                if (reads) {
                    assertNull(session.get(key));
                }
            }
            if (index % 10 == 9) {
                session.commit();
            }
        }
        session.commit();
    }

    private static byte[] key(int lane, int index) {
        return Checks.bytes("%08d".formatted(index * 2 + lane));
    }

    private static byte[] value(int lane, int index) {
        byte[] value = new byte[index * 13 % 500];
        Arrays.fill(value, (byte) (lane * 100 + index));
        return value;
    }

    private static void compareContent(Handle<?> session) throws Exception {
        List<Pair> expected = new ArrayList<>();
        for (int index = 0; index < KEYS; index++) {
            for (int lane = 0; lane < 2 && index % 4 != 3; lane++) {
                expected.add(new Pair(key(lane, index), value(lane, index)));
            }
        }
        List<Pair> found = session.scanAll(Direction.ANY);
        found.sort(Pair.ORDER);
        assertEquals(expected, found);
    }
}
