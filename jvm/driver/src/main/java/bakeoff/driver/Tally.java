package bakeoff.driver;

import bakeoff.tape.Operation;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Counts and latencies of one kind of operation. */
final class Tally {
    private final Operation operation;
    private long operations;
    private long entries;
    private long bytes;
    private LatencyHistogram latencies;
    /** By the number of the range of value sizes; null if no value was in it. */
    private final List<LatencyHistogram> bySize = new ArrayList<>();

    Tally(Operation operation) {
        this.operation = operation;
    }

    Operation operation() {
        return operation;
    }

    long operations() {
        return operations;
    }

    void add(long moreOperations, long moreEntries, long moreBytes) {
        operations += moreOperations;
        entries += moreEntries;
        bytes += moreBytes;
    }

    /** Records the times at the first {@code count} indexes, and returns their sum. */
    long time(long[] timesNs, int[] indexes, int count) {
        if (latencies == null) {
            latencies = new LatencyHistogram();
        }
        return latencies.record(timesNs, indexes, count);
    }

    /** Records the time of an operation whose value is in the range with this number. */
    void timeOfSize(int number, long ns) {
        ofSize(number).record(ns);
    }

    private LatencyHistogram ofSize(int number) {
        while (bySize.size() <= number) {
            bySize.add(null);
        }
        if (bySize.get(number) == null) {
            bySize.set(number, new LatencyHistogram());
        }
        return bySize.get(number);
    }

    void merge(Tally other) {
        operations += other.operations;
        entries += other.entries;
        bytes += other.bytes;
        if (latencies == null) {
            latencies = other.latencies;
        } else if (other.latencies != null) {
            latencies.merge(other.latencies);
        }
        for (int number = 0; number < other.bySize.size(); number++) {
            if (other.bySize.get(number) != null) {
                ofSize(number).merge(other.bySize.get(number));
            }
        }
    }

    long entries() {
        return entries;
    }

    /**
     * The result, also split by these ranges of value sizes. {@code phaseTimedNs} is the time of a phase without
     * latencies that has only this kind, otherwise negative.
     */
    JsonObject toJson(long phaseTimedNs, List<ValueSizes> valueSizes) {
        JsonObject json = new JsonObject();
        json.addProperty("operation", operation.word());
        json.addProperty("operations", operations);
        json.addProperty("entries", entries);
        json.addProperty("bytes", bytes);
        if (latencies != null) {
            json.addProperty("timed_ns", latencies.sumNs());
            json.add("latency", latencies.toJson());
        } else if (phaseTimedNs >= 0) {
            json.addProperty("timed_ns", phaseTimedNs);
        }
        if (!bySize.isEmpty()) {
            json.add("by_size", bySizeToJson(valueSizes));
        }
        return json;
    }

    private JsonArray bySizeToJson(List<ValueSizes> valueSizes) {
        JsonArray array = new JsonArray();
        for (int number = 0; number < bySize.size(); number++) {
            LatencyHistogram latency = bySize.get(number);
            if (latency != null) {
                JsonObject json = new JsonObject();
                valueSizes.get(number).addTo(json);
                json.addProperty("operations", latency.operations());
                json.add("latency", latency.toJson());
                array.add(json);
            }
        }
        return array;
    }
}
