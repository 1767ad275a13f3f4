package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Requests that every driver must refuse. */
final class RequestTest {
    private static final Path VECTORS = Path.of("../../crates/protocol/vectors/refused-requests.json");

    @Test
    void everyRuleHasARequestThatIsRefusedForIt() throws Exception {
        JsonObject vectors = JsonParser.parseString(Files.readString(VECTORS)).getAsJsonObject();
        JsonObject sound = vectors.getAsJsonObject("request");
        assertEquals("null", Request.parse(sound.toString()).store());
        JsonArray refused = vectors.getAsJsonArray("refused");
        assertTrue(refused.size() > 50, "only %d".formatted(refused.size()));
        for (JsonElement element : refused) {
            JsonObject vector = element.getAsJsonObject();
            Failure failure =
                    assertThrows(Failure.class, () -> check(Request.parse(broken(sound, vector))), vector.toString());
            assertEquals(Failure.Kind.BAD_REQUEST, failure.kind(), vector.toString());
        }
    }

    private static void check(Request request) throws Failure {
        Case.checkNew(request);
        Case.openAcknowledged(request);
    }

    private static String broken(JsonObject sound, JsonObject vector) {
        if (vector.has("text")) {
            return vector.get("text").getAsString();
        }
        JsonObject request = sound.deepCopy();
        for (JsonElement change : list(vector, "set")) {
            JsonArray path = change.getAsJsonArray().get(0).getAsJsonArray();
            JsonElement value = change.getAsJsonArray().get(1);
            JsonElement parent = parent(request, path);
            if (parent instanceof JsonArray array) {
                array.set(last(path).getAsInt(), value);
            } else {
                parent.getAsJsonObject().add(last(path).getAsString(), value);
            }
        }
        for (JsonElement path : list(vector, "remove")) {
            JsonObject parent = parent(request, path.getAsJsonArray()).getAsJsonObject();
            parent.remove(last(path.getAsJsonArray()).getAsString());
        }
        return request.toString();
    }

    private static JsonArray list(JsonObject vector, String name) {
        return vector.has(name) ? vector.getAsJsonArray(name) : new JsonArray();
    }

    private static JsonElement last(JsonArray path) {
        return path.get(path.size() - 1);
    }

    private static JsonElement parent(JsonElement value, JsonArray path) {
        for (JsonElement part : path.asList().subList(0, path.size() - 1)) {
            value = value instanceof JsonArray array
                    ? array.get(part.getAsInt())
                    : value.getAsJsonObject().get(part.getAsString());
        }
        return value;
    }
}
