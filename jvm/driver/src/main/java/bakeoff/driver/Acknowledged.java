package bakeoff.driver;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What is acknowledged, in a file that the caller maps too ({@code docs/PROTOCOL.md}). It has a slot of 64 bytes for the
 * store and one for each lane, so that no two threads share a cache line.
 */
final class Acknowledged {
    static final int SLOT_BYTES = 64;
    private static final VarHandle NUMBER =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer slots;

    private Acknowledged(ByteBuffer slots) {
        this.slots = slots;
    }

    /** Maps the file of a caller. Refuses a file that breaks the protocol, or was used. */
    static Acknowledged open(Path path, int lanes) throws Failure {
        long bytes = (lanes + 1L) * SLOT_BYTES;
        if (!Files.isRegularFile(path)) {
            throw Failure.badRequest("acknowledged is %s: name a file that is there".formatted(path));
        }
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (file.size() != bytes) {
                throw Failure.badRequest(
                        "%s: %d bytes long, expected %d: 64 for the store, and 64 for each lane, all zero"
                                .formatted(path, file.size(), bytes));
            }
            ByteBuffer slots = file.map(MapMode.READ_WRITE, 0, bytes);
            for (int at = 0; at < bytes; at += Long.BYTES) {
                if (slots.getLong(at) != 0) {
                    throw Failure.badRequest(
                            "acknowledged is %s, which has other bytes than zeros: give a new file to each process"
                                    .formatted(path));
                }
            }
            return new Acknowledged(slots);
        } catch (IOException error) {
            throw Failure.badRequest("cannot map the file for acknowledgements %s: %s".formatted(path, error));
        }
    }

    /** Reports that the store is open and set up. */
    void setOpen() {
        NUMBER.setRelease(slots, 0, 1L);
    }

    /** The number of acknowledged writes and commits of a lane. */
    long count(int lane) {
        return (long) NUMBER.getAcquire(slots, (lane + 1) * SLOT_BYTES);
    }

    /** Reports the number of acknowledged writes and commits of a lane. */
    void setCount(int lane, long count) {
        NUMBER.setRelease(slots, (lane + 1) * SLOT_BYTES, count);
    }
}
