package bakeoff.stores;

import bakeoff.store.ArrayForm;
import bakeoff.store.Form;
import bakeoff.store.Output;
import bakeoff.tape.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;

/** Keys and values in Xodus's own wrapper around arrays. */
final class XodusForm implements Form<ByteIterable> {
    private static final VarHandle LITTLE = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final ArrayForm arrays = new ArrayForm();
    private final ArrayByteIterable step = new ArrayByteIterable(new byte[0]);

    @Override
    public ByteIterable of(ByteBuffer source, int offset, int length) {
        return new ArrayByteIterable(arrays.of(source, offset, length));
    }

    @Override
    public ByteIterable[] newArray(int count) {
        return new ByteIterable[count];
    }

    @Override
    public ByteIterable step(long parent, ByteBuffer source, int offset, int length) {
        step.setBytes(arrays.step(parent, source, offset, length));
        return step;
    }

    @Override
    public int length(ByteIterable bytes) {
        return bytes.getLength();
    }

    @Override
    public long longAt(ByteIterable bytes, int offset) {
        return (long) LITTLE.get(bytes.getBytesUnsafe(), offset);
    }

    @Override
    public byte byteAt(ByteIterable bytes, int offset) {
        return bytes.getBytesUnsafe()[offset];
    }

    @Override
    public void copy(ByteIterable bytes, Output output) {
        output.append(bytes.getBytesUnsafe(), 0, bytes.getLength());
    }

    @Override
    public byte[] array(ByteIterable bytes, byte[] scratch) {
        return bytes.getBytesUnsafe();
    }

    @Override
    public long xxh64(ByteIterable bytes, long seed) {
        return Hash.xxh64(bytes.getBytesUnsafe(), 0, bytes.getLength(), seed);
    }
}
