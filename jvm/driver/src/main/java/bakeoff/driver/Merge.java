package bakeoff.driver;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Merges the descriptions of all libraries into one, so that {@code describe} starts no JVM. Also writes the table of
 * stores and the directories of their jars. Runs when the driver is assembled.
 */
public final class Merge {
    private Merge() {}

    /** Merges {@code DIRECTORY/*}{@code /description.json} into {@code describe.json} and {@code stores} in the directory. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        JsonArray stores = new JsonArray();
        JsonObject missing = new JsonObject();
        StringBuilder table = new StringBuilder();
        JsonObject whole = null;
        for (Path library : libraries(directory)) {
            whole = JsonParser.parseString(Files.readString(library.resolve("description.json")))
                    .getAsJsonObject();
            whole.getAsJsonObject("missing").entrySet().forEach(store -> missing.add(store.getKey(), store.getValue()));
            for (JsonElement store : whole.getAsJsonArray("stores")) {
                stores.add(store);
                table.append(
                        "%s %s\n".formatted(store.getAsJsonObject().get("name").getAsString(), library.getFileName()));
            }
        }
        if (whole == null) {
            throw new IOException("no description in " + directory);
        }
        whole.add("stores", stores);
        whole.add("missing", missing);
        Files.writeString(
                directory.resolve("describe.json"),
                new GsonBuilder().setPrettyPrinting().create().toJson(whole) + "\n");
        Files.writeString(directory.resolve("stores"), table);
    }

    private static List<Path> libraries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> Files.exists(entry.resolve("description.json")))
                    .sorted()
                    .toList();
        }
    }
}
