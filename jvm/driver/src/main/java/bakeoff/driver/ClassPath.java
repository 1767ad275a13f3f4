package bakeoff.driver;

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

    /** The first of the jars of this process's class path that is not there. */
    static Optional<Path> absent() throws IOException {
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
