package bakeoff.store;

import bakeoff.tape.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Keys and values as arrays of exactly their length. */
public final class ArrayForm implements Form<byte[]> {
    private static final VarHandle LITTLE = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle BIG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SOURCE =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** The length of decimal keys, as in most papers. */
    private static final int KEY_BYTES = 16;
    /** The length of hashed keys, the default in suites. */
    private static final int HASH_BYTES = 32;
    /** Up to this number of words, copying one by one is faster than a call of the copy routine. */
    private static final int WORDS_MAX = 4;
    /** The longest name in a path, which bounds the keys of steps. */
    private static final int NAME_BYTES_MAX = 255;

    /** A key for each length, made beforehand. */
    private final byte[][] steps = new byte[Long.BYTES + NAME_BYTES_MAX + 1][];

    private final boolean lasts;

    /** Each array is new: for a store that may keep one. */
    public ArrayForm() {
        this(false);
    }

    /**
     * For a store that copies its arguments ({@code lasts}): arrays are reused. Otherwise the harness's arrays would be
     * collected and count as the store's garbage.
     */
    public ArrayForm(boolean lasts) {
        this.lasts = lasts;
        for (int length = Long.BYTES; length < steps.length; length++) {
            steps[length] = new byte[length];
        }
    }

    @Override
    public byte[] of(ByteBuffer source, int offset, int length) {
        if (source.hasArray() && length > HASH_BYTES) {
            // Java does not clear such an array before filling it.
            int begin = source.arrayOffset() + offset;
            return Arrays.copyOfRange(source.array(), begin, begin + length);
        }
        // With a constant length, the compiler generates better code for clearing.
        byte[] bytes = length == KEY_BYTES ? new byte[KEY_BYTES] : new byte[length];
        fill(bytes, source, offset, length);
        return bytes;
    }

    @Override
    public boolean lasts() {
        return lasts;
    }

    @Override
    public byte[][] newArray(int count) {
        return new byte[count][];
    }

    @Override
    public boolean refill(byte[] made, ByteBuffer source, int offset, int length) {
        if (!lasts || made.length != length) {
            return false;
        }
        fill(made, source, offset, length);
        return true;
    }

    @Override
    public int refillAll(byte[][] made, int count, ByteBuffer source, int[] places, int shift, int length) {
        if (!lasts) {
            return 0;
        }
        if (source.hasArray()) {
            return copyAll(made, count, source.array(), source.arrayOffset() + shift, places, length);
        }
        return switch (length) {
            case KEY_BYTES -> fillAllWords(made, count, source, places, shift, KEY_BYTES);
            case HASH_BYTES -> fillAllWords(made, count, source, places, shift, HASH_BYTES);
            default -> Form.super.refillAll(made, count, source, places, shift, length);
        };
    }

    private static int copyAll(byte[][] made, int count, byte[] from, int base, int[] places, int length) {
        int index = 0;
        for (; index < count && isOf(made[index], length); index++) {
            System.arraycopy(from, base + places[index], made[index], 0, length);
        }
        return index;
    }

    /** Inlined with a constant length. */
    private static int fillAllWords(byte[][] made, int count, ByteBuffer source, int[] places, int shift, int length) {
        int index = 0;
        for (; index < count && isOf(made[index], length); index++) {
            fillWords(made[index], source, places[index] + shift, length);
        }
        return index;
    }

    private static boolean isOf(byte[] bytes, int length) {
        return bytes != null && bytes.length == length;
    }

    private static void fill(byte[] bytes, ByteBuffer source, int offset, int length) {
        if (length == KEY_BYTES) {
            fillWords(bytes, source, offset, KEY_BYTES);
        } else if (length == HASH_BYTES) {
            fillWords(bytes, source, offset, HASH_BYTES);
        } else if (length < Long.BYTES || length > WORDS_MAX * Long.BYTES) {
            source.get(offset, bytes);
        } else {
            fillWords(bytes, source, offset, length);
        }
    }

    /** Inlined with a constant length, it has no loop. */
    private static void fillWords(byte[] bytes, ByteBuffer source, int offset, int length) {
        // The last word overlaps the previous one unless the length is a multiple of a word.
        int last = length - Long.BYTES;
        for (int at = 0; at < last; at += Long.BYTES) {
            LITTLE.set(bytes, at, (long) SOURCE.get(source, offset + at));
        }
        LITTLE.set(bytes, last, (long) SOURCE.get(source, offset + last));
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

    @Override
    public long xxh64(byte[] bytes, long seed) {
        return Hash.xxh64(bytes, 0, bytes.length, seed);
    }
}
