package bakeoff.driver;

import bakeoff.store.StoreDescription;
import bakeoff.store.StoreType;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;

/** The command line of the driver. Its stores are those on the class path. */
public final class Main {
    /** The maximum length of a request. */
    private static final int REQUEST_BYTES_MAX = 16 << 20;

    private static final String VERSION = "0.1.0";

    /** The file with the request, if the launcher has passed the caller's output as standard input. */
    private static final String REQUEST = System.getProperty("bakeoff.request");

    private Main() {}

    /**
     * Exit status: 0 success, 1 the cell failed (the last event has the reason) or a library is missing, 2 wrong usage.
     */
    public static void main(String[] arguments) {
        Emitter emitter = new Emitter(events());
        String verb = arguments.length == 1 || isCheck(arguments) ? arguments[0] : "";
        int status =
                switch (verb) {
                    case "describe" -> describe(emitter);
                    case "run" -> run(emitter);
                    case "check" -> check(arguments[1], emitter);
                    default -> {
                        System.err.println("bakeoff-driver-jvm: opens stores and replays tapes for bakeoff\n\n"
                                + "usage: describe    print the stores and what they can do, as JSON\n"
                                + "       run         read a request from standard input, write events to standard output\n"
                                + "       check STORE load its library, and print why it cannot be opened\n\n"
                                + "example: bakeoff request CELL | bakeoff-driver-jvm run");
                        yield 2;
                    }
                };
        Temporary.removeOwn();
        if (emitter.isLost()) {
            System.err.println("cannot write to standard output: what was measured is lost");
            status = 1;
        }
        // A library's threads must not keep the process alive.
        Runtime.getRuntime().halt(status);
    }

    /**
     * The launcher passes the caller's output as standard input, since a file opened by name again would be truncated
     * or overwritten.
     */
    private static FileDescriptor events() {
        return REQUEST == null ? FileDescriptor.out : FileDescriptor.in;
    }

    private static boolean isCheck(String[] arguments) {
        return arguments.length == 2 && arguments[0].equals("check");
    }

    /** Loads a store's library. If that fails, prints the reason as a cell's failure would. */
    private static int check(String store, Emitter emitter) {
        try {
            ClassPath.check();
            Case.find(store, ServiceLoader.load(StoreType.class));
            return 0;
        } catch (Exception | Error error) {
            emitter.say(Failure.of(Case.LOADING, error).getMessage());
            return 1;
        }
    }

    private static int describe(Emitter emitter) {
        JsonArray stores = new JsonArray();
        JsonObject missing = new JsonObject();
        int status = 0;
        for (StoreType type : ServiceLoader.load(StoreType.class)) {
            try {
                StoreDescription description = type.describe();
                stores.add(description.toJson());
                if (description.missing() != null) {
                    missing.addProperty(description.name(), description.missing());
                    status = 1;
                }
            } catch (Exception | LinkageError error) {
                System.err.printf("%s is left out: %s%n", type.getClass().getSimpleName(), error);
                status = 1;
            }
        }
        JsonObject json = new JsonObject();
        json.addProperty("protocol", Request.PROTOCOL);
        json.addProperty("driver", "bakeoff-driver-jvm");
        json.addProperty("version", VERSION);
        json.addProperty("build", "release");
        json.addProperty("platform", "jvm");
        json.addProperty("recovers", true);
        json.addProperty("power_cuts", true);
        json.addProperty("warms_up", true);
        JsonArray profiles = new JsonArray();
        profiles.add("cpu");
        profiles.add("alloc");
        json.add("profiles", profiles);
        json.add("stores", stores);
        json.add("missing", missing);
        emitter.emit(json);
        return status;
    }

    private static int run(Emitter emitter) {
        Temporary.removeOwnAtExit();
        try {
            ClassPath.check();
            emitter.emit(Run.run(request(), ServiceLoader.load(StoreType.class), emitter));
            return 0;
        } catch (IOException unreadable) {
            return fail(emitter, Failure.badRequest("cannot read the request: " + unreadable));
        } catch (Failure failure) {
            return fail(emitter, failure);
        } catch (RuntimeException | Error unexpected) {
            return fail(emitter, Failure.of("the driver", unexpected));
        }
    }

    private static String request() throws IOException {
        // Buffered: a file stream that reads many bytes at once asks for its position, which a pipe does not have.
        try (InputStream input = REQUEST == null ? System.in : new BufferedInputStream(new FileInputStream(REQUEST))) {
            // Refuses what is no UTF-8.
            ByteBuffer bytes = ByteBuffer.wrap(input.readNBytes(REQUEST_BYTES_MAX));
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        }
    }

    private static int fail(Emitter emitter, Failure failure) {
        // If other code threw the error, the log needs its stack trace.
        if (failure.getCause() == null || failure.kind() == Failure.Kind.BAD_REQUEST) {
            System.err.println(failure.getMessage());
        } else {
            failure.printStackTrace(System.err);
        }
        emitter.emit(failure.toJson());
        return 1;
    }
}
