package bakeoff.store;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages for errors: the exception with its causes, and how to install a missing native library. */
public final class Causes {
    /**
     * The dynamic linker's message for a missing library of the system. A message with a path is about the store's own
     * library.
     */
    private static final Pattern ABSENT =
            Pattern.compile("(?:^|\\s)([^\\s/]+\\.so[.0-9]*): cannot open shared object file");

    /** Debian's packages of libraries that native libraries are linked with. */
    private static final Map<String, String> PACKAGES = Map.of(
            "libstdc++.so.6", "libstdc++6",
            "libgcc_s.so.1", "libgcc-s1",
            "libatomic.so.1", "libatomic1",
            "libz.so.1", "zlib1g");

    /** How to restore a missing file of the driver. The build does nothing if no file is missing. */
    static final String BUILD_AGAIN = "build the driver again (./bakeoff build jvm)";

    private Causes() {}

    /** The message for a missing file of the driver. */
    public static String notThere(Object file) {
        return file + " is not there: " + BUILD_AGAIN;
    }

    /** The message for an unreadable file of the driver. */
    public static String damaged(Object file) {
        return file + " is damaged: " + BUILD_AGAIN;
    }

    /** The error and its causes, each once. For a library that does not load, also how to fix that. */
    public static String describe(Throwable error) {
        String words = label(error);
        boolean linking = isLinking(error);
        for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            linking |= isLinking(cause);
            if (cause.getMessage() == null || !words.contains(message(cause))) {
                words += ": " + label(cause);
            }
        }
        return linking ? words + remedy(words) : words;
    }

    /**
     * Whether a native library does not load. RocksDB reports a library missing in its jar by an ordinary exception.
     * bakeoff's own exceptions already contain the fix.
     */
    private static boolean isLinking(Throwable error) {
        return error instanceof LinkageError
                || !(error instanceof StoreException)
                        && String.valueOf(error.getMessage()).contains("was not found inside JAR");
    }

    private static String label(Throwable error) {
        if (error instanceof StoreException && error.getMessage() != null) {
            return message(error);
        }
        return error.getMessage() == null
                ? error.getClass().getName()
                : error.getClass().getSimpleName() + ": " + message(error);
    }

    /** Its message. For a library that does not load only the first line: pages of searched places may follow. */
    private static String message(Throwable error) {
        String message = error.getMessage();
        return error instanceof LinkageError ? message.lines().findFirst().orElse("") : message;
    }

    private static String remedy(String words) {
        Matcher absent = ABSENT.matcher(words);
        if (!absent.find()) {
            String machine = System.getProperty("os.name") + " " + System.getProperty("os.arch");
            return "; %s if a file of it is missing or damaged. Otherwise leave the store out with --stores: this is %s with Java %s, and its Java package may have no library for that"
                    .formatted(BUILD_AGAIN, machine, System.getProperty("java.version"));
        }
        String library = absent.group(1);
        return PACKAGES.containsKey(library)
                ? "; install the library %s (Debian: apt-get install %s)".formatted(library, PACKAGES.get(library))
                : "; install the library %s (Debian: apt-get install apt-file, apt-file update, and apt-file search %s names its package)"
                        .formatted(library, library);
    }
}
