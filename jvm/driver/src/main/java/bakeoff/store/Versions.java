package bakeoff.store;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Versions from a library's jar, for libraries whose code does not report one. */
public final class Versions {
    private Versions() {}

    /**
     * The versions of a binding and of its library: both may affect the results. In brackets, since lists of versions
     * are separated by commas.
     */
    public static String ofBoth(String binding, String library, String version) {
        return "%s (%s %s)".formatted(binding, library, version);
    }

    /** The version in the manifest of a class's jar. */
    public static String ofManifest(Class<?> library) throws StoreException {
        return said(library, library.getPackage().getImplementationVersion());
    }

    /**
     * The same for a jar whose manifest has the version as specification version, and a build's name as implementation
     * version.
     */
    public static String ofSpecification(Class<?> library) throws StoreException {
        return said(library, library.getPackage().getSpecificationVersion());
    }

    private static String said(Class<?> library, String version) throws StoreException {
        if (version == null) {
            throw StoreException.store("the jar of %s does not say its version".formatted(library.getName()));
        }
        return version;
    }

    /** The version in the Maven properties of a class's jar. */
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
