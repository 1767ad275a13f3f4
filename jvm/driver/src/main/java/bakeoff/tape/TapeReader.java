package bakeoff.tape;

import bakeoff.measure.OwnBuffers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import net.jpountz.xxhash.StreamingXXHash64;

/** An open tape: a checked header, and lanes to read block by block. */
public final class TapeReader implements Closeable {
    private static final byte[] MAGIC = "BAKETAPE".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;

    private final Path path;
    private final FileChannel file;
    private final TapeHeader header;
    /** The file's stamp when every record was checked; null before. */
    private Stamp checked;

    private TapeReader(Path path, FileChannel file, TapeHeader header) {
        this.path = path;
        this.file = file;
        this.header = header;
    }

    /**
     * Opens a tape and checks its magic, version, length, header and lane table.
     *
     * @throws TapeException if it is unreadable, no tape, of another version, cut short or damaged
     */
    public static TapeReader open(Path path) throws TapeException {
        FileChannel file = openFile(path);
        try {
            return new TapeReader(path, file, readHeader(path, file));
        } catch (IOException error) {
            closeQuietly(file);
            throw new TapeException(path, "cannot read the header: " + error.getMessage());
        } catch (TapeException damaged) {
            closeQuietly(file);
            throw damaged;
        }
    }

    private static FileChannel openFile(Path path) throws TapeException {
        try {
            return FileChannel.open(path, StandardOpenOption.READ);
        } catch (IOException error) {
            throw new TapeException(path, "cannot open the tape: " + error);
        }
    }

    private static TapeHeader readHeader(Path path, FileChannel file) throws IOException, TapeException {
        long length = file.size();
        ByteBuffer fixed = read(file, 0, (int) Math.min(length, TapeHeader.FIXED_BYTES));
        byte[] magic = new byte[Math.min(fixed.limit(), MAGIC.length)];
        fixed.get(0, magic);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new TapeException(path, "is not a tape: it does not begin with BAKETAPE; record it again");
        }
        if (length < TapeHeader.FIXED_BYTES) {
            throw wrongLength(path, length, TapeHeader.FIXED_BYTES);
        }
        if (fixed.getInt(8) != VERSION) {
            throw new TapeException(
                    path, "format version %d, but this program reads version %d".formatted(fixed.getInt(8), VERSION));
        }
        if (fixed.getLong(48) != length) {
            throw wrongLength(path, length, fixed.getLong(48));
        }
        int headerBytes = TapeHeader.headerBytes(fixed, path);
        if (headerBytes > length) {
            throw TapeException.damaged(path, 12, "header_bytes", headerBytes, "at most " + length);
        }
        return TapeHeader.decode(read(file, 0, headerBytes), length, path);
    }

    private static TapeException wrongLength(Path path, long found, long expected) {
        String lengths = "%d bytes long, expected %s".formatted(found, Long.toUnsignedString(expected));
        return new TapeException(path, lengths + "; it was cut short or added to: record it again");
    }

    /** The header. */
    public TapeHeader header() {
        return header;
    }

    /** The file. */
    public Path path() {
        return path;
    }

    /**
     * Reads every block of every lane with the memory of one block. Refuses the tape if anything on it was changed.
     * Adds its written values to {@code written}.
     *
     * @throws TapeException with the fault and its place
     */
    public void check(WrittenValues written) throws TapeException {
        Stamp stamp = Stamp.of(path);
        try (StreamingXXHash64 content = Hash.streaming()) {
            byte[] checksum = new byte[Long.BYTES];
            for (int number = 0; number < header.lanes().size(); number++) {
                LaneReader lane = lane(number);
                while (lane.next()) {
                    ByteBuffer.wrap(checksum).order(ByteOrder.LITTLE_ENDIAN).putLong(lane.checksum());
                    content.update(checksum, 0, checksum.length);
                    written.add(lane);
                }
            }
            if (content.getValue() != header.contentChecksum()) {
                throw TapeException.damaged(
                        path,
                        56,
                        "content_checksum",
                        TapeHeader.hex(header.contentChecksum()),
                        TapeHeader.hex(content.getValue()));
            }
        }
        checked = stamp;
    }

    /**
     * Whether it does nothing but insert, in each lane in ascending key order.
     *
     * @throws TapeException if it cannot be read
     */
    public boolean insertsAscending() throws TapeException {
        Record record = new Record();
        byte[] key = new byte[Record.KEY_BYTES_MAX];
        byte[] last = new byte[Record.KEY_BYTES_MAX];
        for (int number = 0; number < header.lanes().size(); number++) {
            LaneReader lane = lane(number);
            int lastBytes = -1;
            while (lane.next()) {
                int place = lane.first();
                for (int left = lane.operations(); left > 0; left--) {
                    place = lane.read(place, record);
                    if (record.operation() == Operation.COMMIT) {
                        continue;
                    }
                    int keyBytes = record.keyBytes();
                    lane.records().get(record.keyOffset, key, 0, keyBytes);
                    boolean follows = lastBytes < 0 || Arrays.compareUnsigned(last, 0, lastBytes, key, 0, keyBytes) < 0;
                    if (record.operation() != Operation.INSERT || !follows) {
                        return false;
                    }
                    byte[] free = last;
                    last = key;
                    key = free;
                    lastBytes = keyBytes;
                }
            }
        }
        return true;
    }

    /**
     * The lane with this number, from its beginning. The lane must exist.
     *
     * @throws TapeException if the file was changed after it was checked
     */
    public LaneReader lane(int number) throws TapeException {
        return lane(number, LaneReader.WINDOW_BYTES);
    }

    LaneReader lane(int number, int windowBytes) throws TapeException {
        return new LaneReader(path, file, header.lanes().get(number), header.poolBytes(), checked, windowBytes);
    }

    @Override
    public void close() {
        closeQuietly(file);
    }

    private static void closeQuietly(FileChannel file) {
        try {
            file.close();
        } catch (IOException ignored) {
            // The file was only read, so nothing can be lost.
        }
    }

    private static ByteBuffer read(FileChannel file, long offset, int length) throws IOException {
        ByteBuffer bytes = OwnBuffers.direct(length);
        LaneReader.readFully(file, offset, bytes);
        return bytes;
    }
}
