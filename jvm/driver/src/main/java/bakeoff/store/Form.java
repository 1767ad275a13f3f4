package bakeoff.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * How keys and values are handed to a store: as its API takes them, made before the clock starts, as a program that uses the store
 * directly would have them. One for each thread.
 *
 * @param <B> an array, a buffer
 */
public interface Form<B> {
    /** These bytes of {@code source}, which keeps them until the block ends and is a direct buffer if this {@link #lends}. Outside the clock. */
    B of(ByteBuffer source, int offset, int length);

    /** An array for so many of them, of nulls. */
    B[] newArray(int count);

    /**
     * Whether the store neither keeps nor changes what it is given, not even while it has it, so that the same can be handed over again, to several
     * threads at once, or be filled again when the operation is over.
     */
    default boolean lasts() {
        return false;
    }

    /**
     * Fills {@code made}, which {@link #of} made for an operation that is over, with these bytes; says whether it did, which it does if
     * it can and the form {@link #lasts}. What lends is filled again from the same {@code source} only. Outside the clock.
     */
    default boolean refill(B made, ByteBuffer source, int offset, int length) {
        return false;
    }

    /**
     * {@link #refill}s one after the other, each with the {@code length} bytes that begin {@code shift} behind its place; says how many it
     * did before the first that it could not, or that is null.
     */
    default int refillAll(B[] made, int count, ByteBuffer source, int[] places, int shift, int length) {
        int index = 0;
        while (index < count && made[index] != null && refill(made[index], source, places[index] + shift, length)) {
            index++;
        }
        return index;
    }

    /** Whether what {@link #of} makes is a view of {@code source}, from which a store would be the first to fetch it. */
    default boolean lends() {
        return false;
    }

    /**
     * The key of one step of a walk: {@code parent}, big-endian, and a name from {@code source}. Inside the clock, so nothing
     * is allocated; it holds until the next call.
     */
    B step(long parent, ByteBuffer source, int offset, int length);

    /** How many bytes. */
    int length(B bytes);

    /** Eight bytes as a little-endian integer. */
    long longAt(B bytes, int offset);

    /** One byte. */
    byte byteAt(B bytes, int offset);

    /** Appends all bytes to {@code output}. */
    void copy(B bytes, Output output);

    /** All bytes in an array, of which they are the first: the array itself or {@code scratch}, which has room for them. */
    byte[] array(B bytes, byte[] scratch);

    /** Runs a checksum on over all bytes; {@code scratch} has room for them. */
    default void checksum(B bytes, CRC32 crc32, byte[] scratch) {
        crc32.update(array(bytes, scratch), 0, length(bytes));
    }

    /** XXH64 of all bytes, hashed where they lie: inside the clock, so nothing is copied or allocated. */
    long xxh64(B bytes, long seed);
}
