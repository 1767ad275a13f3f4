package bakeoff.tape;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The header of a tape.
 *
 * @param operations operations on all lanes, commits included
 * @param lanes the lanes, one per thread
 * @param poolBytes length of the pool
 * @param poolChecksum XXH64 of the pool
 * @param contentChecksum XXH64 of the block checksums
 * @param tapeChecksum XXH64 of the header: the identity of the tape
 * @param metadata JSON for people
 */
public record TapeHeader(
        long operations,
        List<LaneFacts> lanes,
        long poolBytes,
        long poolChecksum,
        long contentChecksum,
        long tapeChecksum,
        String metadata) {
    static final int FIXED_BYTES = 72;
    private static final int CHECKSUM_OFFSET = 64;
    private static final int LANE_BYTES = 32;
    /** The maximum of lanes in a tape. */
    public static final int LANES_MAX = 4096;

    private static final int METADATA_BYTES_MAX = 1 << 20;

    /** The length of a header according to its fixed part. Impossible lengths are refused. */
    static int headerBytes(ByteBuffer fixed, Path path) throws TapeException {
        int lanes = fixed.getInt(16);
        if (lanes < 1 || lanes > LANES_MAX) {
            String found = Integer.toUnsignedString(lanes);
            throw TapeException.damaged(path, 16, "lanes", found, "1 to " + LANES_MAX);
        }
        int metadataBytes = fixed.getInt(20);
        if (metadataBytes < 0 || metadataBytes > METADATA_BYTES_MAX) {
            String found = Integer.toUnsignedString(metadataBytes);
            throw TapeException.damaged(path, 20, "metadata_bytes", found, "at most " + METADATA_BYTES_MAX);
        }
        int headerBytes = fixed.getInt(12);
        int least = padded(lanes, metadataBytes);
        int most = padded(lanes, METADATA_BYTES_MAX);
        if (headerBytes < least || headerBytes > most || headerBytes % 8 != 0) {
            String found = Integer.toUnsignedString(headerBytes);
            String expected = "a multiple of 8 from %d to %d".formatted(least, most);
            throw TapeException.damaged(path, 12, "header_bytes", found, expected);
        }
        return headerBytes;
    }

    private static int padded(int lanes, int metadataBytes) {
        return (FIXED_BYTES + LANE_BYTES * lanes + metadataBytes + 7) / 8 * 8;
    }

    /** Decodes a whole header whose length {@link #headerBytes} accepted. */
    static TapeHeader decode(ByteBuffer bytes, long fileBytes, Path path) throws TapeException {
        long checksum = bytes.getLong(CHECKSUM_OFFSET);
        bytes.putLong(CHECKSUM_OFFSET, 0);
        long actual = Hash.xxh64(bytes, 0, bytes.limit(), 0);
        if (actual != checksum) {
            throw TapeException.damaged(path, CHECKSUM_OFFSET, "header_checksum", hex(checksum), hex(actual));
        }
        int lanes = bytes.getInt(16);
        int metadataAt = FIXED_BYTES + LANE_BYTES * lanes;
        int metadataEnd = metadataAt + bytes.getInt(20);
        for (int at = metadataEnd; at < bytes.limit(); at++) {
            if (bytes.get(at) != 0) {
                throw TapeException.damaged(path, at, "padding", bytes.get(at), 0);
            }
        }
        TapeHeader header = new TapeHeader(
                bytes.getLong(24),
                lanes(bytes, lanes),
                bytes.getLong(32),
                bytes.getLong(40),
                bytes.getLong(56),
                checksum,
                text(bytes.slice(metadataAt, metadataEnd - metadataAt), metadataAt, path));
        header.checkLanes(bytes.limit(), fileBytes, path);
        return header;
    }

    private static List<LaneFacts> lanes(ByteBuffer bytes, int count) {
        List<LaneFacts> lanes = new ArrayList<>();
        for (int at = FIXED_BYTES; lanes.size() < count; at += LANE_BYTES) {
            lanes.add(new LaneFacts(
                    bytes.getLong(at), bytes.getLong(at + 8), bytes.getLong(at + 16), bytes.getLong(at + 24)));
        }
        return List.copyOf(lanes);
    }

    private static String text(ByteBuffer bytes, int offset, Path path) throws TapeException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException error) {
            throw TapeException.damaged(path, offset, "metadata", error.getMessage(), "UTF-8");
        }
    }

    /** Checks that lanes are contiguous from the header to the end of the file, and that their operations add up. */
    private void checkLanes(long headerBytes, long fileBytes, Path path) throws TapeException {
        long end = headerBytes;
        long sum = 0;
        for (int number = 0; number < lanes.size(); number++) {
            LaneFacts lane = lanes.get(number);
            long at = FIXED_BYTES + (long) LANE_BYTES * number;
            if (lane.offset() != end) {
                throw TapeException.damaged(path, at, "lane offset", Long.toUnsignedString(lane.offset()), end);
            }
            if (lane.bytes() < 0 || lane.bytes() > fileBytes - end) {
                String most = "at most " + (fileBytes - end);
                throw TapeException.damaged(path, at + 8, "lane length", Long.toUnsignedString(lane.bytes()), most);
            }
            end += lane.bytes();
            sum += lane.operations();
        }
        if (end != fileBytes) {
            throw TapeException.damaged(path, FIXED_BYTES, "end of the last lane", end, fileBytes);
        }
        if (sum != operations) {
            throw TapeException.damaged(path, 24, "operations", Long.toUnsignedString(operations), sum);
        }
    }

    static String hex(long checksum) {
        return "%016x".formatted(checksum);
    }
}
