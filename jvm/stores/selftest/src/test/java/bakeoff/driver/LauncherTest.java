package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The driver as a process, and its refusals. */
final class LauncherTest extends Launched {
    @Test
    void aRunHasItsEventsAndLeavesNothingElsewhere() throws Exception {
        Ended ended = run(request("faulty-jvm"));
        assertEquals(0, ended.status(), ended.log());
        List<String> events = ended.lines().stream()
                .map(line -> JsonParser.parseString(line)
                        .getAsJsonObject()
                        .get("event")
                        .getAsString())
                .toList();
        assertEquals(List.of("opened", "phase", "finished"), events);
        try (Stream<Path> temporary = Files.list(home.resolve("temporary"))) {
            assertEquals(0, temporary.count());
        }
    }

    /** A tape takes 128 KiB, besides the pool. This store has no buffers. */
    @Test
    void theDriversOwnBuffersWereCountedAsTheStores() throws Exception {
        Ended ended = run(request("faulty-jvm"));
        JsonObject phase = JsonParser.parseString(ended.lines().get(1)).getAsJsonObject();
        long buffers =
                phase.getAsJsonObject("resources").get("buffers_peak_bytes").getAsLong();
        assertTrue(buffers < 32 << 10, "%d".formatted(buffers));
    }

    /** Warms up a store with this fault, with phases of every operation. It must fail during the warm-up. */
    private void failsWhileWarmingUp(String fault, long timeNs, int count) throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", fault));
        JsonObject warmUp = warmUp(request, timeNs);
        JsonArray phases = warmUp.getAsJsonArray("phases");
        phases.get(0).getAsJsonObject().addProperty("tape", vector("every-operation.tape"));
        while (phases.size() < count) {
            phases.add(phases.get(0).deepCopy());
        }
        warmUp.getAsJsonObject("hints").addProperty("threads", 3);
        request.add("warm_up", warmUp);
        Ended ended = run(request);
        assertEquals("failed", ended.text("event"), ended.log());
        assertEquals("warm-up", ended.text("phase"));
        assertEquals("store-error", ended.text("kind"), ended.text("message"));
    }

    /** Opening takes a second, longer than the warm-up. Operations must still be done, and the first one fails. */
    @Test
    void theTimeOfAWarmUpRunsFromWhenTheFirstStoreIsOpen() throws Exception {
        failsWhileWarmingUp("error-after-stall", 900_000_000, 1);
    }

    /** The first operation takes longer than the warm-up. The next phase must still begin, and gets no session. */
    @Test
    void timeDoesNotEndTheFirstPassOfAWarmUp() throws Exception {
        failsWhileWarmingUp("stall-then-no-session", 1_000_000, 2);
    }

    @Test
    void aWarmUpIsDoneFirstAndRemoved() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("warm_up", warmUp(request, 200_000_000));
        Ended ended = run(request);
        assertEquals("finished", ended.text("event"), ended.log());
        try (Stream<Path> temporary = Files.list(home.resolve("temporary"))) {
            assertEquals(0, temporary.count());
        }
    }

    /** Background work of a store is waited for on request, and reported. The JVM's own threads do not count. */
    @ParameterizedTest
    @CsvSource({"background,true", "none,false"})
    void whatIsDoneInTheBackgroundIsWaitedForAndTold(String fault, boolean works) throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", fault, "when", "open"));
        request.getAsJsonArray("phases").get(0).getAsJsonObject().addProperty("settle", true);
        Ended ended = run(request);
        assertEquals(0, ended.status(), ended.log());
        JsonObject phase = JsonParser.parseString(ended.lines().get(1)).getAsJsonObject();
        JsonObject settled = phase.getAsJsonObject("settled");
        long settledNs = settled.get("settled_ns").getAsLong();
        assertTrue(settled.get("waited_ns").getAsLong() >= settledNs + 500_000_000, settled.toString());
        assertEquals(works, settledNs > 0 && settled.get("cpu_ns").getAsLong() > 500_000_000, settled.toString());
        assertEquals(0, settled.get("process_write_bytes").getAsLong(), settled.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "error,store-error,asked to fail",
        "throw,store-error,asked to throw",
        "panic,panic,asked to panic",
        "disk-full,disk-full,No space left",
        "missing-library,store-error,bakeoff-there-is-none",
    })
    void aStoreThatGoesWrongIsAFailedCell(String fault, String kind, String words) throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", fault, "when", "open"));
        Ended ended = run(request);
        assertEquals(1, ended.status());
        assertEquals("failed", ended.text("event"));
        assertEquals(kind, ended.text("kind"), ended.log());
        assertTrue(ended.text("message").contains(words), ended.text("message"));
    }

    /** Also if the store catches it. The caller takes the reason from the log. */
    @Test
    void whoRunsOutOfHeapEndsAtOnceAndSaysSoInTheLogAlone() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", "out-of-memory", "when", "open"));
        request.getAsJsonObject("settings").addProperty("heap", 64 << 20);
        Ended ended = run(request);
        assertEquals(3, ended.status(), ended.log());
        assertEquals(List.of(), ended.lines());
        String words = "Terminating due to java.lang.OutOfMemoryError: Java heap space";
        assertTrue(ended.log().contains(words), ended.log());
    }

    /** The caller reports such an end as a crash. */
    @Test
    void aStoreThatEndsTheProcessEndsItWithoutALastEvent() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", "exit", "when", "open"));
        Ended ended = run(request);
        assertEquals(0, ended.status());
        assertEquals(List.of(), ended.lines());
    }

    @Test
    void theHeapIsAsLargeAsAsked() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", new JsonObject());
        request.getAsJsonObject("settings").addProperty("heap", 96 << 20);
        Ended ended = run(request);
        JsonObject opened = JsonParser.parseString(ended.lines().get(0)).getAsJsonObject();
        long heap = opened.getAsJsonObject("settings").get("heap").getAsLong();
        assertTrue(heap > 64 << 20 && heap <= 96 << 20, "%d".formatted(heap));
    }

    /** It stays in force and is reported, although the script adds its own options. */
    @Test
    void whatTheEnvironmentTellsTheJvmIsInForceAndTold() throws Exception {
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-XX:+UseSerialGC", "_JAVA_OPTIONS", " ");
        Ended ended = run(request("faulty-jvm").toString(), environment, "run");
        assertEquals(0, ended.status(), ended.log());
        String runtime = JsonParser.parseString(ended.lines().get(0))
                .getAsJsonObject()
                .get("runtime")
                .getAsString();
        assertTrue(runtime.contains("MarkSweepCompact"), runtime);
        assertTrue(runtime.endsWith("; JAVA_TOOL_OPTIONS=-XX:+UseSerialGC"), runtime);
    }

    /**
     * Its report goes to the log. The caller must not take its other output for events, and must report its end by a
     * signal as a crash.
     */
    @Test
    void aJvmThatDiesSaysWhyInTheLog() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", "die", "when", "open"));
        Ended ended = run(request);
        assertEquals(128 + 6, ended.status());
        assertTrue(
                ended.lines().stream().noneMatch(line -> line.startsWith("{")),
                ended.lines().toString());
        assertTrue(ended.log().contains("\n#  SIGSEGV (0xb) at pc="), ended.log());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|`protocol` is missing",
                "no JSON|malformed",
                "''|the request is malformed: it is empty",
                "{\"protocol\":3}|speaks protocol 3, this driver speaks 2",
                "{\"protocol\":2,\"round\":1,\"cell\":\"x\"}|`durability` is missing",
            })
    void aBadRequestIsRefusedInWords(String request, String words) throws Exception {
        Ended ended = run(request, Map.of(), "run");
        assertEquals("bad-request", ended.text("kind"), ended.log());
        assertTrue(ended.text("message").contains(words), ended.text("message"));
        assertFalse(ended.log().contains("\tat "), ended.log());
    }

    @ParameterizedTest
    @CsvSource({"0", "0.95", "-1"})
    void aPhaseIsNotAllWarmUp(double part) throws Exception {
        JsonObject request = request("faulty-jvm");
        request.getAsJsonArray("phases").get(0).getAsJsonObject().addProperty("steady_within", part);
        assertTrue(run(request).text("message").contains("give a part above 0, up to 0.9"));
    }

    @ParameterizedTest
    @CsvSource({"time_ns", "operations"})
    void aWarmUpTakesNoLessThanNothing(String limit) throws Exception {
        JsonObject request = request("faulty-jvm");
        JsonObject warmUp = warmUp(request, 0);
        request.add("warm_up", warmUp);
        for (Number broken : new Number[] {-1, -0.5, 1.5, 1e30}) {
            warmUp.addProperty(limit, broken);
            String message = run(request).text("message");
            String expected = "`warm_up.%s` is %s: give a whole number from 0".formatted(limit, broken);
            assertTrue(message.contains(expected), message);
        }
    }

    @Test
    void whatTheDriverDoesNotKnowIsRefused() throws Exception {
        assertTrue(run(request("nosuch")).text("message").contains("no store `nosuch`"));
        JsonObject unknown = request("faulty-jvm");
        unknown.add("settings", settings("falt", "none"));
        assertTrue(run(unknown).text("message").contains("has no setting `falt`: it takes fault, heap, when"));
        JsonObject word = request("faulty-jvm");
        word.add("settings", settings("fault", "none-such"));
        assertTrue(run(word).text("message").contains("give one of none, wrong-value"));
        Files.writeString(home.resolve("store/mine"), "precious");
        assertTrue(run(request("faulty-jvm")).text("message").contains("is not empty"));
        assertTrue(Files.exists(home.resolve("store/mine")));
    }

    @Test
    void aDamagedTapeIsRefused() throws Exception {
        JsonObject request = request("faulty-jvm");
        Path tape = home.resolve("damaged.tape");
        byte[] bytes = Files.readAllBytes(ReplayTest.VECTORS.resolve("empty.tape"));
        bytes[bytes.length - 1] ^= 1;
        Files.write(tape, bytes);
        request.getAsJsonArray("phases").get(0).getAsJsonObject().addProperty("tape", tape.toString());
        Ended ended = run(request);
        assertEquals("bad-tape", ended.text("kind"));
    }

    /** Every program that the script needs, and no Java. */
    private String pathWithoutJava() throws IOException {
        Path programs = Files.createDirectories(home.resolve("programs"));
        for (String name : List.of("bash", "env", "dirname", "readlink", "sed", "cat", "sh", "mktemp")) {
            Files.copy(
                    Path.of("/usr/bin", name).toRealPath(),
                    programs.resolve(name),
                    StandardCopyOption.COPY_ATTRIBUTES,
                    StandardCopyOption.REPLACE_EXISTING);
        }
        return programs.toString();
    }

    @Test
    void withoutJavaTheRunFailsAndSaysHowToGetOne() throws Exception {
        Map<String, String> environment = Map.of("PATH", pathWithoutJava(), "JAVA_HOME", "");
        Ended ended = run(request("faulty-jvm").toString(), environment, "run");
        assertEquals("runtime", ended.text("kind"));
        assertTrue(ended.text("message").contains("no Java 17 or newer found"), ended.text("message"));
        assertTrue(ended.text("message").contains("openjdk-17-jdk-headless"));
    }

    @Test
    void aJavaThatIsTooOldIsNamed() throws Exception {
        Map<String, String> environment = Map.of("PATH", pathWithoutJava(), "JAVA_HOME", java11().toString());
        Ended ended = run(request("faulty-jvm").toString(), environment, "run");
        assertTrue(ended.text("message").contains("java-11/bin/java is Java 11"), ended.text("message"));
    }

    private Ended runWithJava(String script, String verb) throws Exception {
        Path shims = Files.createDirectories(home.resolve("shims"));
        Files.writeString(shims.resolve("java"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(shims.resolve("java"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, String> environment = Map.of("PATH", shims + ":" + pathWithoutJava(), "JAVA_HOME", "");
        return run(request("faulty-jvm").toString(), environment, verb);
    }

    private Path java11() throws IOException {
        Path old = Files.createDirectories(home.resolve("java-11/bin")).getParent();
        Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"Somebody\"\nJAVA_VERSION=\"11.0.2\"\n");
        Files.copy(Path.of("/usr/bin/false"), old.resolve("bin/java"), StandardCopyOption.COPY_ATTRIBUTES);
        return old;
    }

    /** A JAVA_HOME that is too old or missing is reported, and the Java on PATH runs the driver. */
    @Test
    void aJavaHomeThatIsNotUsedIsReported() throws Exception {
        String path = Path.of(System.getProperty("java.home"), "bin") + ":" + System.getenv("PATH");
        for (String javaHome : List.of(java11().toString(), "/nonexistent")) {
            JsonObject found = check(Map.of("PATH", path, "JAVA_HOME", javaHome));
            String why = found.get("java_home").getAsString();
            assertTrue(why.contains(javaHome + "/bin/java") && why.contains(" is used instead: "), why);
        }
        assertFalse(check(Map.of()).has("java_home"));
    }

    private JsonObject check(Map<String, String> environment) throws Exception {
        Ended ended = run("", environment, "check");
        assertEquals(0, ended.status(), ended.log());
        assertEquals(1, ended.lines().size(), ended.lines().toString());
        return JsonParser.parseString(ended.lines().get(0)).getAsJsonObject();
    }

    /** It was reported for every store, and the JVM's message for none. */
    @Test
    void anOptionThatNoJvmTakesIsToldOnceInItsWords() throws Exception {
        Ended ended = run("", Map.of("JAVA_TOOL_OPTIONS", "-Xbogus"), "check");
        assertEquals(1, ended.status());
        assertEquals(List.of(), ended.lines());
        assertTrue(ended.log().contains("Unrecognized option: -Xbogus\n"), ended.log());
        assertTrue(ended.log().contains("Picked up JAVA_TOOL_OPTIONS: -Xbogus\n"), ended.log());
    }

    /** Cases in which only the JVM itself reports why a store's jar does not run. */
    @Test
    void aJarThatDoesNotRunIsToldInTheWordsOfTheJvm() throws Exception {
        Files.writeString(home.resolve("bakeoff-driver-jvm.d/selftest/selftest.jar"), "no jar");
        JsonObject missing = check(Map.of()).getAsJsonObject("missing");
        String why = missing.get("faulty-jvm").getAsString();
        assertTrue(why.contains("(Error: Invalid or corrupt jarfile "), why);
        assertTrue(why.contains("./bakeoff build jvm"), why);
    }

    @Test
    void aJavaWithoutAReleaseFileSaysItselfWhatItIs() throws Exception {
        Ended old = runWithJava("echo 'java version \"1.8.0_292\"' >&2", "run");
        assertTrue(old.text("message").contains("shims/java is Java 1.8.0_292"), old.text("message"));
        Ended none = runWithJava("exit 1", "run");
        assertTrue(none.text("message").contains("of an unknown version"), none.text("message"));
        Path real = Path.of(System.getProperty("java.home"), "bin/java");
        Ended wrapper = runWithJava("exec " + real + " \"$@\"", "run");
        assertEquals(0, wrapper.status(), wrapper.log());
    }

    /** The JVM reports an unsupported option in the log, but not a missing class or method. */
    @Test
    void whatTheCompilerIsToldOfIsThere() throws Exception {
        String version = "if [ \"$1\" = -version ]; then echo 'java version \"17.0.1\"' >&2; exit; fi\n";
        Ended told = runWithJava(version + "printf '%s\\n' \"$@\"", "run");
        int methods = 0;
        for (String option : told.log().lines().toList()) {
            Matcher named =
                    Pattern.compile("-XX:CompileCommand=\\w+,(.*)::([\\w*]+).*").matcher(option);
            if (named.matches()) {
                Stream<String> there = Stream.of(Class.forName(named.group(1)).getDeclaredMethods())
                        .map(Method::getName);
                assertTrue(
                        there.anyMatch(name ->
                                named.group(2).equals("*") || named.group(2).equals(name)),
                        option);
                methods++;
            }
        }
        assertEquals(14, methods, told.log());
        Ended ended = run(request("faulty-jvm"));
        assertEquals(0, ended.status());
        assertFalse(ended.log().contains("CompileCommand"), ended.log());
    }

    @Test
    void wrongVerbsAreUsage() throws Exception {
        Ended ended = run("", Map.of(), "walk");
        assertEquals(2, ended.status());
        assertFalse(ended.log().isEmpty());
        assertEquals(List.of(), ended.lines());
    }
}
