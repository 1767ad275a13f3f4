package bakeoff.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The form of keys and values in a store's API. They are made before the clock starts, as a program that uses the store
 * directly would have them. Each thread has one.
 *
 * @param <B> an array, a buffer
 */
public interface Form<B> {
    /**
     * These bytes of {@code source}, which stays unchanged until the block ends. It is a direct buffer if this form
     * {@link #lends}. Outside the clock.
     */
    B of(ByteBuffer source, int offset, int length);

    /** An array of {@code count} nulls. */
    B[] newArray(int count);

    /**
     * Whether the store neither keeps nor changes its arguments, not even during a call. Then the same object can be
     * passed again, even by several threads at once, or be refilled after the operation.
     */
    default boolean lasts() {
        return false;
    }

    /**
     * Refills {@code made}, which {@link #of} made for a finished operation, with these bytes. Returns whether it did.
     * It does if it can and the form {@link #lasts}. Views are refilled only from the same {@code source}. Outside the
     * clock.
     */
    default boolean refill(B made, ByteBuffer source, int offset, int length) {
        return false;
    }

    /**
     * {@link #refill}s objects in order, each with the {@code length} bytes that begin {@code shift} after its place.
     * Returns the number refilled before the first null or the first that could not be refilled.
     */
    default int refillAll(B[] made, int count, ByteBuffer source, int[] places, int shift, int length) {
        int index = 0;
        while (index < count && made[index] != null && refill(made[index], source, places[index] + shift, length)) {
            index++;
        }
        return index;
    }

    /**
     * Whether objects from {@link #of} are views of {@code source}, so that the store would be the first to fetch it.
     */
    default boolean lends() {
        return false;
    }

    /**
     * The key of one step of a walk: {@code parent}, big-endian, and a name from {@code source}. Inside the clock, so
     * it allocates nothing. The key is valid until the next call.
     */
    B step(long parent, ByteBuffer source, int offset, int length);

    /** The number of bytes. */
    int length(B bytes);

    /** Eight bytes as a little-endian integer. */
    long longAt(B bytes, int offset);

    /** One byte. */
    byte byteAt(B bytes, int offset);

    /** Appends all bytes to {@code output}. */
    void copy(B bytes, Output output);

    /** An array that begins with all bytes: the object itself, or {@code scratch}, which is long enough. */
    byte[] array(B bytes, byte[] scratch);

    /** Updates a checksum with all bytes. {@code scratch} is long enough for them. */
    default void checksum(B bytes, CRC32 crc32, byte[] scratch) {
        crc32.update(array(bytes, scratch), 0, length(bytes));
    }

    /** XXH64 of all bytes, hashed in place: inside the clock, so nothing is copied or allocated. */
    long xxh64(B bytes, long seed);
}
