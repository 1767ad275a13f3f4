package bakeoff.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Map;

/**
 * A setting of a store that suites may use.
 *
 * @param name its name in suites and requests
 * @param type {@code bytes}, {@code integer}, {@code boolean} or {@code choice}
 * @param min the minimum
 * @param max the maximum
 * @param powersOfTwo whether only powers of two are allowed
 * @param memory whether it is memory of the process, so that its total is limited by the machine
 * @param words the words of a choice
 * @param flushing words with which every acknowledged write is flushed, at every level
 * @param promises words that limit the durability level, with that level
 * @param uncompressed the value that switches compression off; null if the setting is not about compression
 * @param fallback the default; null if it depends on the data
 * @param help its effect, in one sentence
 * @param source the documentation of the default
 */
public record Setting(
        String name,
        String type,
        long min,
        long max,
        boolean powersOfTwo,
        boolean memory,
        List<String> words,
        List<String> flushing,
        Map<String, Durability> promises,
        JsonPrimitive uncompressed,
        JsonPrimitive fallback,
        String help,
        String source) {

    /** A number of bytes; {@code fallback} may be null. */
    public static Setting bytes(String name, long min, long max, Long fallback, String help, String source) {
        return number(name, "bytes", min, max, fallback, help, source);
    }

    /** An integer; {@code fallback} may be null. */
    public static Setting integer(String name, long min, long max, Long fallback, String help, String source) {
        return number(name, "integer", min, max, fallback, help, source);
    }

    /** True or false. */
    public static Setting flag(String name, boolean fallback, String help, String source) {
        return of(name, "boolean", 0, 0, List.of(), new JsonPrimitive(fallback), help, source);
    }

    /** One of a few words. The first is the default. */
    public static Setting choice(String name, List<String> words, String help, String source) {
        return of(name, "choice", 0, 0, words, new JsonPrimitive(words.get(0)), help, source);
    }

    /** The same setting, limited to powers of two. */
    public Setting ofPowersOfTwo() {
        return with(true, memory, flushing, promises, uncompressed);
    }

    /** The same setting, marked as memory of the process. */
    Setting ofMemory() {
        return with(powersOfTwo, true, flushing, promises, uncompressed);
    }

    /** The same setting, with words that make every acknowledged write flushed. */
    public Setting flushing(String... with) {
        return with(powersOfTwo, memory, List.of(with), promises, uncompressed);
    }

    /** The same setting, with words that limit the durability level. */
    public Setting promising(Map<String, Durability> most) {
        return with(powersOfTwo, memory, flushing, most, uncompressed);
    }

    /** The same setting, with the word that switches compression off. */
    public Setting uncompressed(String with) {
        return with(powersOfTwo, memory, flushing, promises, new JsonPrimitive(with));
    }

    /** The same setting, where false switches compression off. */
    public Setting uncompressedWhereFalse() {
        return with(powersOfTwo, memory, flushing, promises, new JsonPrimitive(false));
    }

    /** The same setting with these properties. */
    private Setting with(
            boolean powersOfTwo,
            boolean memory,
            List<String> flushing,
            Map<String, Durability> promises,
            JsonPrimitive uncompressed) {
        return new Setting(
                name,
                type,
                min,
                max,
                powersOfTwo,
                memory,
                words,
                flushing,
                promises,
                uncompressed,
                fallback,
                help,
                source);
    }

    private static Setting number(
            String name, String type, long min, long max, Long fallback, String help, String source) {
        JsonPrimitive value = fallback == null ? null : new JsonPrimitive(fallback);
        return of(name, type, min, max, List.of(), value, help, source);
    }

    /** A setting without special properties. */
    private static Setting of(
            String name,
            String type,
            long min,
            long max,
            List<String> words,
            JsonPrimitive fallback,
            String help,
            String source) {
        return new Setting(
                name, type, min, max, false, false, words, List.of(), Map.of(), null, fallback, help, source);
    }

    /** In the format of {@code describe}. */
    public JsonObject toJson() {
        JsonObject json = new JsonObject();
        json.addProperty("name", name);
        json.addProperty("type", type);
        if (isNumber()) {
            json.addProperty("min", min);
            json.addProperty("max", max);
            if (powersOfTwo) {
                json.addProperty("step", "power-of-two");
            }
        }
        if (memory) {
            json.addProperty("memory", true);
        }
        if (!words.isEmpty()) {
            JsonArray array = new JsonArray();
            words.forEach(array::add);
            json.add("words", array);
        }
        if (!flushing.isEmpty()) {
            JsonArray array = new JsonArray();
            flushing.forEach(array::add);
            json.add("flushing", array);
        }
        if (!promises.isEmpty()) {
            JsonObject classes = new JsonObject();
            promises.forEach((word, most) -> classes.addProperty(word, most.word()));
            json.add("promises", classes);
        }
        if (uncompressed != null) {
            json.add("uncompressed", uncompressed);
        }
        if (fallback != null) {
            json.add("default", fallback);
        }
        json.addProperty("help", help);
        json.addProperty("source", source);
        return json;
    }

    /** The requirement that a value violates; null if it is valid. */
    String wrong(JsonElement value) {
        JsonPrimitive primitive = value instanceof JsonPrimitive given ? given : new JsonPrimitive("");
        if (isNumber()) {
            boolean right = primitive.isNumber() && isWhole(primitive) && within(primitive.getAsLong());
            if (!right) {
                return "give a whole number%s from %d to %d".formatted(unit(), min, max);
            }
            return powersOfTwo ? noPowerOfTwo(primitive.getAsLong()) : null;
        }
        if (words.isEmpty()) {
            return primitive.isBoolean() ? null : "give true or false";
        }
        boolean known = primitive.isString() && words.contains(primitive.getAsString());
        return known ? null : "give one of " + String.join(", ", words);
    }

    private static String noPowerOfTwo(long number) {
        long below = Long.highestOneBit(number);
        return number == below ? null : "give a power of two, %d or %d".formatted(below, 2 * below);
    }

    private boolean isNumber() {
        return type.equals("bytes") || type.equals("integer");
    }

    private String unit() {
        return type.equals("bytes") ? " of bytes" : "";
    }

    private boolean within(long number) {
        return min <= number && number <= max;
    }

    private static boolean isWhole(JsonPrimitive number) {
        try {
            number.getAsBigDecimal().longValueExact();
            return true;
        } catch (ArithmeticException | NumberFormatException notWhole) {
            return false;
        }
    }
}
