package bakeoff.store;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** What a library's jar says of its version, for libraries whose code does not. */
public final class Versions {
    private Versions() {}

    /** Of a binding and of the library it binds: either may be what makes a figure. In brackets, since versions of several stores stand in lists with commas. */
    public static String ofBoth(String binding, String library, String version) {
        return "%s (%s %s)".formatted(binding, library, version);
    }

    /** The version in the manifest of the jar that a class is from. */
    public static String ofManifest(Class<?> library) throws StoreException {
        return said(library, library.getPackage().getImplementationVersion());
    }

    /** The same for a jar whose manifest has the version as that of a specification, and a build's name for that of the implementation. */
    public static String ofSpecification(Class<?> library) throws StoreException {
        return said(library, library.getPackage().getSpecificationVersion());
    }

    private static String said(Class<?> library, String version) throws StoreException {
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
