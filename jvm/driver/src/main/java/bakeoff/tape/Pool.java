package bakeoff.tape;

import bakeoff.measure.OwnBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import net.jpountz.xxhash.StreamingXXHash64;

/**
 * A value pool in memory: mapped, with all its pages present.
 *
 * <p>A buffer holds less than 2 GiB, so the file is mapped in overlapping windows that begin every GiB. A value has at
 * most 1 GiB, so it is completely inside one window.
 */
public final class Pool {
    private static final int STEP_BITS = 30;
    private static final long STEP = 1L << STEP_BITS;

    /**
     * Pools up to this size are copied into the heap. Filling arrays from the heap is faster than from a mapped file.
     */
    private static final int HEAP_BYTES_MAX = 1 << 20;

    private final long bytes;
    private final ByteBuffer[] windows;
    private final Pool forArrays;

    private Pool(long bytes, ByteBuffer[] windows) {
        this.bytes = bytes;
        this.windows = windows;
        forArrays = bytes > HEAP_BYTES_MAX || !windows[0].isDirect() ? this : inHeap();
    }

    /** Made together with the pool, so that it does not count as a store's memory either. */
    private Pool inHeap() {
        byte[] copy = new byte[(int) bytes];
        windows[0].get(0, copy);
        return new Pool(bytes, new ByteBuffer[] {ByteBuffer.wrap(copy)});
    }

    /** The same values, in the heap if the pool is short: arrays are filled faster from there. */
    public Pool forArrays() {
        return forArrays;
    }

    /** Whether all values are in one buffer, at the places on the tape. */
    public boolean isOneWindow() {
        return windows.length == 1;
    }

    /**
     * Maps a pool into memory and touches every page.
     *
     * @throws TapeException if the file cannot be opened or mapped
     */
    public static Pool open(Path path) throws TapeException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            long bytes = file.size();
            MappedByteBuffer[] windows = new MappedByteBuffer[(int) Math.max(1, (bytes + STEP - 1) >> STEP_BITS)];
            for (int number = 0; number < windows.length; number++) {
                long begin = number * STEP;
                long length = Math.min(bytes - begin, Integer.MAX_VALUE);
                windows[number] = OwnBuffers.count(file.map(FileChannel.MapMode.READ_ONLY, begin, length));
                windows[number].load();
            }
            return new Pool(bytes, windows);
        } catch (IOException | IllegalArgumentException error) {
            throw new TapeException(path, "cannot map the pool into memory: " + error);
        }
    }

    /** Its length. */
    public long bytes() {
        return bytes;
    }

    /** Its XXH64. Reads the whole pool. */
    public long checksum() {
        byte[] piece = new byte[1 << 16];
        try (StreamingXXHash64 hash = Hash.streaming()) {
            for (long at = 0; at < bytes; at += piece.length) {
                int length = (int) Math.min(piece.length, bytes - at);
                window(at).get(place(at), piece, 0, length);
                hash.update(piece, 0, length);
            }
            return hash.getValue();
        }
    }

    /** The buffer that completely contains a value beginning here. */
    public ByteBuffer window(long offset) {
        // An empty value may begin at the very end.
        return windows[(int) Math.min(offset >> STEP_BITS, windows.length - 1)];
    }

    /** The place in its buffer of a value that begins here. */
    public int place(long offset) {
        long window = Math.min(offset >> STEP_BITS, windows.length - 1);
        return (int) (offset - window * STEP);
    }
}
