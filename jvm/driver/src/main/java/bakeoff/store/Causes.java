package bakeoff.store;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Errors in words: what was thrown with what caused it, and how a native library that is missing is got. */
public final class Causes {
    /** The dynamic linker's words for a library of the system that is not there; one of a path is the store's own. */
    private static final Pattern ABSENT =
            Pattern.compile("(?:^|\\s)([^\\s/]+\\.so[.0-9]*): cannot open shared object file");

    /** What Debian calls the packages of what such libraries are linked with. */
    private static final Map<String, String> PACKAGES = Map.of(
            "libstdc++.so.6", "libstdc++6",
            "libgcc_s.so.1", "libgcc-s1",
            "libatomic.so.1", "libatomic1",
            "libz.so.1", "zlib1g");

    /** What gets a file back that the driver lacks: building does nothing where all are there. */
    static final String BUILD_AGAIN = "build the driver again (./bakeoff build jvm)";

    private Causes() {}

    /** That a file of the driver is gone, and how it is got back. */
    public static String notThere(Object file) {
        return file + " is not there: " + BUILD_AGAIN;
    }

    /** That a file of the driver cannot be read, and how it is got again. */
    public static String damaged(Object file) {
        return file + " is damaged: " + BUILD_AGAIN;
    }

    /** The error and what caused it, each once; for a library that does not load, how that is mended too. */
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

    /** Whether a native library does not load; RocksDB tells of one that is not in its jar by an exception like any other, while ours say already how it is got. */
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

    /** What it says; of a library that does not load the first line, as pages of places that were searched may follow. */
    private static String message(Throwable error) {
        String message = error.getMessage();
        return error instanceof LinkageError ? message.lines().findFirst().orElse("") : message;
    }

    private static String remedy(String words) {
        Matcher absent = ABSENT.matcher(words);
        if (!absent.find()) {
            String machine = System.getProperty("os.name") + " " + System.getProperty("os.arch");
            return "; %s in case a file of it is gone or damaged; if that does not help, this is %s with Java %s, for which its Java package may have no library: then leave the store out with --stores"
                    .formatted(BUILD_AGAIN, machine, System.getProperty("java.version"));
        }
        String library = absent.group(1);
        return PACKAGES.containsKey(library)
                ? "; install the library %s (Debian: apt-get install %s)".formatted(library, PACKAGES.get(library))
                : "; install the library %s (Debian: apt-get install apt-file, apt-file update, and apt-file search %s names its package)"
                        .formatted(library, library);
    }
}
