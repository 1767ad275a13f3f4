package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Times are counted as in the library, regardless of where they are counted first. */
final class LatencyHistogramTest {
    private static final long HOUR_NS = 3_600_000_000_000L;

    @Test
    void countsAreThoseOfTheLibrary() throws Exception {
        Random random = new Random(7);
        long[] times = random.longs(20_000, 0, 64)
                .map(bits -> random.nextLong() >>> Math.min(63, 22 + bits % 42))
                .toArray();
        long[] edges = {0, 1, 1_999, 2_000, 2_001, 2_047, 2_048, HOUR_NS, HOUR_NS + 1, Long.MAX_VALUE / 4};
        System.arraycopy(edges, 0, times, 100, edges.length);
        Histogram expected = new Histogram(1, HOUR_NS, 3);
        Arrays.stream(times).forEach(ns -> expected.recordValue(Math.min(ns, HOUR_NS)));
        // Some by one lane, some by another, and some after a first query.
        LatencyHistogram one = new LatencyHistogram();
        LatencyHistogram other = new LatencyHistogram();
        int[] all = IntStream.range(0, times.length).toArray();
        long sum = one.record(times, all, 7_000);
        sum += other.record(times, Arrays.copyOfRange(all, 7_000, all.length), 3_000);
        one.merge(other);
        one.toJson();
        sum += one.record(times, Arrays.copyOfRange(all, 10_000, all.length), all.length - 10_000);
        assertEquals(Arrays.stream(times).sum(), sum);
        JsonObject json = one.toJson();
        ByteBuffer bytes =
                ByteBuffer.wrap(Base64.getDecoder().decode(json.get("histogram").getAsString()));
        assertEquals(expected, Histogram.decodeFromByteBuffer(bytes, HOUR_NS));
        assertEquals(0, json.get("latency_ns_min").getAsLong());
        assertEquals(Long.MAX_VALUE / 4, json.get("latency_ns_max").getAsLong());
        assertEquals(
                expected.getValueAtPercentile(50), json.get("latency_ns_p50").getAsLong());
    }

    @Test
    void smallestAndLargestAreExact() {
        for (long[] times : new long[][] {{1_001, 1_003, 1_002}, {5_000_001, 5_000_003}, {1_001, 5_000_003}, {1_999}}) {
            LatencyHistogram histogram = new LatencyHistogram();
            histogram.record(times, ByKind.EACH, times.length);
            LatencyHistogram merged = new LatencyHistogram();
            merged.merge(histogram);
            JsonObject json = merged.toJson();
            assertEquals(
                    Arrays.stream(times).min().orElseThrow(),
                    json.get("latency_ns_min").getAsLong());
            assertEquals(
                    Arrays.stream(times).max().orElseThrow(),
                    json.get("latency_ns_max").getAsLong());
        }
    }
}
