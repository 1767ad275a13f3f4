package bakeoff.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Files that are gone with the process: what libraries unpack, and the stores of a warm-up. */
final class Temporary {
    /** The directory that the launcher has made for this process alone; none where something else has started it. */
    private static final String OWN = System.getProperty("bakeoff.temporary");

    /** How often that is tried: the warm-up's and libraries' threads may make and remove something in it meanwhile. */
    private static final int TIMES = 10;

    private Temporary() {}

    /** Has the launcher's directory removed also where a signal or a library ends the process. */
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

    /** Removes a directory that was made here, with all that is in it. */
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
