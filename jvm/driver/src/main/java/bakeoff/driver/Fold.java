package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.store.Output;
import bakeoff.store.Visitor;
import bakeoff.tape.Consumer;
import java.util.zip.CRC32;

/**
 * Consumes the entries of a scan inside the clock, with the arithmetic of {@code docs/TAPE.md}. Each thread has one,
 * reset for each scan.
 *
 * @param <B> the form of keys and values
 */
final class Fold<B> implements Visitor<B> {
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final Form<B> form;
    private final Output output;
    private final byte[] scratch;
    private final CRC32 crc32 = new CRC32();
    private Consumer consumer;
    private boolean anyOrder;
    private long limit;
    private long entries;
    private long bytes;
    private long state;
    /** What was read and is no part of the state: kept, so that reading it is not left out. */
    private long seen;

    /** A fold for entries whose key and value have at most {@code bytesMax} bytes each. */
    Fold(Form<B> form, Output output, int bytesMax) {
        this.form = form;
        this.output = output;
        scratch = new byte[bytesMax];
    }

    /** Begins a scan of at most {@code limit} entries (unsigned, not 0). */
    void begin(Consumer consumer, boolean anyOrder, long limit) {
        this.consumer = consumer;
        this.anyOrder = anyOrder;
        this.limit = limit;
        entries = 0;
        bytes = 0;
        state = 0;
        crc32.reset();
    }

    @Override
    public boolean visit(B key, B value) {
        entries++;
        bytes += form.length(key) + form.length(value);
        switch (consumer) {
            case COUNT -> {}
            case TOUCH -> touch(key, value);
            case KEYS -> keys(key, value);
            case CRC32 -> crc32(key, value);
            case XXH64 -> xxh64(key, value);
            case COPY -> {
                form.copy(key, output);
                form.copy(value, output);
            }
        }
        return Long.compareUnsigned(entries, limit) < 0;
    }

    private void touch(B key, B value) {
        long ofValue = Long.rotateLeft(head(value) + 5 * tail(value), 32);
        add(ofKeyAndLengths(key, value) + ofValue);
    }

    private void keys(B key, B value) {
        seen ^= head(value) + tail(value);
        add(ofKeyAndLengths(key, value));
    }

    private long ofKeyAndLengths(B key, B value) {
        return head(key) + 3 * tail(key) + form.length(key) + ((long) form.length(value) << 20);
    }

    private void add(long entry) {
        if (anyOrder) {
            state += entry * MULTIPLIER;
        } else {
            state = (Long.rotateLeft(state, 5) ^ entry) * MULTIPLIER;
        }
    }

    private long head(B part) {
        return form.length(part) >= Long.BYTES ? form.longAt(part, 0) : fewer(part);
    }

    private long tail(B part) {
        int length = form.length(part);
        return length >= Long.BYTES ? form.longAt(part, length - Long.BYTES) : fewer(part);
    }

    /** Fewer than eight bytes as an integer. */
    private long fewer(B part) {
        long number = 0;
        for (int at = form.length(part) - 1; at >= 0; at--) {
            number = number << 8 | form.byteAt(part, at) & 0xff;
        }
        return number;
    }

    private void crc32(B key, B value) {
        if (anyOrder) {
            crc32.reset();
        }
        form.checksum(key, crc32, scratch);
        form.checksum(value, crc32, scratch);
        state = anyOrder ? state + crc32.getValue() : crc32.getValue();
    }

    private void xxh64(B key, B value) {
        long ofKey = form.xxh64(key, anyOrder ? 0 : state);
        long ofBoth = form.xxh64(value, ofKey);
        state = anyOrder ? state + ofBoth : ofBoth;
    }

    /** Entries visited. */
    long entries() {
        return entries;
    }

    /** Bytes of keys and values visited. */
    long bytes() {
        return bytes;
    }

    /** The consumer's state. */
    long state() {
        return state;
    }
}
