package bakeoff.tape;

import java.nio.ByteBuffer;
import net.jpountz.xxhash.StreamingXXHash64;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** XXH64, the checksum of tapes, pools and scans. */
public final class Hash {
    // Plain Java: the other implementations unpack native code or use what newer JVMs warn about.
    private static final XXHashFactory FACTORY = XXHashFactory.safeInstance();
    private static final XXHash64 XXH64 = FACTORY.hash64();

    private Hash() {}

    /** XXH64 of a part of an array. */
    public static long xxh64(byte[] bytes, int offset, int length, long seed) {
        return XXH64.hash(bytes, offset, length, seed);
    }

    /** XXH64 with seed 0 of a part of a buffer. */
    public static long xxh64(ByteBuffer bytes, int offset, int length) {
        return XXH64.hash(bytes, offset, length, 0);
    }

    /** XXH64 with seed 0 of bytes that come in pieces. */
    public static StreamingXXHash64 streaming() {
        return FACTORY.newStreamingHash64(0);
    }
}
