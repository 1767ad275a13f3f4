package bakeoff.tape;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;

/** One lane of a tape, read from its beginning to its end into one buffer that is used again for each block. */
public final class LaneReader {
    /** Operations in a block, at most. */
    public static final int BLOCK_OPERATIONS_MAX = 1024;
    /** Bytes of output, and of written values, of a block with more than one operation, at most. */
    public static final int BLOCK_BYTES_MAX = 1 << 20;

    private static final int BLOCK_HEADER_BYTES = 24;

    private final Path path;
    private final FileChannel file;
    private final LaneFacts facts;
    private final long poolBytes;
    private final ByteBuffer header = buffer(BLOCK_HEADER_BYTES);
    private final Record[] decoded = new Record[BLOCK_OPERATIONS_MAX];
    private ByteBuffer records = buffer(1 << 16);
    private long position;
    private long operationsSeen;
    private long blocksSeen;

    LaneReader(Path path, FileChannel file, LaneFacts facts, long poolBytes) {
        this.path = path;
        this.file = file;
        this.facts = facts;
        this.poolBytes = poolBytes;
        position = facts.offset();
        Arrays.setAll(decoded, index -> new Record());
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Reads and checks the next block. Says whether there was one.
     *
     * @throws TapeException if the block is damaged or cannot be read, or the lane's counts do not add up
     */
    public boolean next() throws TapeException {
        long left = facts.offset() + facts.bytes() - position;
        if (left == 0) {
            checkCounts();
            return false;
        }
        long base = position;
        try {
            readBlock(left);
        } catch (IOException error) {
            throw new TapeException(path, "offset %d: cannot read a block: %s".formatted(base, error.getMessage()));
        }
        long actual = Hash.xxh64(records, 0, records.limit());
        if (actual != checksum()) {
            throw damaged(base + 16, "checksum of a block", TapeHeader.hex(checksum()), TapeHeader.hex(actual));
        }
        checkBlock(base);
        position += BLOCK_HEADER_BYTES + records.limit();
        operationsSeen += operations();
        blocksSeen++;
        return true;
    }

    private void readBlock(long left) throws IOException, TapeException {
        if (left < BLOCK_HEADER_BYTES) {
            throw damaged(position, "rest of the lane", left, "0 or at least " + BLOCK_HEADER_BYTES);
        }
        TapeReader.readFully(file, position, header);
        int operations = operations();
        if (operations < 1 || operations > BLOCK_OPERATIONS_MAX) {
            String found = Integer.toUnsignedString(operations);
            throw damaged(position + 4, "operations of a block", found, "1 to " + BLOCK_OPERATIONS_MAX);
        }
        int length = header.getInt(0);
        long most = Math.min((long) operations * Record.BYTES_MAX, left - BLOCK_HEADER_BYTES);
        if (length < operations * Record.FIXED_BYTES || length > most) {
            String expected = "%d to %d".formatted(operations * Record.FIXED_BYTES, most);
            throw damaged(position, "record_bytes", Integer.toUnsignedString(length), expected);
        }
        if (records.capacity() < length) {
            records = buffer(Math.max(length, 2 * records.capacity()));
        }
        records.clear().limit(length);
        TapeReader.readFully(file, position + BLOCK_HEADER_BYTES, records);
    }

    /** Decodes a block's records, and refuses one whose records are not exactly what its header says. */
    private void checkBlock(long base) throws TapeException {
        int end = records.limit();
        int operations = operations();
        int count = 0;
        long output = 0;
        long written = 0;
        for (int at = 0; at < end; count++) {
            if (count == operations) {
                throw damaged(base + 4, "operations of a block", operations, "more");
            }
            Record record = decoded[count];
            int after = record.decode(records, at, end);
            RecordRules.Broken broken =
                    after < 0 ? RecordRules.malformed(records.get(at)) : RecordRules.check(record, records, poolBytes);
            if (broken != null) {
                throw damaged(base + BLOCK_HEADER_BYTES + at, broken.what(), broken.found(), broken.expected());
            }
            output = saturatingAdd(output, record.outputBytes());
            written = saturatingAdd(written, record.writtenBytes());
            at = after;
        }
        if (count != operations) {
            throw damaged(base + 4, "operations of a block", operations, count);
        }
        if (output != outputBytes()) {
            throw damaged(base + 8, "output_bytes", Long.toUnsignedString(outputBytes()), output);
        }
        if (count > 1 && Math.max(output, written) > BLOCK_BYTES_MAX) {
            String expected = "at most %d in a block of several operations".formatted(BLOCK_BYTES_MAX);
            throw damaged(base + 8, "bytes of values", Math.max(output, written), expected);
        }
    }

    private static long saturatingAdd(long sum, long bytes) {
        return bytes < 0 || sum > Long.MAX_VALUE - bytes ? Long.MAX_VALUE : sum + bytes;
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
        return header.getInt(4);
    }

    /** Bytes that right answers to the current block append to the output. */
    public long outputBytes() {
        return header.getLong(8);
    }

    long checksum() {
        return header.getLong(16);
    }

    /** The bytes of the current block's records, in which records name places; the next block takes their place. */
    public ByteBuffer records() {
        return records;
    }

    /** One of the current block's {@link #operations}; the next block takes its place. */
    public Record record(int index) {
        return decoded[index];
    }
}
