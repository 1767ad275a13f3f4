package bakeoff.measure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The process may have other buffers, so the test looks at differences, with much larger buffers. */
final class OwnBuffersTest {
    private static final int BYTES = 64 << 20;

    private static boolean isNear(long expected, long bytes) {
        return Math.abs(bytes - expected) < BYTES / 2;
    }

    @Test
    void theDriversOwnBuffersWereCountedAsTheStores() throws Exception {
        long before = Jvm.bufferBytes();
        ByteBuffer own = OwnBuffers.direct(BYTES);
        assertTrue(isNear(0, Jvm.bufferBytes() - before));
        ByteBuffer stores = ByteBuffer.allocateDirect(BYTES);
        assertTrue(isNear(BYTES, Jvm.bufferBytes() - before));
        assertTrue(isNear(BYTES, OwnBuffers.bytes()));
        Reference.reachabilityFence(own);
        own = null;
        // After it is collected, it is no longer subtracted.
        for (int tries = 0; tries < 100 && !isNear(0, OwnBuffers.bytes()); tries++) {
            System.gc();
            Thread.sleep(20);
        }
        assertTrue(isNear(0, OwnBuffers.bytes()));
        assertTrue(isNear(BYTES, Jvm.bufferBytes() - before));
        Reference.reachabilityFence(stores);
    }
}
