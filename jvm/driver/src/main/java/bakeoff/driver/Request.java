package bakeoff.driver;

import bakeoff.store.DataHints;
import bakeoff.store.Durability;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One cell in one round, as it is read from standard input ({@code docs/PROTOCOL.md}).
 *
 * @param warmUp what to do before anything is measured
 * @param verify the tape to replay after closing and opening again
 * @param compactedCopy where to make a compacted copy after that
 * @param profile what to profile meanwhile
 */
record Request(
        String store,
        Durability durability,
        JsonObject settings,
        Path directory,
        Path pool,
        DataHints hints,
        List<Phase> phases,
        Optional<WarmUp> warmUp,
        Optional<Path> verify,
        Optional<Path> compactedCopy,
        Optional<Profile> profile) {
    static final int PROTOCOL = 2;

    /** What to profile, and the file to write it to. */
    record Profile(Profiler.Kind kind, Path file) {
        /** The file that says why there is no profile. */
        Path trouble() {
            return file.resolveSibling(file.getFileName() + ".trouble");
        }
    }

    /**
     * One phase to replay.
     *
     * @param speed open loop: the tape's times are divided by it; 0 for a closed loop
     * @param steadyWithin the part of the operations that may be a warm-up, until their rate has settled; 0 if none may
     * @param settle wait afterwards until the store has done what it put off
     * @param reopen before it, close the store and open it again
     */
    record Phase(
            String name,
            Path tape,
            boolean latency,
            boolean batched,
            boolean ascending,
            double speed,
            double steadyWithin,
            boolean settle,
            boolean reopen) {}

    /** Phases to replay into an empty store of its own until so much time has passed or so much was done. */
    record WarmUp(Path pool, List<Phase> phases, DataHints hints, long timeNs, long operations) {}

    /**
     * Reads a request and checks what can be checked without touching a file.
     *
     * @throws Failure malformed, of an unknown version, without phases
     */
    static Request parse(String text) throws Failure {
        if (text.isBlank()) {
            throw malformed("it is empty");
        }
        try {
            JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            long protocol = new Fields(json, "").number("protocol");
            if (protocol != PROTOCOL) {
                throw Failure.badRequest(
                        "the request speaks protocol %d, this driver speaks %d: build both from the same version"
                                .formatted(protocol, PROTOCOL));
            }
            return read(new Fields(json, ""));
        } catch (JsonParseException | IllegalStateException malformed) {
            throw malformed(malformed.getMessage());
        }
    }

    private static Request read(Fields json) throws Failure {
        json.number("round");
        json.text("cell");
        String durability = json.text("durability");
        Request request = new Request(
                json.text("store"),
                Durability.of(durability).orElseThrow(() -> malformed("unknown durability `%s`".formatted(durability))),
                json.json.has("settings") ? json.object("settings").json : new JsonObject(),
                Path.of(json.text("directory")),
                Path.of(json.text("pool")),
                hints(json.object("hints")),
                phases(json),
                json.json.has("warm_up") ? Optional.of(warmUp(json.object("warm_up"))) : Optional.empty(),
                json.optional("verify").map(JsonElement::getAsString).map(Path::of),
                json.optional("compacted_copy").map(JsonElement::getAsString).map(Path::of),
                json.json.has("profile") ? Optional.of(profile(json.object("profile"))) : Optional.empty());
        if (request.phases.isEmpty()) {
            throw Failure.badRequest("the request has no phases");
        }
        return request;
    }

    private static Profile profile(Fields json) throws Failure {
        String kind = json.text("kind");
        Profiler.Kind known =
                switch (kind) {
                    case "cpu" -> Profiler.Kind.CPU;
                    case "alloc" -> Profiler.Kind.ALLOC;
                    default -> throw malformed("unknown profile `%s`: use cpu or alloc".formatted(kind));
                };
        return new Profile(known, Path.of(json.text("file")));
    }

    private static WarmUp warmUp(Fields json) throws Failure {
        return new WarmUp(
                Path.of(json.text("pool")),
                phases(json),
                hints(json.object("hints")),
                json.limit("time_ns"),
                json.limit("operations"));
    }

    private static List<Phase> phases(Fields json) throws Failure {
        List<Phase> phases = new ArrayList<>();
        for (JsonElement element : json.array("phases")) {
            Fields phase = new Fields(element.getAsJsonObject(), "phases.");
            String mode = phase.text("mode");
            if (!mode.equals("latency") && !mode.equals("throughput")) {
                throw malformed("unknown mode `%s`: use latency or throughput".formatted(mode));
            }
            double speed = phase.optional("speed").map(JsonElement::getAsDouble).orElse(0.0);
            boolean sound = speed > 0 && Double.isFinite(speed) && mode.equals("latency");
            if (phase.optional("speed").isPresent() && !sound) {
                throw Failure.badRequest("phase `%s`: speed %s in mode %s: give a number above 0, and mode latency"
                        .formatted(phase.text("name"), speed, mode));
            }
            double part = phase.optional("steady_within")
                    .map(JsonElement::getAsDouble)
                    .orElse(0.0);
            if (phase.optional("steady_within").isPresent() && !(part > 0 && part <= Steady.WITHIN_MAX && speed == 0)) {
                throw Failure.badRequest(
                        "phase `%s`: steady_within %s, speed %s: give a part above 0, up to %s, and no speed"
                                .formatted(phase.text("name"), part, speed, Steady.WITHIN_MAX));
            }
            phases.add(new Phase(
                    phase.text("name"),
                    Path.of(phase.text("tape")),
                    mode.equals("latency"),
                    phase.flag("batched"),
                    phase.flag("ascending"),
                    speed,
                    part,
                    phase.wish("settle"),
                    phase.wish("reopen")));
        }
        return List.copyOf(phases);
    }

    private static DataHints hints(Fields json) throws Failure {
        long threads = json.number("threads");
        if (threads < 1 || threads > bakeoff.tape.TapeHeader.LANES_MAX) {
            throw Failure.badRequest(
                    "hints.threads is %d: give 1 to %d".formatted(threads, bakeoff.tape.TapeHeader.LANES_MAX));
        }
        return new DataHints(
                json.number("records_max"),
                json.number("records_inserted"),
                json.number("key_bytes_max"),
                json.number("value_bytes_mean"),
                json.number("value_bytes_max"),
                json.number("data_bytes_max"),
                json.number("written_bytes"),
                json.flag("integer_keys"),
                (int) threads);
    }

    private static Failure malformed(String what) {
        return Failure.badRequest("the request is malformed: %s (docs/PROTOCOL.md shows one)".formatted(what));
    }

    /** A JSON object whose fields must be there and of the right type. */
    private record Fields(JsonObject json, String place) {
        String text(String name) throws Failure {
            return primitive(name, "text", JsonPrimitive::isString).getAsString();
        }

        long number(String name) throws Failure {
            try {
                return primitive(name, "a number", JsonPrimitive::isNumber)
                        .getAsBigDecimal()
                        .longValueExact();
            } catch (ArithmeticException | NumberFormatException broken) {
                throw malformed("`%s%s` is no whole number of 63 bits".formatted(place, name));
            }
        }

        /** A number that need not be there: without it there is no limit. */
        long limit(String name) throws Failure {
            if (optional(name).isEmpty()) {
                return Long.MAX_VALUE;
            }
            long number = number(name);
            if (number < 0) {
                throw malformed("`%s%s` is %d: give 0 or more".formatted(place, name, number));
            }
            return number;
        }

        boolean flag(String name) throws Failure {
            return primitive(name, "true or false", JsonPrimitive::isBoolean).getAsBoolean();
        }

        /** A flag that need not be there. */
        boolean wish(String name) throws Failure {
            return json.has(name) && flag(name);
        }

        Fields object(String name) throws Failure {
            if (get(name) instanceof JsonObject object) {
                return new Fields(object, place + name + ".");
            }
            throw malformed("`%s%s` is no object".formatted(place, name));
        }

        JsonArray array(String name) throws Failure {
            if (get(name) instanceof JsonArray array) {
                return array;
            }
            throw malformed("`%s%s` is no array".formatted(place, name));
        }

        Optional<JsonElement> optional(String name) {
            return Optional.ofNullable(json.get(name)).filter(element -> !element.isJsonNull());
        }

        private JsonPrimitive primitive(String name, String what, java.util.function.Predicate<JsonPrimitive> is)
                throws Failure {
            if (get(name) instanceof JsonPrimitive primitive && is.test(primitive)) {
                return primitive;
            }
            throw malformed("`%s%s` is not %s".formatted(place, name, what));
        }

        private JsonElement get(String name) throws Failure {
            if (!json.has(name)) {
                throw malformed("`%s%s` is missing".formatted(place, name));
            }
            return json.get(name);
        }
    }
}
