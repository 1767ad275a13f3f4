package bakeoff.store;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The destination of answers: an array with room for a block's right answers, made before the clock starts. If a store
 * returns an array that belongs to the caller, that array is kept instead.
 */
public final class Output {
    private byte[] bytes;
    private int position;
    private byte[] kept;

    /** An output with room for {@code room} bytes, all touched. */
    public Output(int room) {
        bytes = new byte[room];
        Arrays.fill(bytes, (byte) 1);
    }

    /** Appends an answer by copying it. */
    public void append(ByteBuffer value) {
        int length = value.remaining();
        reserve(length);
        value.get(value.position(), bytes, position, length);
        position += length;
    }

    /** Appends bytes of an array that the store owns. */
    public void append(byte[] value, int offset, int length) {
        reserve(length);
        System.arraycopy(value, offset, bytes, position, length);
        position += length;
    }

    /** Keeps an answer that the store returned as an array for the caller, without copying it. */
    public void keep(byte[] value) {
        kept = value;
    }

    /** The array into which a library may write from {@link #position} on. Call {@link #advance} afterwards. */
    public byte[] array() {
        return bytes;
    }

    /** The beginning of the next answer. */
    public int position() {
        return position;
    }

    /** Drops everything after {@code before}, an earlier {@link #position}. */
    public void truncate(int before) {
        position = before;
        kept = null;
    }

    /** Reports the number of bytes written to {@link #array}. */
    public void advance(int length) {
        position += length;
    }

    /** Ensures room. Only wrong answers need more room than was made beforehand. */
    public void reserve(int length) {
        if (bytes.length - position < length) {
            bytes = Arrays.copyOf(bytes, Math.addExact(position, Math.max(length, position)));
        }
    }

    /** The array kept since the last call, if any. */
    public byte[] takeKept() {
        byte[] array = kept;
        if (array != null) {
            kept = null;
        }
        return array;
    }

    /** Drops everything. */
    public void clear() {
        position = 0;
        kept = null;
    }
}
