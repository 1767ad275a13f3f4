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
     * Looks whether every jar of this process's class path is there and is one.
     *
     * @throws Failure one is not: what would be thrown instead depends on who first wants a class of it
     */
    static void check() throws IOException, Failure {
        Optional<String> lacking = lacking();
        if (lacking.isPresent()) {
            throw new Failure(Failure.Kind.RUNTIME, lacking.get());
        }
    }

    /** What is wrong with a jar, in words; nothing if its end says what is in it, or it is a directory, as where the driver is being worked on. */
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
