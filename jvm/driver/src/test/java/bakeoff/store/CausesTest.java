package bakeoff.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class CausesTest {
    private static String describe(String linkers) {
        return Causes.describe(new ExceptionInInitializerError(new UnsatisfiedLinkError(linkers)));
    }

    @Test
    void aLibraryThatIsMissingIsNamedWithItsPackage() {
        String cannot = ": cannot open shared object file: No such file or directory";
        String words = describe("/tmp/liba-1.so: libstdc++.so.6" + cannot + "\nSearch paths:\n[/lib]");
        assertTrue(words.contains("install the library libstdc++.so.6 (Debian: apt-get install libstdc++6)"), words);
        assertFalse(words.contains("Search paths"), words);
        words = describe("libsnappy.so.1" + cannot);
        assertTrue(words.contains("apt-file search libsnappy.so.1 names its package"), words);
    }

    @Test
    void aLibraryThatIsNotInItsPackageIsToldWithTheMachine() {
        assertTrue(describe("no libx.so in jar").contains("this is Linux "), describe("no libx.so in jar"));
        assertTrue(describe("/tmp/libx.so: cannot open shared object file").contains("this is Linux "));
    }

    @Test
    void rocksDbsWordsForItAreAMissingLibraryToo() {
        String told = "librocksdbjni-linux64.so was not found inside JAR, and there is no fallback.";
        assertTrue(Causes.describe(new RuntimeException(told)).contains(Causes.BUILD_AGAIN), told);
    }

    @Test
    void otherErrorsAreToldAsTheyAreEachOnce() {
        Exception error = new IllegalStateException("it failed: no", new java.io.IOException("no"));
        assertEquals("IllegalStateException: it failed: no", Causes.describe(error));
    }
}
