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

/** What the jar that was started names in its manifest. A jar that is not there shows only when a class of it is wanted. */
final class ClassPath {
    private ClassPath() {}

    /**
     * Looks whether every jar of this process's class path is there.
     *
     * @throws Failure one is not: what would be thrown instead depends on who first wants a class of it
     */
    static void check() throws IOException, Failure {
        Optional<Path> absent = absent();
        if (absent.isPresent()) {
            throw new Failure(Failure.Kind.RUNTIME, Causes.notThere(absent.get()));
        }
    }

    private static Optional<Path> absent() throws IOException {
        Path started = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
        try (JarFile jar = new JarFile(started.toFile())) {
            String names = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            URI from = started.toUri();
            return Stream.ofNullable(names)
                    .flatMap(all -> Stream.of(all.strip().split(" +")))
                    .map(name -> Path.of(from.resolve(name)))
                    .filter(path -> !Files.exists(path))
                    .findFirst();
        }
    }
}
