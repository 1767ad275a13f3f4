package bakeoff.tape;

import java.nio.ByteBuffer;
import net.jpountz.xxhash.StreamingXXHash64;
import net.jpountz.xxhash.XXHashFactory;
import net.openhft.hashing.SeededXxHash;

/**
 * XXH64, the checksum of tapes, pools and scans.
 *
 * <p>It uses two libraries. One hashes bytes in place, but only all at once. The other accepts pieces. The first could
 * also read pieces through a custom access class, but its code is compiled once for all access classes. With a second
 * access class in the process, scans took up to 2.7 times as long in some processes.
 */
public final class Hash {
    // Plain Java, which unpacks nothing. Pieces are hashed once, outside the clock.
    private static final XXHashFactory FACTORY = XXHashFactory.safeInstance();

    private Hash() {}

    /** XXH64 of a part of an array. */
    public static long xxh64(byte[] bytes, int offset, int length, long seed) {
        return SeededXxHash.ofArray(bytes, offset, length, seed);
    }

    /** XXH64 of a part of a buffer. */
    public static long xxh64(ByteBuffer bytes, int offset, int length, long seed) {
        return SeededXxHash.ofBuffer(bytes, offset, length, seed);
    }

    /** XXH64 of memory at this address. It is not checked whether the memory may be read. */
    public static long xxh64(long address, int length, long seed) {
        return SeededXxHash.ofMemory(address, length, seed);
    }

    /** XXH64 with seed 0 of bytes that arrive in pieces. */
    public static StreamingXXHash64 streaming() {
        return FACTORY.newStreamingHash64(0);
    }
}
