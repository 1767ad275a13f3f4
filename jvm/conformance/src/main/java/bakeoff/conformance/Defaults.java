package bakeoff.conformance;

import bakeoff.store.Durability;
import bakeoff.store.OpenRequest;
import bakeoff.store.Settings;
import bakeoff.store.StoreType;
import com.google.gson.JsonObject;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Helpers for tests that compare a store without explicit settings with its library's own defaults. */
public final class Defaults {
    private Defaults() {}

    /** A request without settings. */
    public static OpenRequest request(StoreType type, Path directory, Durability durability) throws Exception {
        Settings settings = Settings.resolve(type.describe(), new JsonObject());
        return new OpenRequest(directory, durability, settings, Fixture.HINTS);
    }

    /** All properties of a configuration by the name of their getter, except those left out. */
    public static SortedMap<String, String> told(Object configuration, String... leftOut)
            throws ReflectiveOperationException {
        SortedMap<String, String> told = new TreeMap<>();
        for (Method method : configuration.getClass().getMethods()) {
            if (isTelling(method) && !List.of(leftOut).contains(method.getName())) {
                told.put(method.getName(), String.valueOf(method.invoke(configuration)));
            }
        }
        return told;
    }

    /** Whether the method is a getter of a number, word or flag. */
    private static boolean isTelling(Method method) {
        Class<?> type = method.getReturnType();
        boolean isPlain = type.isEnum()
                || type == String.class
                || (type.isPrimitive() && type != void.class)
                || Number.class.isAssignableFrom(type)
                || type == Boolean.class;
        boolean isOfEveryObject =
                method.getName().equals("toString") || method.getName().equals("hashCode");
        return isPlain && !isOfEveryObject && method.getParameterCount() == 0;
    }
}
