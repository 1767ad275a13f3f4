package bakeoff.driver;

import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/**
 * Latencies of one kind of operation: 1 ns to 1 h with three significant digits. Percentiles count longer ones as one
 * hour. Minimum, maximum, sum and count are exact.
 */
final class LatencyHistogram {
    private static final long HIGHEST_NS = 3_600_000_000_000L;
    private static final int SIGNIFICANT_DIGITS = 3;

    /** Up to here each nanosecond has its own bucket: twice the resolution of the digits. */
    private static final int SHORT_NS = 2_000;

    private final Histogram counts = new Histogram(1, HIGHEST_NS, SIGNIFICANT_DIGITS);
    /**
     * Times below that, not in {@link #counts} yet. Finding a bucket in the histogram takes three times as long, and
     * the fastest stores would need it for every time.
     */
    private final long[] shortCounts = new long[SHORT_NS];

    private long sumNs;
    /** Of the times in {@link #counts}, like {@code maxNs}. */
    private long minNs = Long.MAX_VALUE;

    private long maxNs;

    /** Records the times at the first {@code count} indexes, and returns their sum. */
    long record(long[] timesNs, int[] indexes, int count) {
        long sum = 0;
        for (int at = 0; at < count; at++) {
            long ns = timesNs[indexes[at]];
            add(ns);
            sum += ns;
        }
        sumNs += sum;
        return sum;
    }

    /** Records one time. */
    void record(long ns) {
        add(ns);
        sumNs += ns;
    }

    /** Counts a time without adding to the sum. */
    private void add(long ns) {
        if (ns >= 0 && ns < SHORT_NS) {
            shortCounts[(int) ns]++;
        } else {
            counts.recordValue(Math.min(Math.max(ns, 0), HIGHEST_NS));
            minNs = Math.min(minNs, ns);
            maxNs = Math.max(maxNs, ns);
        }
    }

    void merge(LatencyHistogram other) {
        counts.add(other.counts());
        sumNs += other.sumNs;
        minNs = Math.min(minNs, other.minNs);
        maxNs = Math.max(maxNs, other.maxNs);
    }

    /** The number of times. */
    long operations() {
        return counts().getTotalCount();
    }

    long sumNs() {
        return sumNs;
    }

    /** The figures and the encoded histogram. It must not be empty. */
    JsonObject toJson() {
        long count = counts().getTotalCount();
        JsonObject json = new JsonObject();
        json.addProperty("latency_ns_mean", (2 * sumNs + count) / (2 * count));
        json.addProperty("latency_ns_min", minNs);
        json.addProperty("latency_ns_p50", percentile(50));
        json.addProperty("latency_ns_p90", percentile(90));
        json.addProperty("latency_ns_p99", percentile(99));
        json.addProperty("latency_ns_p999", percentile(99.9));
        json.addProperty("latency_ns_max", maxNs);
        json.addProperty("histogram", base64());
        return json;
    }

    /** All times. */
    private Histogram counts() {
        for (int ns = 0; ns < SHORT_NS; ns++) {
            if (shortCounts[ns] > 0) {
                counts.recordValueWithCount(ns, shortCounts[ns]);
                minNs = Math.min(minNs, ns);
                maxNs = Math.max(maxNs, ns);
                shortCounts[ns] = 0;
            }
        }
        return counts;
    }

    private long percentile(double percent) {
        return Math.min(Math.max(counts.getValueAtPercentile(percent), minNs), maxNs);
    }

    /** V2 encoding, not deflated. */
    private String base64() {
        ByteBuffer bytes = ByteBuffer.allocate(counts.getNeededByteBufferCapacity());
        int length = counts.encodeIntoByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes.array(), length));
    }
}
