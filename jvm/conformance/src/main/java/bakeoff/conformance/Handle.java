package bakeoff.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bakeoff.store.Direction;
import bakeoff.store.Form;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.tape.Hash;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A session with arrays as keys and values, for a store of any form.
 *
 * @param <B> that form
 */
final class Handle<B> {
    private static final byte[] BEFORE = {'b', 'e', 'f', 'o', 'r', 'e'};
    /** As long as the longest value of a check. */
    private static final byte[] OTHER_BYTES = new byte[2 << 20];

    static {
        for (int at = 0; at < OTHER_BYTES.length; at++) {
            OTHER_BYTES[at] = (byte) (at * 37);
        }
    }

    private static final long SEED = 7;

    private final Form<B> form;
    private final Session<B> session;
    /** The arguments of the current operation. */
    private final List<Given<B>> given = new ArrayList<>();

    /** A key or a value, its bytes, and the memory that it was made from or is a view of. */
    private record Given<B>(B made, byte[] bytes, ByteBuffer source) {}

    Handle(Form<B> form, Session<B> session) {
        this.form = form;
        this.session = session;
    }

    private B of(byte[] bytes) {
        // Bytes before and after the value must not count as part of it.
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + 2);
        buffer.put(1, bytes);
        B made = form.of(buffer, 1, bytes.length);
        given.add(new Given<>(made, bytes, buffer));
        return made;
    }

    /**
     * An operation is over. If the form promises that the store neither keeps nor changes its arguments, they must be
     * unchanged. Then they are overwritten with other bytes, beginning one byte later in a view.
     */
    private void over() {
        for (Given<B> one : given) {
            int length = form.length(one.made);
            if (form.lasts()) {
                byte[] now = form.array(one.made, new byte[length]);
                assertArrayEquals(one.bytes, now, "the arguments are unchanged");
            }
            one.source.put(2, OTHER_BYTES, 0, length);
            if (form.refill(one.made, one.source, 2, length)) {
                assertEquals(length, form.length(one.made));
                byte[] bytes = form.array(one.made, new byte[length]);
                assertTrue(Arrays.equals(OTHER_BYTES, 0, length, bytes, 0, length), "filled again");
            }
        }
        given.clear();
    }

    void insert(byte[] key, byte[] value) throws Exception {
        session.insert(of(key), of(value));
        over();
    }

    void update(byte[] key, byte[] value) throws Exception {
        session.update(of(key), of(value));
        over();
    }

    void upsert(byte[] key, byte[] value) throws Exception {
        session.upsert(of(key), of(value));
        over();
    }

    void delete(byte[] key) throws Exception {
        session.delete(of(key));
        over();
    }

    void commit() throws Exception {
        session.commit();
    }

    /** The value of a key, or null. The output is not empty before, and must keep its beginning. */
    byte[] get(byte[] key) throws Exception {
        Output output = new Output(2 << 20);
        output.append(BEFORE, 0, BEFORE.length);
        boolean found = session.get(of(key), output);
        over();
        byte[] kept = output.takeKept();
        assertArrayEquals(BEFORE, Arrays.copyOf(output.array(), BEFORE.length), "a get keeps what is in the output");
        if (kept != null) {
            assertTrue(found, "a get that finds nothing gives nothing");
            assertEquals(BEFORE.length, output.position(), "a value is kept or appended, not both");
            return kept.clone();
        }
        byte[] value = Arrays.copyOfRange(output.array(), BEFORE.length, output.position());
        assertTrue(found || value.length == 0, "a get that finds nothing appends nothing");
        return found ? value : null;
    }

    /** Whether a key exists. */
    boolean exists(byte[] key) throws Exception {
        Output output = new Output(2 << 20);
        boolean found = session.exists(of(key), output);
        over();
        return found;
    }

    /** The key of a walk's step finds what a key made beforehand finds. */
    byte[] getStep(long parent, byte[] name) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(name.length);
        buffer.put(0, name);
        Output output = new Output(1 << 12);
        boolean found = session.get(form.step(parent, buffer, 0, name.length), output);
        byte[] kept = output.takeKept();
        byte[] value = kept == null ? Arrays.copyOf(output.array(), output.position()) : kept;
        return found ? value : null;
    }

    /** The first {@code limit} entries of a scan. */
    List<Pair> scan(byte[] from, Direction direction, int limit) throws Exception {
        List<Pair> entries = new ArrayList<>();
        session.scan(from == null ? null : of(from), direction, (key, value) -> {
            assertTrue(entries.size() < limit, "the scan went on though it was told to stop");
            entries.add(new Pair(copy(key), copy(value)));
            return entries.size() < limit;
        });
        over();
        return entries;
    }

    List<Pair> scanAll(Direction direction) throws Exception {
        return scan(null, direction, Integer.MAX_VALUE);
    }

    /** Also compares the ways in which a form shows its bytes. */
    private byte[] copy(B bytes) {
        int length = form.length(bytes);
        byte[] copy = Arrays.copyOf(form.array(bytes, new byte[length]), length);
        Output output = new Output(length);
        form.copy(bytes, output);
        assertArrayEquals(copy, Arrays.copyOf(output.array(), output.position()));
        if (length > 0) {
            assertEquals(copy[length - 1], form.byteAt(bytes, length - 1));
        }
        if (length >= Long.BYTES) {
            long expected = ByteBuffer.wrap(copy)
                    .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                    .getLong(length - Long.BYTES);
            assertEquals(expected, form.longAt(bytes, length - Long.BYTES));
        }
        assertEquals(Hash.xxh64(copy, 0, length, SEED), form.xxh64(bytes, SEED));
        return copy;
    }
}
