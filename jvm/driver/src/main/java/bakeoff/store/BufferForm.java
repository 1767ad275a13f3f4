package bakeoff.store;

import bakeoff.tape.Hash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/** Keys and values as direct buffers: views of the tape's block and of the value pool. */
public final class BufferForm implements Form<ByteBuffer> {
    private static final int STEP_BYTES_MAX = Long.BYTES + 255;

    private final ByteBuffer step = ByteBuffer.allocateDirect(STEP_BYTES_MAX);

    @Override
    public ByteBuffer of(ByteBuffer source, int offset, int length) {
        ByteBuffer view = source.duplicate();
        refill(view, source, offset, length);
        return view;
    }

    @Override
    public ByteBuffer[] newArray(int count) {
        return new ByteBuffer[count];
    }

    @Override
    public boolean lasts() {
        return true;
    }

    @Override
    public boolean refill(ByteBuffer made, ByteBuffer source, int offset, int length) {
        made.limit(offset + length).position(offset);
        return true;
    }

    @Override
    public boolean lends() {
        return true;
    }

    @Override
    public ByteBuffer step(long parent, ByteBuffer source, int offset, int length) {
        step.clear().putLong(0, parent).put(Long.BYTES, source, offset, length).limit(Long.BYTES + length);
        return step;
    }

    @Override
    public int length(ByteBuffer bytes) {
        return bytes.remaining();
    }

    @Override
    public long longAt(ByteBuffer bytes, int offset) {
        long number = bytes.getLong(bytes.position() + offset);
        return bytes.order() == ByteOrder.LITTLE_ENDIAN ? number : Long.reverseBytes(number);
    }

    @Override
    public byte byteAt(ByteBuffer bytes, int offset) {
        return bytes.get(bytes.position() + offset);
    }

    @Override
    public void copy(ByteBuffer bytes, Output output) {
        output.append(bytes);
    }

    @Override
    public byte[] array(ByteBuffer bytes, byte[] scratch) {
        bytes.get(bytes.position(), scratch, 0, bytes.remaining());
        return scratch;
    }

    @Override
    public void checksum(ByteBuffer bytes, CRC32 crc32, byte[] scratch) {
        int position = bytes.position();
        crc32.update(bytes);
        bytes.position(position);
    }

    @Override
    public long xxh64(ByteBuffer bytes, long seed) {
        return Hash.xxh64(bytes, bytes.position(), bytes.remaining(), seed);
    }
}
