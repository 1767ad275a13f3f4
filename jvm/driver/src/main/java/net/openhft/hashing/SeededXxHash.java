package net.openhft.hashing;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;

/**
 * XXH64 with a seed of its own for each call. It is in the library's package because there is the function that does it: what the
 * library has in public makes an object for each seed, which the compiler does not always spare, and scans allocate nothing of ours.
 */
public final class SeededXxHash {
    private SeededXxHash() {}

    /** XXH64 of a part of an array. */
    public static long ofArray(byte[] bytes, int offset, int length, long seed) {
        Util.checkArrayOffs(bytes.length, offset, length);
        return hash(bytes, UnsafeAccess.BYTE_BASE + offset, length, seed);
    }

    /** XXH64 of a part of a buffer, which is direct or over an array that can be written to. */
    public static long ofBuffer(ByteBuffer bytes, int offset, int length, long seed) {
        Util.checkArrayOffs(bytes.capacity(), offset, length);
        return bytes.hasArray()
                ? hash(bytes.array(), UnsafeAccess.BYTE_BASE + bytes.arrayOffset() + offset, length, seed)
                : ofMemory(Util.getDirectBufferAddress(bytes) + offset, length, seed);
    }

    /** XXH64 of memory that begins at this address. Nobody checks that it may be read. */
    public static long ofMemory(long address, long length, long seed) {
        return hash(null, address, length, seed);
    }

    private static long hash(Object array, long at, long length, long seed) {
        return XxHash.xxHash64(seed, array, UnsafeAccess.INSTANCE.byteOrder(array, LITTLE_ENDIAN), at, length);
    }
}
