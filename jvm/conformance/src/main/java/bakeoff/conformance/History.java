package bakeoff.conformance;

import bakeoff.tape.Hash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * An endless list of steps to write, determined by a seed, and the right content after any number of them. It is the
 * same list as in {@code crates/store/src/durability/history.rs}.
 */
final class History {
    /** Steps per batch. */
    static final long BATCH = 10;

    /** Few distinct keys, so that steps often have the same key. */
    private static final int KEYS = 60;

    private enum Kind {
        INSERT,
        UPDATE,
        UPSERT,
        DELETE
    }

    /** One write. */
    record Step(Kind kind, String key, byte[] value) {
        void take(Handle<?> handle) throws Exception {
            switch (kind) {
                case INSERT -> handle.insert(bytes(key), value);
                case UPDATE -> handle.update(bytes(key), value);
                case UPSERT -> handle.upsert(bytes(key), value);
                case DELETE -> handle.delete(bytes(key));
            }
        }
    }

    private final long seed;
    private long steps;
    /** For each key, the number of the step that wrote its value. */
    private final TreeMap<String, Long> model = new TreeMap<>();

    private History(long seed) {
        this.seed = seed;
    }

    /** The history after this number of steps. */
    static History after(long seed, long steps) {
        History history = new History(seed);
        while (history.steps < steps) {
            history.next();
        }
        return history;
    }

    /** The number of steps taken. */
    long steps() {
        return steps;
    }

    /** The next step, which then becomes part of the model. */
    Step next() {
        long index = steps++;
        long random = draw(seed, index);
        String key = "key %02d".formatted(Long.remainderUnsigned(random, KEYS));
        Kind kind = kind(model.containsKey(key), (int) (random >>> 32 & 7));
        if (kind == Kind.DELETE) {
            model.remove(key);
        } else {
            model.put(key, index);
        }
        return new Step(kind, key, value(index));
    }

    private static Kind kind(boolean isThere, int random) {
        if (isThere && random <= 1) {
            return Kind.DELETE;
        }
        if (isThere && random <= 4) {
            return Kind.UPDATE;
        }
        return !isThere && random <= 3 ? Kind.INSERT : Kind.UPSERT;
    }

    /** The right content, by key. */
    TreeMap<String, byte[]> content() {
        TreeMap<String, byte[]> content = new TreeMap<>();
        model.forEach((key, index) -> content.put(key, value(index)));
        return content;
    }

    /** Whether this is the right content. */
    boolean isContent(Map<String, byte[]> found) {
        return found.keySet().equals(model.keySet())
                && model.entrySet().stream()
                        .allMatch(entry -> Arrays.equals(found.get(entry.getKey()), value(entry.getValue())));
    }

    /** The value that a step wrote. Its length and all its bytes identify the step. */
    private byte[] value(long index) {
        long random = draw(seed ^ 1, index);
        // Mostly short, some longer than a page, a few long.
        int length =
                switch ((int) (random & 15)) {
                    case 0 -> 0;
                    case 1, 2, 3, 4, 5, 6, 7, 8, 9 -> (int) (random >>> 8 & 0xff);
                    case 15 -> (int) (random >>> 8 & 0x7fff);
                    default -> (int) (random >>> 8 & 0xfff);
                };
        byte[] value = new byte[length];
        for (int at = 0; at < length; at++) {
            value[at] = (byte) ((byte) Long.rotateLeft(random, at % 61) ^ (byte) at);
        }
        return value;
    }

    private static long draw(long seed, long index) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, index);
        return Hash.xxh64(bytes.array(), 0, Long.BYTES, seed);
    }

    static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }
}
