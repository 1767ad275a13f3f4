package bakeoff.tape;

import java.nio.ByteBuffer;
import net.jpountz.xxhash.StreamingXXHash64;
import net.jpountz.xxhash.XXHashFactory;
import net.openhft.hashing.SeededXxHash;

/**
 * XXH64, the checksum of tapes, pools and scans.
 *
 * <p>By two libraries: one hashes bytes where they lie, but only all of them at once; the other takes them in pieces. The first would
 * also read pieces through an access of ours, but it is compiled once for all, and with a second kind of access in the process scans
 * took up to 2.7 times as long in some processes.
 */
public final class Hash {
    // Plain Java: nothing is unpacked, and what comes in pieces is hashed once, outside the clock.
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

    /** XXH64 of memory that begins at this address. Nobody checks that it may be read. */
    public static long xxh64(long address, int length, long seed) {
        return SeededXxHash.ofMemory(address, length, seed);
    }

    /** XXH64 with seed 0 of bytes that come in pieces. */
    public static StreamingXXHash64 streaming() {
        return FACTORY.newStreamingHash64(0);
    }
}
