package bakeoff.stores;

import bakeoff.store.Form;
import bakeoff.store.Output;
import bakeoff.tape.Hash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.fusesource.lmdbjni.DirectBuffer;

/** Keys and values as LMDBJNI's buffers over direct memory. */
final class LmdbJniForm implements Form<DirectBuffer> {
    private static final int STEP_BYTES_MAX = Long.BYTES + 255;

    private final ByteBuffer stepBytes = ByteBuffer.allocateDirect(STEP_BYTES_MAX);
    private final DirectBuffer step = new DirectBuffer();
    private final long stepAddress = new DirectBuffer(stepBytes).addressOffset();
    /** The last lender and its address: alternately the tape for keys and the pool for values. */
    private ByteBuffer lender;

    private long lenderAddress;
    private ByteBuffer lenderBefore;
    private long lenderBeforeAddress;

    @Override
    public DirectBuffer of(ByteBuffer source, int offset, int length) {
        return new DirectBuffer(source.slice(offset, length));
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
        made.wrap(addressOf(source) + offset, length);
        return true;
    }

    private long addressOf(ByteBuffer source) {
        if (source == lenderBefore) {
            return lenderBeforeAddress;
        }
        if (source != lender) {
            lenderBefore = lender;
            lenderBeforeAddress = lenderAddress;
            lender = source;
            lenderAddress = new DirectBuffer(source).addressOffset();
        }
        return lenderAddress;
    }

    @Override
    public boolean lends() {
        return true;
    }

    @Override
    public DirectBuffer step(long parent, ByteBuffer source, int offset, int length) {
        stepBytes.putLong(0, parent).put(Long.BYTES, source, offset, length);
        step.wrap(stepAddress, Long.BYTES + length);
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
