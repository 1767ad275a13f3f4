package bakeoff.store;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** What a library's jar says of its version, for libraries whose code does not. */
public final class Versions {
    private Versions() {}

    /** The version in the manifest of the jar that a class is from. */
    public static String ofManifest(Class<?> library) throws StoreException {
        String version = library.getPackage().getImplementationVersion();
        if (version == null) {
            throw StoreException.store("the jar of %s does not say its version".formatted(library.getName()));
        }
        return version;
    }

    /** The version in the Maven properties of the jar that a class is from. */
    public static String ofPom(Class<?> library, String group, String artifact) throws StoreException {
        String place = "/META-INF/maven/%s/%s/pom.properties".formatted(group, artifact);
        try (InputStream properties = library.getResourceAsStream(place)) {
            Properties loaded = new Properties();
            if (properties != null) {
                loaded.load(properties);
            }
            if (loaded.getProperty("version") != null) {
                return loaded.getProperty("version");
            }
            throw StoreException.store("the jar of %s has no %s".formatted(library.getName(), place));
        } catch (IOException unreadable) {
            throw StoreException.store("cannot read %s: %s".formatted(place, unreadable));
        }
    }
}
