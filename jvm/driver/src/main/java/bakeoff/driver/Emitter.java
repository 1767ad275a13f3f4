package bakeoff.driver;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes events, one per line, from any thread.
 *
 * <p>It takes over standard output. Output of libraries goes to standard error, which is for people. So does output of
 * the JVM itself, if the launcher has redirected it.
 */
final class Emitter {
    private static final Gson GSON = new Gson();
    private final PrintStream out;

    /** {@code events} is where the caller reads them. */
    Emitter(FileDescriptor events) {
        out = new PrintStream(new FileOutputStream(events), false, StandardCharsets.UTF_8);
        System.setOut(System.err);
    }

    /** An event with this name and no other fields. */
    static JsonObject event(String name) {
        JsonObject json = new JsonObject();
        json.addProperty("event", name);
        return json;
    }

    /** Writes one line. {@link #isLost} reports failed writes at the end. */
    void emit(JsonObject line) {
        say(GSON.toJson(line));
    }

    /** Whether any line could not be written. */
    boolean isLost() {
        return out.checkError();
    }

    /** Writes one line of text, outside the protocol. */
    synchronized void say(String line) {
        out.println(line);
        out.flush();
    }
}
