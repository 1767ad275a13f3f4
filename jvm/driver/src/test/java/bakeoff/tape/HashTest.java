package bakeoff.tape;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Random;
import net.jpountz.xxhash.StreamingXXHash64;
import org.junit.jupiter.api.Test;

/** Both libraries, and all variants of the first, agree. */
final class HashTest {
    private static final byte[] BYTES = new byte[300];
    private static final ByteBuffer DIRECT = ByteBuffer.allocateDirect(BYTES.length);

    static {
        new Random(1).nextBytes(BYTES);
        DIRECT.put(0, BYTES);
    }

    @Test
    void inPlaceAndInPiecesAreTheSame() {
        for (int offset = 0; offset < 9; offset++) {
            for (int length = 0; offset + length <= BYTES.length; length++) {
                assertEquals(inPieces(offset, length), Hash.xxh64(BYTES, offset, length, 0));
            }
        }
    }

    private static long inPieces(int offset, int length) {
        try (StreamingXXHash64 hash = Hash.streaming()) {
            int half = length / 2;
            hash.update(BYTES, offset, half);
            hash.update(BYTES, offset + half, length - half);
            return hash.getValue();
        }
    }

    @Test
    void buffersAreHashedLikeArrays() {
        for (long seed : new long[] {0, 1, -1, Long.MIN_VALUE}) {
            for (int length = 0; length < 100; length++) {
                long expected = Hash.xxh64(BYTES, 3, length, seed);
                assertEquals(expected, Hash.xxh64(DIRECT, 3, length, seed));
                assertEquals(expected, Hash.xxh64(DIRECT.asReadOnlyBuffer(), 3, length, seed));
                assertEquals(expected, Hash.xxh64(DIRECT.slice(1, 200), 2, length, seed));
                assertEquals(expected, Hash.xxh64(ByteBuffer.wrap(BYTES), 3, length, seed));
            }
        }
    }
}
