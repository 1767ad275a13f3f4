package bakeoff.driver;

import bakeoff.store.Causes;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The jars in the manifest of the started jar. Without this check, a missing jar would show only when one of its
 * classes is loaded.
 */
final class ClassPath {
    private ClassPath() {}

    /**
     * Checks that every jar on the class path exists and is a jar.
     *
     * @throws Failure one is missing or damaged: the error without this check would depend on the first use of its
     *     classes
     */
    static void check() throws IOException, Failure {
        Optional<String> lacking = lacking();
        if (lacking.isPresent()) {
            throw new Failure(Failure.Kind.RUNTIME, lacking.get());
        }
    }

    /**
     * A description of the fault of a jar. Empty if the jar has its directory of entries, or is a folder, as during
     * development.
     */
    static Optional<String> wrong(Path jar) {
        if (!Files.exists(jar)) {
            return Optional.of(Causes.notThere(jar));
        }
        if (Files.isDirectory(jar)) {
            return Optional.empty();
        }
        try (JarFile whole = new JarFile(jar.toFile())) {
            return Optional.empty();
        } catch (IOException damaged) {
            return Optional.of(Causes.damaged(jar));
        }
    }

    private static Optional<String> lacking() throws IOException {
        Path started = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
        try (JarFile jar = new JarFile(started.toFile())) {
            String names = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            URI from = started.toUri();
            return Stream.ofNullable(names)
                    .flatMap(all -> Stream.of(all.strip().split(" +")))
                    .flatMap(name -> wrong(Path.of(from.resolve(name))).stream())
                    .findFirst();
        }
    }
}
