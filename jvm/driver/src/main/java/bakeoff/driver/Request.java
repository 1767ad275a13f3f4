package bakeoff.driver;

import bakeoff.store.DataHints;
import bakeoff.store.Durability;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One cell in one round, as read from standard input ({@code docs/PROTOCOL.md}).
 *
 * @param warmUp a workload to run before measuring
 * @param verify the tape to replay after reopening the store
 * @param compactedCopy where to make a compacted copy after that
 * @param crash the part of this process in a recovery
 * @param acknowledged a file for what is acknowledged, at any moment
 * @param inventory in a recovery: the file for what is found in the store
 * @param profile the kind of profile to take during the phases
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
        Optional<Crash> crash,
        Optional<Path> acknowledged,
        Optional<Path> inventory,
        Optional<Profiler.Wanted> profile) {
    static final int PROTOCOL = 2;

    /** The part of a process in a recovery. */
    enum Crash {
        /** After the phases it dies by SIGKILL, with the store open. */
        DIE,
        /** It opens what a killed process left. */
        RECOVER
    }

    /** Whether the store may have been killed, so that the directory may have any content. */
    boolean recovers() {
        return crash.equals(Optional.of(Crash.RECOVER));
    }

    /**
     * One phase to replay.
     *
     * @param speed open loop: divides the tape's times; 0 for a closed loop
     * @param steadyWithin the maximum fraction of operations that warm up until their rate is steady; 0 for no warm-up
     * @param settle wait afterwards for the store's background work
     * @param reopen close and reopen the store before the phase
     * @param gate with {@code reopen}: a file to read to its end while the store is closed
     * @param valueSizes ranges of value sizes with separate latencies, ascending
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
            boolean reopen,
            Optional<Path> gate,
            List<ValueSizes> valueSizes) {}

    /** Phases to replay into a separate, empty store, until a time or a number of operations is reached. */
    record WarmUp(Path pool, List<Phase> phases, DataHints hints, long timeNs, long operations) {}

    /**
     * Reads a request and checks everything that can be checked without touching a file.
     *
     * @throws Failure malformed, of an unknown version, or without phases
     */
    static Request parse(String text) throws Failure {
        if (text.isBlank()) {
            throw malformed("it is empty");
        }
        try {
            JsonObject json = strict(text).getAsJsonObject();
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

    /** Exactly one JSON text, in which no object has a key twice. By default the parser accepts comments, single quotes and other extensions. */
    private static JsonElement strict(String text) {
        try {
            refuseTwice(reader(text));
            JsonReader reader = reader(text);
            JsonElement json = JsonParser.parseReader(reader);
            if (reader.peek() != JsonToken.END_DOCUMENT) {
                throw new JsonParseException("something follows the request");
            }
            return json;
        } catch (IOException broken) {
            throw new JsonParseException(broken);
        }
    }

    /** A strict parser: by default it takes comments, single quotes and much else. */
    private static JsonReader reader(String text) {
        JsonReader reader = new JsonReader(new StringReader(text));
        reader.setStrictness(Strictness.STRICT);
        return reader;
    }

    /** Reads a value, and refuses an object in it that has a key twice. */
    private static void refuseTwice(JsonReader reader) throws IOException {
        switch (reader.peek()) {
            case BEGIN_OBJECT -> {
                Set<String> keys = new HashSet<>();
                reader.beginObject();
                while (reader.hasNext()) {
                    String key = reader.nextName();
                    if (!keys.add(key)) {
                        throw new JsonParseException("the key `%s` comes twice".formatted(key));
                    }
                    refuseTwice(reader);
                }
                reader.endObject();
            }
            case BEGIN_ARRAY -> {
                reader.beginArray();
                while (reader.hasNext()) {
                    refuseTwice(reader);
                }
                reader.endArray();
            }
            default -> reader.skipValue();
        }
    }

    private static Request read(Fields json) throws Failure {
        json.text("cell");
        long round = json.number("round");
        if (round < 1 || round > 0xffff_ffffL) {
            throw Failure.badRequest("round is %d: rounds are counted from 1 to 2^32 - 1".formatted(round));
        }
        String durability = json.text("durability");
        DataHints hints = hints(json.object("hints"));
        Optional<Crash> crash = json.isThere("crash") ? Optional.of(crash(json.text("crash"))) : Optional.empty();
        Request request = new Request(
                json.text("store"),
                Durability.of(durability).orElseThrow(() -> malformed("unknown durability `%s`".formatted(durability))),
                json.isThere("settings") ? json.object("settings").json : new JsonObject(),
                json.path("directory"),
                json.path("pool"),
                hints,
                phases(json, hints, crash.equals(Optional.of(Crash.RECOVER))),
                json.isThere("warm_up") ? Optional.of(warmUp(json.object("warm_up"))) : Optional.empty(),
                json.isThere("verify") ? Optional.of(json.path("verify")) : Optional.empty(),
                json.isThere("compacted_copy") ? Optional.of(json.path("compacted_copy")) : Optional.empty(),
                crash,
                json.isThere("acknowledged") ? Optional.of(json.path("acknowledged")) : Optional.empty(),
                json.isThere("inventory") ? Optional.of(json.path("inventory")) : Optional.empty(),
                json.isThere("profile") ? Optional.of(profile(json.object("profile"))) : Optional.empty());
        refuseWrong(request);
        return request;
    }

    private static Crash crash(String word) throws Failure {
        return switch (word) {
            case "die" -> Crash.DIE;
            case "recover" -> Crash.RECOVER;
            default -> throw malformed("unknown crash `%s`: use die or recover".formatted(word));
        };
    }

    /** Refuses a request that contradicts itself. */
    private static void refuseWrong(Request request) throws Failure {
        String wrong = null;
        if (request.compactedCopy.isPresent() && request.verify.isEmpty()) {
            wrong = "compacted_copy without verify: give both";
        } else if (request.compactedCopy.isPresent() && request.crash.isPresent()) {
            wrong = "compacted_copy with crash: leave one out";
        } else if (request.inventory.isPresent() && !request.recovers()) {
            wrong = "inventory without a recovery: give both";
        } else if (request.inventory.isPresent() && request.verify.isPresent()) {
            wrong = "inventory with verify: leave one out, a driver that lists what it finds compares nothing";
        } else if (request.recovers() && request.inventory.isEmpty() && !request.phases.isEmpty()) {
            wrong = "phases, but a recovery without an inventory has none: leave them out";
        }
        if (wrong != null) {
            throw Failure.badRequest("the request has " + wrong);
        }
    }

    private static Profiler.Wanted profile(Fields json) throws Failure {
        String kind = json.text("kind");
        Profiler.Kind known =
                switch (kind) {
                    case "cpu" -> Profiler.Kind.CPU;
                    case "alloc" -> Profiler.Kind.ALLOC;
                    default -> throw malformed("unknown profile `%s`: use cpu or alloc".formatted(kind));
                };
        return new Profiler.Wanted(known, json.path("file"));
    }

    private static WarmUp warmUp(Fields json) throws Failure {
        if (!json.isThere("time_ns") && !json.isThere("operations")) {
            throw Failure.badRequest("warm_up has no end: give time_ns, operations or both");
        }
        DataHints hints = hints(json.object("hints"));
        return new WarmUp(
                json.path("pool"), phases(json, hints, false), hints, json.limit("time_ns"), json.limit("operations"));
    }

    private static List<Phase> phases(Fields json, DataHints hints, boolean mayBeNone) throws Failure {
        List<Phase> phases = new ArrayList<>();
        for (JsonElement element : json.array("phases")) {
            Fields phase = new Fields(element.getAsJsonObject(), "phases.");
            String mode = phase.text("mode");
            if (!mode.equals("latency") && !mode.equals("throughput")) {
                throw malformed("unknown mode `%s`: use latency or throughput".formatted(mode));
            }
            double speed = phase.isThere("speed") ? phase.fraction("speed") : 0;
            boolean sound = speed > 0 && Double.isFinite(speed) && mode.equals("latency");
            if (phase.isThere("speed") && !sound) {
                throw Failure.badRequest("phase `%s`: speed %s in mode %s: give a number above 0, and mode latency"
                        .formatted(phase.text("name"), speed, mode));
            }
            double part = phase.isThere("steady_within") ? phase.fraction("steady_within") : 0;
            if (phase.isThere("steady_within") && !(part > 0 && part <= Steady.WITHIN_MAX && speed == 0)) {
                throw Failure.badRequest(
                        "phase `%s`: steady_within %s, speed %s: give a part above 0, up to %s, and no speed"
                                .formatted(phase.text("name"), part, speed, Steady.WITHIN_MAX));
            }
            Phase read = new Phase(
                    phase.text("name"),
                    phase.path("tape"),
                    mode.equals("latency"),
                    phase.flag("batched"),
                    phase.flag("ascending"),
                    speed,
                    part,
                    phase.wish("settle"),
                    phase.wish("reopen"),
                    phase.isThere("gate") ? Optional.of(phase.path("gate")) : Optional.empty(),
                    valueSizes(phase));
            refuseWrong(read, hints.threads());
            phases.add(read);
        }
        if (phases.isEmpty() && !mayBeNone) {
            throw Failure.badRequest("the request, or its warm_up, has no phases");
        }
        return List.copyOf(phases);
    }

    /** Refuses a phase, replayed by this many threads, that contradicts itself. */
    private static void refuseWrong(Phase phase, int threads) throws Failure {
        String wrong = null;
        if (phase.gate.isPresent() && !phase.reopen) {
            wrong = "gate without reopen: give both, or neither";
        } else if (phase.ascending && threads > 1) {
            wrong = "ascending with %d threads: keys ascend for one thread alone".formatted(threads);
        } else if (!phase.valueSizes.isEmpty() && !phase.latency) {
            wrong = "value_sizes in mode throughput: give them in mode latency alone";
        } else if (!ValueSizes.areAscending(phase.valueSizes)) {
            wrong = "value_sizes %s: give ranges, each above the one before".formatted(phase.valueSizes);
        }
        if (wrong != null) {
            throw Failure.badRequest("phase `%s`: %s".formatted(phase.name, wrong));
        }
    }

    private static List<ValueSizes> valueSizes(Fields phase) throws Failure {
        List<ValueSizes> sizes = new ArrayList<>();
        if (phase.isThere("value_sizes")) {
            for (JsonElement element : phase.array("value_sizes")) {
                Fields range = new Fields(element.getAsJsonObject(), "phases.value_sizes.");
                sizes.add(new ValueSizes(range.number("value_bytes_min"), range.number("value_bytes_max")));
            }
        }
        return List.copyOf(sizes);
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

    /** A JSON object with required fields of the right types. */
    private record Fields(JsonObject json, String place) {
        String text(String name) throws Failure {
            return primitive(name, "text", JsonPrimitive::isString).getAsString();
        }

        Path path(String name) throws Failure {
            String text = text(name);
            try {
                return Path.of(text);
            } catch (InvalidPathException broken) {
                throw malformed("`%s%s` is no path: %s".formatted(place, name, broken.getMessage()));
            }
        }

        /** A non-negative integer, written without a fraction or an exponent. */
        long number(String name) throws Failure {
            String digits = primitive(name, "a number", JsonPrimitive::isNumber).getAsString();
            try {
                if (!digits.isEmpty() && digits.chars().allMatch(Character::isDigit)) {
                    return Long.parseLong(digits);
                }
            } catch (NumberFormatException tooLarge) {
                // Reported like any other invalid number.
            }
            throw malformed("`%s%s` is %s: give a whole number from 0 to 2^63 - 1".formatted(place, name, digits));
        }

        double fraction(String name) throws Failure {
            return primitive(name, "a number", JsonPrimitive::isNumber).getAsDouble();
        }

        /** An optional number. Its absence means no limit. */
        long limit(String name) throws Failure {
            return isThere(name) ? number(name) : Long.MAX_VALUE;
        }

        boolean flag(String name) throws Failure {
            return primitive(name, "true or false", JsonPrimitive::isBoolean).getAsBoolean();
        }

        /** An optional flag. */
        boolean wish(String name) throws Failure {
            return isThere(name) && flag(name);
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

        /** Whether an optional key is there. */
        boolean isThere(String name) {
            return json.has(name);
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
