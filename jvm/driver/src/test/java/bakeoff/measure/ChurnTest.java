package bakeoff.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChurnTest {
    private static final int GARBAGE_BYTES = 64 << 20;

    private static volatile byte[] garbage;

    private static long sum(Jvm before) {
        JsonObject resources = new JsonObject();
        Jvm.read().since(before, resources);
        return List.of("eden", "survivor", "other").stream()
                .mapToLong(part ->
                        resources.get("gc_churn_%s_bytes".formatted(part)).getAsLong())
                .sum();
    }

    @Test
    void whatACollectionFreedIsTold() {
        System.gc();
        Churn.settle();
        Jvm before = Jvm.read();
        assertEquals(0, sum(before));
        for (int bytes = 0; bytes < GARBAGE_BYTES; bytes += 1 << 16) {
            garbage = new byte[1 << 16];
        }
        System.gc();
        Churn.settle();
        long freed = sum(before);
        assertTrue(freed >= GARBAGE_BYTES / 10 * 9 && freed <= GARBAGE_BYTES * 4L, "%d".formatted(freed));
    }
}
