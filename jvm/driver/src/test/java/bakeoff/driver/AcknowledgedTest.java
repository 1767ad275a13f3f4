package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import bakeoff.store.Direction;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.Visitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a caller finds in the file for acknowledgements. */
final class AcknowledgedTest {
    @TempDir
    Path directory;

    /** Accepts {@code rest} writes and commits, then fails. */
    private static final class Fails implements Session<byte[]> {
        private int rest;

        Fails(int rest) {
            this.rest = rest;
        }

        @Override
        public void insert(byte[] key, byte[] value) throws IOException {
            delete(key);
        }

        @Override
        public void update(byte[] key, byte[] value) throws IOException {
            delete(key);
        }

        @Override
        public void upsert(byte[] key, byte[] value) throws IOException {
            delete(key);
        }

        @Override
        public boolean get(byte[] key, Output output) {
            return true;
        }

        @Override
        public boolean exists(byte[] key, Output output) {
            return false;
        }

        @Override
        public void delete(byte[] key) throws IOException {
            if (rest-- == 0) {
                throw new IOException("enough");
            }
        }

        @Override
        public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor) {
            visitor.visit(from, from);
        }

        @Override
        public void commit() throws IOException {
            delete(null);
        }

        @Override
        public void close() {}
    }

    private Path file(int bytes) throws IOException {
        return Files.write(directory.resolve("acknowledged"), new byte[bytes]);
    }

    @Test
    void eachWriteIsAcknowledgedWhenItReturnsWithoutAnError() throws Exception {
        Path path = file(192);
        Acknowledged file = Acknowledged.open(path, 2);
        file.setOpen();
        file.setCount(1, 255);
        Session<byte[]> session = new Acknowledging<>(new Fails(4), file, 1, false);
        session.insert(null, null);
        assertEquals(256, file.count(1));
        session.update(null, null);
        session.upsert(null, null);
        session.delete(null);
        assertThrows(IOException.class, () -> session.insert(null, null));
        session.get(null, null);
        session.exists(null, null);
        session.scan(new byte[0], Direction.ANY, (key, value) -> true);
        byte[] expected = new byte[192];
        expected[0] = 1;
        expected[128] = 3;
        expected[129] = 1;
        assertArrayEquals(expected, Files.readAllBytes(path));
    }

    @Test
    void aBatchIsAcknowledgedByItsCommit() throws Exception {
        Acknowledged file = Acknowledged.open(file(128), 1);
        Session<byte[]> session = new Acknowledging<>(new Fails(4), file, 0, true);
        session.insert(null, null);
        session.delete(null);
        assertEquals(0, file.count(0));
        session.commit();
        assertEquals(3, file.count(0));
        session.delete(null);
        assertThrows(IOException.class, session::commit);
        assertEquals(3, file.count(0));
    }

    @Test
    void aFileThatIsNotAsItShouldBeIsRefused() throws Exception {
        Path path = file(128);
        assertThrows(Failure.class, () -> Acknowledged.open(path, 2));
        Acknowledged.open(path, 1).setOpen();
        assertThrows(Failure.class, () -> Acknowledged.open(path, 1), "it was used");
        assertThrows(Failure.class, () -> Acknowledged.open(directory, 1));
        assertThrows(Failure.class, () -> Acknowledged.open(directory.resolve("gone"), 1));
    }
}
