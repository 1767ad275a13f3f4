package bakeoff.driver;

import bakeoff.store.Capability;
import bakeoff.store.Direction;
import bakeoff.store.Form;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.Visitor;
import com.google.gson.JsonObject;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file with inventories of a store: what it delivers, written for the caller ({@code docs/PROTOCOL.md}). Nothing is
 * compared here.
 */
final class Inventory {
    private static final byte[] MAGIC = "BAKEINVT".getBytes(StandardCharsets.US_ASCII);
    /** Instead of the length of a key: there are no more entries. */
    private static final int END = -1;

    private final Path path;
    private final Direction direction;

    private Inventory(Path path, Direction direction) {
        this.path = path;
        this.direction = direction;
    }

    /** Creates the file. */
    static Inventory create(Path path, StoreDescription description) throws Failure {
        try {
            Files.createFile(path);
        } catch (IOException error) {
            throw Failure.badRequest("cannot make the inventory %s: %s".formatted(path, error));
        }
        boolean ordered = description.can(Capability.SCAN_ORDERED);
        return new Inventory(path, ordered ? Direction.FORWARD : Direction.ANY);
    }

    /** Adds an inventory of a store. Returns the event that reports it. */
    <B> JsonObject add(Store<B> store) throws Failure {
        Lister<B> lister;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path, StandardOpenOption.APPEND));
                Session<B> session = store.session(new SessionPlan(false, false))) {
            lister = new Lister<>(store.form(), out);
            session.scan(null, direction, lister);
            lister.end();
        } catch (Exception | Error error) {
            throw Failure.of("listing the store", error).inPhase("inventory");
        }
        JsonObject event = Emitter.event("inventory");
        event.addProperty("entries", lister.entries);
        return event;
    }

    /** Writes each entry. */
    private static final class Lister<B> implements Visitor<B> {
        private final Form<B> form;
        private final OutputStream out;
        private final ByteBuffer number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        private byte[] scratch = new byte[1 << 12];
        private long entries;
        private IOException trouble;

        Lister(Form<B> form, OutputStream out) throws IOException {
            this.form = form;
            this.out = out;
            out.write(MAGIC);
        }

        @Override
        public boolean visit(B key, B value) {
            try {
                write(Integer.BYTES, form.length(key));
                if (scratch.length < form.length(key)) {
                    scratch = new byte[form.length(key)];
                }
                out.write(form.array(key, scratch), 0, form.length(key));
                write(Long.BYTES, form.length(value));
                write(Long.BYTES, form.xxh64(value, 0));
                entries++;
                return true;
            } catch (IOException unwritable) {
                trouble = unwritable;
                return false;
            }
        }

        void end() throws IOException {
            if (trouble != null) {
                throw trouble;
            }
            write(Integer.BYTES, END);
            write(Long.BYTES, entries);
        }

        private void write(int bytes, long value) throws IOException {
            out.write(number.putLong(0, value).array(), 0, bytes);
        }
    }
}
