package bakeoff.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Keys and values as arrays of exactly their length, each made anew, since stores may keep them. */
public final class ArrayForm implements Form<byte[]> {
    private static final VarHandle LITTLE = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle BIG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SOURCE =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** The usual length of keys. */
    private static final int KEY_BYTES = 16;
    /** Up to so many words are copied one by one: calling the copy routine takes longer. */
    private static final int WORDS_MAX = 8;
    /** The longest name in a path, and so the longest key of a step. */
    private static final int NAME_BYTES_MAX = 255;

    /** A key for each length, made beforehand. */
    private final byte[][] steps = new byte[Long.BYTES + NAME_BYTES_MAX + 1][];

    /** A form with its keys for walks. */
    public ArrayForm() {
        for (int length = Long.BYTES; length < steps.length; length++) {
            steps[length] = new byte[length];
        }
    }

    @Override
    public byte[] of(ByteBuffer source, int offset, int length) {
        // The compiler knows how to clear an array of a length that it knows: most keys are so long.
        byte[] bytes = length == KEY_BYTES ? new byte[KEY_BYTES] : new byte[length];
        if (length < Long.BYTES || length > WORDS_MAX * Long.BYTES) {
            source.get(offset, bytes);
            return bytes;
        }
        // The last word overlaps the one before unless the length is a multiple of it.
        int last = length - Long.BYTES;
        for (int at = 0; at < last; at += Long.BYTES) {
            LITTLE.set(bytes, at, (long) SOURCE.get(source, offset + at));
        }
        LITTLE.set(bytes, last, (long) SOURCE.get(source, offset + last));
        return bytes;
    }

    @Override
    public byte[] step(long parent, ByteBuffer source, int offset, int length) {
        byte[] key = steps[Long.BYTES + length];
        BIG.set(key, 0, parent);
        source.get(offset, key, Long.BYTES, length);
        return key;
    }

    @Override
    public int length(byte[] bytes) {
        return bytes.length;
    }

    @Override
    public long longAt(byte[] bytes, int offset) {
        return (long) LITTLE.get(bytes, offset);
    }

    @Override
    public byte byteAt(byte[] bytes, int offset) {
        return bytes[offset];
    }

    @Override
    public void copy(byte[] bytes, Output output) {
        output.append(bytes, 0, bytes.length);
    }

    @Override
    public byte[] array(byte[] bytes, byte[] scratch) {
        return bytes;
    }
}
