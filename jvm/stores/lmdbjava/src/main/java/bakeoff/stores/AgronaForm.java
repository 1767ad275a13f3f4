package bakeoff.stores;

import bakeoff.store.Form;
import bakeoff.store.Output;
import bakeoff.tape.Hash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Keys and values as Agrona's buffers over direct memory. */
final class AgronaForm implements Form<DirectBuffer> {
    private static final int STEP_BYTES_MAX = Long.BYTES + 255;

    private final ByteBuffer stepBytes = ByteBuffer.allocateDirect(STEP_BYTES_MAX);
    private final UnsafeBuffer step = new UnsafeBuffer();

    @Override
    public DirectBuffer of(ByteBuffer source, int offset, int length) {
        return new UnsafeBuffer(source, offset, length);
    }

    @Override
    public DirectBuffer[] newArray(int count) {
        return new DirectBuffer[count];
    }

    @Override
    public boolean lasts() {
        return true;
    }

    @Override
    public boolean refill(DirectBuffer made, ByteBuffer source, int offset, int length) {
        made.wrap(source, offset, length);
        return true;
    }

    @Override
    public boolean lends() {
        return true;
    }

    @Override
    public DirectBuffer step(long parent, ByteBuffer source, int offset, int length) {
        stepBytes.putLong(0, parent).put(Long.BYTES, source, offset, length);
        step.wrap(stepBytes, 0, Long.BYTES + length);
        return step;
    }

    @Override
    public int length(DirectBuffer bytes) {
        return bytes.capacity();
    }

    @Override
    public long longAt(DirectBuffer bytes, int offset) {
        return bytes.getLong(offset, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public byte byteAt(DirectBuffer bytes, int offset) {
        return bytes.getByte(offset);
    }

    @Override
    public void copy(DirectBuffer bytes, Output output) {
        int length = bytes.capacity();
        output.reserve(length);
        bytes.getBytes(0, output.array(), output.position(), length);
        output.advance(length);
    }

    @Override
    public byte[] array(DirectBuffer bytes, byte[] scratch) {
        bytes.getBytes(0, scratch, 0, bytes.capacity());
        return scratch;
    }

    @Override
    public long xxh64(DirectBuffer bytes, long seed) {
        return Hash.xxh64(bytes.addressOffset(), bytes.capacity(), seed);
    }
}
