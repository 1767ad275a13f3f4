package bakeoff.store;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A store's settings by name. Every name is known, every value has the right type and is within limits, and defaults
 * are filled in.
 */
public final class Settings {
    private final Map<String, JsonElement> values;

    private Settings(Map<String, JsonElement> values) {
        this.values = values;
    }

    /**
     * Checks the settings given for a store and fills in its defaults. Settings without a default stay absent if not
     * given.
     *
     * @throws StoreException for an unknown name, or a value of the wrong type or outside its limits
     */
    public static Settings resolve(StoreDescription description, JsonObject given) throws StoreException {
        Map<String, Setting> known = description.settings().stream().collect(Collectors.toMap(Setting::name, s -> s));
        Map<String, JsonElement> values = new TreeMap<>();
        for (Setting setting : description.settings()) {
            if (setting.fallback() != null) {
                values.put(setting.name(), setting.fallback());
            }
        }
        for (Map.Entry<String, JsonElement> entry : given.entrySet()) {
            Setting setting = known.get(entry.getKey());
            if (setting == null) {
                throw unknown(description, entry.getKey());
            }
            String wrong = setting.wrong(entry.getValue());
            if (wrong != null) {
                throw StoreException.badRequest("setting `%s` of store `%s` is %s: %s"
                        .formatted(setting.name(), description.name(), entry.getValue(), wrong));
            }
            values.put(setting.name(), entry.getValue());
        }
        return new Settings(values);
    }

    private static StoreException unknown(StoreDescription description, String name) {
        List<String> names =
                description.settings().stream().map(Setting::name).sorted().toList();
        return StoreException.badRequest("store `%s` has no setting `%s`: it takes %s"
                .formatted(description.name(), name, String.join(", ", names)));
    }

    /** Whether there is a value. Only a setting without a default may lack one. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The number, or {@code otherwise} if there is none. */
    public long number(String name, long otherwise) {
        return has(name) ? number(name) : otherwise;
    }

    /** The number. */
    public long number(String name) {
        return values.get(name).getAsLong();
    }

    /** The number as an int. Its limits must allow that. */
    public int integer(String name) {
        return Math.toIntExact(number(name));
    }

    /** Whether it is true. */
    public boolean flag(String name) {
        return values.get(name).getAsBoolean();
    }

    /** The word. */
    public String word(String name) {
        return values.get(name).getAsString();
    }

    /** All of them as JSON, by name. */
    public JsonObject toJson() {
        JsonObject json = new JsonObject();
        values.forEach(json::add);
        return json;
    }
}
