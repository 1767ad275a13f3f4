package bakeoff.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Values written by Rust, and invalid values. */
final class DirectoryReaderTest {
    private static final Path VALUES = Path.of("../../crates/tape/vectors/serialised.bin");
    private static final int FLAT_BYTES = 232;

    private static DirectoryReader reader(int codec, boolean all) {
        DirectoryReader reader = new DirectoryReader();
        reader.begin(codec << 16 | (all ? 1 << 24 : 0));
        return reader;
    }

    /** The first value of each codec, in the order of the file. */
    private static byte[] value(int codec) throws Exception {
        byte[] all = Files.readAllBytes(VALUES);
        int flat = 2 * Long.BYTES;
        int proto = flat + FLAT_BYTES + 240;
        return switch (codec) {
            case Walk.LONG -> Arrays.copyOfRange(all, 0, Long.BYTES);
            case Walk.FLATBUFFERS -> Arrays.copyOfRange(all, flat, flat + FLAT_BYTES);
            default -> Arrays.copyOfRange(all, proto, proto + (all.length - proto) / 2 - 1);
        };
    }

    @Test
    void idsAreRead() throws Exception {
        for (int codec : new int[] {Walk.LONG, Walk.FLATBUFFERS, Walk.PROTOBUF}) {
            byte[] value = value(codec);
            DirectoryReader reader = reader(codec, false);
            // An output may have older bytes behind a value.
            assertTrue(reader.read(Arrays.copyOf(value, value.length + 100), value.length), "codec " + codec);
            assertEquals(200 + codec, reader.objectId());
            assertEquals(reader.objectId(), reader.state());
        }
    }

    @Test
    void damageIsNeverThrown() throws Exception {
        Random random = new Random(1);
        for (int codec : new int[] {Walk.FLATBUFFERS, Walk.PROTOBUF}) {
            byte[] value = value(codec);
            int unread = 0;
            for (int round = 0; round < 20_000; round++) {
                byte[] damaged = value.clone();
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                if (!reader(codec, true).read(damaged, random.nextInt(damaged.length + 1))) {
                    unread++;
                }
            }
            assertTrue(unread > 5_000, "%d values of codec %d were not read".formatted(unread, codec));
            assertFalse(reader(codec, true).read(new byte[0], 0));
        }
    }
}
