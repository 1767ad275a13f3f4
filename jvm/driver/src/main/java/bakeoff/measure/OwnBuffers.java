package bakeoff.measure;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;

/**
 * Direct and mapped buffers of the driver itself, such as the value pool. Java counts them together with the store's.
 */
public final class OwnBuffers {
    private static final ReferenceQueue<ByteBuffer> COLLECTED = new ReferenceQueue<>();
    private static final Set<Reference<?>> HELD = new HashSet<>();
    private static long bytes;

    /** The bytes of a buffer count until it is collected. */
    private static final class Held extends PhantomReference<ByteBuffer> {
        private final int bytes;

        private Held(ByteBuffer buffer) {
            super(buffer, COLLECTED);
            bytes = buffer.capacity();
        }
    }

    private OwnBuffers() {}

    /** A direct buffer, little-endian as tapes are. */
    public static ByteBuffer direct(int bytes) {
        return count(ByteBuffer.allocateDirect(bytes)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Counts and returns a buffer that is the driver's own, and not a view of another. */
    public static synchronized <B extends ByteBuffer> B count(B buffer) {
        HELD.add(new Held(buffer));
        bytes += buffer.capacity();
        return buffer;
    }

    /** Their total size in bytes. */
    static synchronized long bytes() {
        long held = bytes;
        // Collected buffers count once more, since Java may free their memory a moment later. Counting them too long
        // reduces the store's part only for that moment. The measurement is about its peak.
        for (Reference<?> found = COLLECTED.poll(); found != null; found = COLLECTED.poll()) {
            HELD.remove(found);
            bytes -= ((Held) found).bytes;
        }
        return held;
    }
}
