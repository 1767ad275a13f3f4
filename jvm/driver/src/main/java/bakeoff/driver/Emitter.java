package bakeoff.driver;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes events, a line each, from whichever thread has one.
 *
 * <p>It takes standard output for itself, so that what a library prints goes to standard error, which is for people. So does what the JVM
 * prints, of which nothing here knows, where the launcher has put standard error in its place.
 */
final class Emitter {
    private static final Gson GSON = new Gson();
    private final PrintStream out;

    Emitter() {
        out = new PrintStream(new FileOutputStream(events()), false, StandardCharsets.UTF_8);
        System.setOut(System.err);
    }

    /** The launcher puts the caller's output where the input was: that is written to as it was opened, whereas a file opened again begins anew. */
    private static FileDescriptor events() {
        return Main.REQUEST == null ? FileDescriptor.out : FileDescriptor.in;
    }

    /** An event of this name without fields yet. */
    static JsonObject event(String name) {
        JsonObject json = new JsonObject();
        json.addProperty("event", name);
        return json;
    }

    /** Writes one line. What cannot be written shows at the end: {@link #isLost}. */
    void emit(JsonObject line) {
        say(GSON.toJson(line));
    }

    /** Whether anything could not be written. */
    boolean isLost() {
        return out.checkError();
    }

    /** Writes one line of words, where no event is waited for. */
    synchronized void say(String line) {
        out.println(line);
        out.flush();
    }
}
