package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher with various streams, directories and environments of its caller. */
final class LauncherCallerTest extends Launched {
    /** The file was opened again: its old content was cut off, and later output overwritten. */
    @ParameterizedTest
    @CsvSource({">", ">>"})
    void aFileThatOthersWriteToAsWellKeepsEveryLine(String into) throws Exception {
        Path input = Files.writeString(
                home.resolve("request.json"), request("faulty-jvm").toString());
        Path shared = home.resolve("shared");
        String commands = "echo before; ./bakeoff-driver-jvm run <'%s'; echo after".formatted(input);
        program("sh", "-c", "{ %s; } %s'%s'".formatted(commands, into, shared))
                .start()
                .waitFor();
        List<String> lines = Files.readAllLines(shared);
        assertEquals(5, lines.size(), lines.toString());
        assertEquals(List.of("before", "after"), List.of(lines.get(0), lines.get(4)));
    }

    /** The request was read forever from the pipe that it was being written to. Events vanished silently. */
    @ParameterizedTest
    @CsvSource({
        "<&-,1,bad-request",
        "</dev/null >/dev/full,1,what was measured is lost",
        "</dev/null >&-,1,nowhere to go"
    })
    void whatTheCallerHasClosedOrFilledIsSaid(String redirected, int status, String words) throws Exception {
        Process process = program("sh", "-c", "exec ./bakeoff-driver-jvm run " + redirected)
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(status, process.waitFor(), said);
        assertTrue(said.contains(words), said);
    }

    @Test
    void whatTheEnvironmentHasTheJvmPrintIsNoEvent() throws Exception {
        Ended ended = run(request("faulty-jvm").toString(), Map.of("JAVA_TOOL_OPTIONS", "-Xlog:gc*"), "run");
        assertEquals(0, ended.status(), ended.log());
        assertTrue(
                ended.lines().stream().allMatch(line -> line.startsWith("{")),
                ended.lines().toString());
        assertTrue(ended.log().contains("[gc"), ended.log());
    }

    /** Nobody remained to remove what the launcher had made for it. */
    @Test
    void aJvmThatDoesNotStartLeavesNothing() throws Exception {
        Ended ended = run(
                request("faulty-jvm").toString(),
                Map.of("TMPDIR", "", "JAVA_TOOL_OPTIONS", "-XX:+NoSuchOption"),
                "run");
        assertEquals(1, ended.status());
        try (Stream<Path> beside = Files.list(home)) {
            assertTrue(beside.noneMatch(path -> path.getFileName().toString().startsWith("bakeoff-temporary.")));
        }
    }

    /**
     * Files made during a run stayed in /tmp, regardless of the store's place. A killed process now leaves them next to
     * its store.
     */
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
            assertEquals(left, temporary.size(), temporary + ended.log());
        }
    }
}
