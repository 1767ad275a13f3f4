package bakeoff.store;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where answers go: an array with room for a block's right answers, made before the clock starts; or, for stores that return
 * an array of the caller's own, that array.
 */
public final class Output {
    private byte[] bytes;
    private int position;
    private byte[] kept;

    /** An output with room for so many bytes, which are touched. */
    public Output(int room) {
        bytes = new byte[room];
        Arrays.fill(bytes, (byte) 1);
    }

    /** Appends an answer that has to be copied. */
    public void append(ByteBuffer value) {
        int length = value.remaining();
        reserve(length);
        value.get(value.position(), bytes, position, length);
        position += length;
    }

    /** Appends bytes of an array that is not the caller's to keep. */
    public void append(byte[] value, int offset, int length) {
        reserve(length);
        System.arraycopy(value, offset, bytes, position, length);
        position += length;
    }

    /** Takes an answer that the store returned as an array of the caller's own, without copying it. */
    public void keep(byte[] value) {
        kept = value;
    }

    /** The array to which a library may write from {@link #position} on; then call {@link #advance}. */
    public byte[] array() {
        return bytes;
    }

    /** Where the next answer begins. */
    public int position() {
        return position;
    }

    /** Forgets what was given since {@code before} was the {@link #position}. */
    public void truncate(int before) {
        position = before;
        kept = null;
    }

    /** Says how many bytes were written to {@link #array}. */
    public void advance(int length) {
        position += length;
    }

    /** Makes room: more than was made beforehand is needed only by wrong answers. */
    public void reserve(int length) {
        if (bytes.length - position < length) {
            bytes = Arrays.copyOf(bytes, Math.addExact(position, Math.max(length, position)));
        }
    }

    /** The array that was kept since the last call, if any. */
    public byte[] takeKept() {
        byte[] array = kept;
        if (array != null) {
            kept = null;
        }
        return array;
    }

    /** Forgets everything. */
    public void clear() {
        position = 0;
        kept = null;
    }
}
