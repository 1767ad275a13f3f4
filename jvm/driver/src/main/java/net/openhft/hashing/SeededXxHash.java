package net.openhft.hashing;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;

/**
 * XXH64 with a seed for each call. The class is in the library's package to reach its internal function. The library's
 * public interface creates an object per seed, which the compiler cannot always eliminate. bakeoff must not allocate in
 * scans.
 */
public final class SeededXxHash {
    private SeededXxHash() {}

    /** XXH64 of a part of an array. */
    public static long ofArray(byte[] bytes, int offset, int length, long seed) {
        Util.checkArrayOffs(bytes.length, offset, length);
        return hash(bytes, UnsafeAccess.BYTE_BASE + offset, length, seed);
    }

    /** XXH64 of a part of a buffer, which must be direct or have a writable array. */
    public static long ofBuffer(ByteBuffer bytes, int offset, int length, long seed) {
        Util.checkArrayOffs(bytes.capacity(), offset, length);
        return bytes.hasArray()
                ? hash(bytes.array(), UnsafeAccess.BYTE_BASE + bytes.arrayOffset() + offset, length, seed)
                : ofMemory(Util.getDirectBufferAddress(bytes) + offset, length, seed);
    }

    /** XXH64 of memory at this address. It is not checked whether the memory may be read. */
    public static long ofMemory(long address, long length, long seed) {
        return hash(null, address, length, seed);
    }

    private static long hash(Object array, long at, long length, long seed) {
        return XxHash.xxHash64(seed, array, UnsafeAccess.INSTANCE.byteOrder(array, LITTLE_ENDIAN), at, length);
    }
}
