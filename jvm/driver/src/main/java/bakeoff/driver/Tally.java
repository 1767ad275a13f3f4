package bakeoff.driver;

import bakeoff.tape.Operation;
import com.google.gson.JsonObject;

/** Counts and latencies of one kind of operation. */
final class Tally {
    private final Operation operation;
    private long operations;
    private long entries;
    private long bytes;
    private LatencyHistogram latencies;

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

    /** Records the times at so many indexes, and returns their sum. */
    long time(long[] timesNs, int[] indexes, int count) {
        if (latencies == null) {
            latencies = new LatencyHistogram();
        }
        return latencies.record(timesNs, indexes, count);
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
    }

    long entries() {
        return entries;
    }

    /** The result; {@code phaseTimedNs} is the time of a phase without latencies that has this kind alone, else negative. */
    JsonObject toJson(long phaseTimedNs) {
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
        return json;
    }
}
