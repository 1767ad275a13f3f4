package bakeoff.tape;

import bakeoff.measure.OwnBuffers;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Reads one lane of a tape from beginning to end into one reused buffer, a window of several blocks at a time.
 *
 * <p>A block is checked as a whole before its records are read. After {@link TapeReader#check} has checked the whole
 * tape, blocks are not checked again while the file is unchanged. That is verified at the beginning and the end of a
 * lane.
 */
public final class LaneReader {
    /** The maximum of operations in a block. */
    public static final int BLOCK_OPERATIONS_MAX = 1024;
    /** The maximum of output bytes, and of written bytes, of a block with several operations. */
    public static final int BLOCK_BYTES_MAX = 1 << 20;

    private static final int BLOCK_HEADER_BYTES = 24;
    /**
     * Small enough for a processor's second-level cache next to a store's own memory. Large enough that the system call
     * costs little compared with the copy: half the size cost 1 to 2 ns more per operation.
     */
    static final int WINDOW_BYTES = 1 << 17;

    private final Path path;
    private final FileChannel file;
    private final LaneFacts facts;
    private final long poolBytes;
    /** The file's stamp when the whole tape was checked; null before. */
    private final Stamp checked;

    private ByteBuffer window;
    /** The place of the window in the file. */
    private long windowPosition;
    /** The place of the next block in the file. */
    private long position;
    /** The range of the current block's records in the window. */
    private int begin;

    private int end;
    private int operations;
    private long outputBytes;
    private long checksum;

    private long operationsSeen;
    private long blocksSeen;

    LaneReader(Path path, FileChannel file, LaneFacts facts, long poolBytes, Stamp checked, int windowBytes)
            throws TapeException {
        this.path = path;
        this.file = file;
        this.facts = facts;
        this.poolBytes = poolBytes;
        this.checked = checked;
        position = facts.offset();
        windowPosition = position;
        // A window shorter than a block grows.
        window = OwnBuffers.direct(windowBytes).limit(0);
        checkStamp();
    }

    /**
     * Reads the next block. Returns whether there was one.
     *
     * @throws TapeException if the block is damaged or unreadable, if the lane's counts do not add up, or if the file
     *     was changed after it was checked
     */
    public boolean next() throws TapeException {
        long left = facts.offset() + facts.bytes() - position;
        if (left == 0) {
            checkCounts();
            checkStamp();
            return false;
        }
        long base = position;
        try {
            readBlock(left);
        } catch (IOException error) {
            throw new TapeException(path, "offset %d: cannot read a block: %s".formatted(base, error.getMessage()));
        }
        if (checked == null) {
            checkChecksum(base);
            checkBlock(base);
        }
        position += BLOCK_HEADER_BYTES + end - begin;
        operationsSeen += operations;
        blocksSeen++;
        return true;
    }

    private void readBlock(long left) throws IOException, TapeException {
        if (left < BLOCK_HEADER_BYTES) {
            throw damaged(position, "rest of the lane", left, "0 or at least " + BLOCK_HEADER_BYTES);
        }
        int header = bring(BLOCK_HEADER_BYTES, left);
        operations = window.getInt(header + 4);
        outputBytes = window.getLong(header + 8);
        checksum = window.getLong(header + 16);
        if (operations < 1 || operations > BLOCK_OPERATIONS_MAX) {
            String found = Integer.toUnsignedString(operations);
            throw damaged(position + 4, "operations of a block", found, "1 to " + BLOCK_OPERATIONS_MAX);
        }
        int length = window.getInt(header);
        long most = Math.min((long) operations * Record.BYTES_MAX, left - BLOCK_HEADER_BYTES);
        if (length < operations * Record.FIXED_BYTES || length > most) {
            String expected = "%d to %d".formatted(operations * Record.FIXED_BYTES, most);
            throw damaged(position, "record_bytes", Integer.toUnsignedString(length), expected);
        }
        begin = bring(BLOCK_HEADER_BYTES + length, left) + BLOCK_HEADER_BYTES;
        end = begin + length;
    }

    /**
     * Ensures that the window has this number of bytes from the beginning of the next block. Returns where they begin
     * in the window.
     */
    private int bring(int length, long left) throws IOException {
        long place = position - windowPosition;
        if (place + length <= window.limit()) {
            return (int) place;
        }
        if (window.capacity() < length) {
            window = OwnBuffers.direct(Math.max(length, 2 * window.capacity()));
        }
        window.clear().limit((int) Math.min(window.capacity(), left));
        windowPosition = position;
        readFully(file, position, window);
        return 0;
    }

    /** Fills a buffer up to its limit. */
    static void readFully(FileChannel file, long offset, ByteBuffer bytes) throws IOException {
        bytes.rewind();
        while (bytes.hasRemaining()) {
            if (file.read(bytes, offset + bytes.position()) < 0) {
                throw new EOFException("the file ends after %d bytes".formatted(offset + bytes.position()));
            }
        }
        bytes.rewind();
    }

    private void checkChecksum(long base) throws TapeException {
        long actual = Hash.xxh64(window, begin, end - begin, 0);
        if (actual != checksum) {
            throw damaged(base + 16, "checksum of a block", TapeHeader.hex(checksum), TapeHeader.hex(actual));
        }
    }

    /** Refuses a block whose records contradict its header. */
    private void checkBlock(long base) throws TapeException {
        Record record = new Record();
        int count = 0;
        long output = 0;
        long written = 0;
        for (int place = begin; place < end; count++) {
            if (count == operations) {
                throw damaged(base + 4, "operations of a block", operations, "more");
            }
            int after = record.decode(window, place, end);
            RecordRules.Broken broken =
                    after < 0 ? RecordRules.malformed(window.get(place)) : RecordRules.check(record, window, poolBytes);
            if (broken != null) {
                throw damaged(
                        base + BLOCK_HEADER_BYTES + place - begin, broken.what(), broken.found(), broken.expected());
            }
            output = saturatingAdd(output, record.outputBytes());
            written = saturatingAdd(written, record.writtenBytes());
            place = after;
        }
        if (count != operations) {
            throw damaged(base + 4, "operations of a block", operations, count);
        }
        if (output != outputBytes) {
            throw damaged(base + 8, "output_bytes", Long.toUnsignedString(outputBytes), output);
        }
        if (count > 1 && Math.max(output, written) > BLOCK_BYTES_MAX) {
            String expected = "at most %d in a block of several operations".formatted(BLOCK_BYTES_MAX);
            throw damaged(base + 8, "bytes of values", Math.max(output, written), expected);
        }
    }

    private static long saturatingAdd(long sum, long bytes) {
        return bytes < 0 || sum > Long.MAX_VALUE - bytes ? Long.MAX_VALUE : sum + bytes;
    }

    /** Refuses a file that was changed after it was checked. */
    private void checkStamp() throws TapeException {
        if (checked != null && !checked.equals(Stamp.of(path))) {
            throw new TapeException(
                    path, "was changed after it was checked: leave tapes alone while they are replayed");
        }
    }

    private void checkCounts() throws TapeException {
        if (operationsSeen != facts.operations()) {
            throw damaged(facts.offset(), "operations of the lane", operationsSeen, facts.operations());
        }
        if (blocksSeen != facts.blocks()) {
            throw damaged(facts.offset(), "blocks of the lane", blocksSeen, facts.blocks());
        }
    }

    private TapeException damaged(long offset, String what, Object found, Object expected) {
        return TapeException.damaged(path, offset, what, found, expected);
    }

    /** Operations in the current block. */
    public int operations() {
        return operations;
    }

    /** The number of bytes that right answers to the current block append to the output. */
    public long outputBytes() {
        return outputBytes;
    }

    long checksum() {
        return checksum;
    }

    /** The bytes that the current block's records refer to. The next block may overwrite them. */
    public ByteBuffer records() {
        return window;
    }

    /** The offset of the current block's first record in {@link #records}. */
    public int first() {
        return begin;
    }

    /** The total length of the current block's records. */
    public int recordBytes() {
        return end - begin;
    }

    /**
     * Fills {@code record} with the record at {@code place} of the current block. Returns the place of the next.
     *
     * @throws TapeException if there is none, which cannot happen in a checked block
     */
    public int read(int place, Record record) throws TapeException {
        int next = record.decode(window, place, end);
        if (next < 0) {
            throw new TapeException(path, "offset %d: no whole record".formatted(windowPosition + place));
        }
        return next;
    }
}
