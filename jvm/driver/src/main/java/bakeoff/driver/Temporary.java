package bakeoff.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Files that live as long as the process: unpacked libraries, and stores of a warm-up. */
final class Temporary {
    /** The directory that the launcher made for this process. Null if something else started it. */
    private static final String OWN = System.getProperty("bakeoff.temporary");

    /** The number of attempts: threads of the warm-up and of libraries may create and remove files at the same time. */
    private static final int TIMES = 10;

    private Temporary() {}

    /** Removes the launcher's directory also if a signal or a library ends the process. */
    static void removeOwnAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(Temporary::removeOwn));
    }

    /** Removes the launcher's directory. */
    static void removeOwn() {
        Exception trouble = null;
        for (int time = 0; time < TIMES && OWN != null && Files.exists(Path.of(OWN)); time++) {
            try {
                remove(Path.of(OWN));
            } catch (IOException | UncheckedIOException other) {
                trouble = other;
            }
        }
        if (trouble != null && Files.exists(Path.of(OWN))) {
            System.err.printf("%s is not removed: %s%n", OWN, trouble);
        }
    }

    /** Removes a directory created here, with everything in it. */
    static void remove(Path directory) throws IOException {
        List<Path> inside;
        try (Stream<Path> paths = Files.walk(directory)) {
            inside = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : inside) {
            Files.deleteIfExists(path);
        }
    }
}
