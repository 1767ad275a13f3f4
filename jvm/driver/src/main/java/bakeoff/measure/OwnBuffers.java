package bakeoff.measure;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;

/** Direct and mapped buffers that are the driver's own, such as the value pool: Java counts them together with the store's. */
public final class OwnBuffers {
    private static final ReferenceQueue<ByteBuffer> COLLECTED = new ReferenceQueue<>();
    private static final Set<Reference<?>> HELD = new HashSet<>();
    private static long bytes;

    /** As long as a buffer is not collected, its bytes are held. */
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

    /** The same buffer, which is the driver's own and no view of another. */
    public static synchronized <B extends ByteBuffer> B count(B buffer) {
        HELD.add(new Held(buffer));
        bytes += buffer.capacity();
        return buffer;
    }

    /** How many bytes they hold. */
    static synchronized long bytes() {
        long held = bytes;
        // Those found collected count once more: Java may give their memory back a moment later, and what is counted
        // here too long only makes the store's part smaller for that moment, where what is wanted is its peak.
        for (Reference<?> found = COLLECTED.poll(); found != null; found = COLLECTED.poll()) {
            HELD.remove(found);
            bytes -= ((Held) found).bytes;
        }
        return held;
    }
}
