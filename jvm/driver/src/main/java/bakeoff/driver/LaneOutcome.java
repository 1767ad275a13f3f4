package bakeoff.driver;

import bakeoff.tape.Operation;
import com.google.gson.JsonArray;
import java.util.LinkedHashMap;
import java.util.Map;

/** What came out of a lane, or of all lanes of a phase together. */
public final class LaneOutcome {
    /** Sum of the timed regions, nanoseconds; of several lanes the longest. */
    long timedNs;
    /** What lanes that were merged took beside the longest. */
    private long othersTimedNs;
    /** In an open loop: when the last operation was due, from the beginning, nanoseconds. */
    long dueNs;
    /** Answers compared. */
    long answersChecked;
    /** Answers that differed. */
    long answersWrong;
    /** The first of them, in words. */
    String firstWrong;
    /** Bytes of Java heap allocated in the timed regions; negative if unknown. */
    long allocatedBytes;

    private final Map<Operation, Tally> tallies = new LinkedHashMap<>();

    Tally tally(Operation operation) {
        Tally tally = tallies.get(operation);
        if (tally == null) {
            tally = new Tally(operation);
            tallies.put(operation, tally);
        }
        return tally;
    }

    void addAllocated(long bytes) {
        allocatedBytes = bytes < 0 || allocatedBytes < 0 ? -1 : allocatedBytes + bytes;
    }

    /** Adds what another lane saw. */
    void merge(LaneOutcome other) {
        long together = threadsTimedNs() + other.threadsTimedNs();
        timedNs = Math.max(timedNs, other.timedNs);
        othersTimedNs = together - timedNs;
        dueNs = Math.max(dueNs, other.dueNs);
        answersChecked += other.answersChecked;
        answersWrong += other.answersWrong;
        firstWrong = firstWrong == null ? other.firstWrong : firstWrong;
        addAllocated(other.allocatedBytes);
        other.tallies.forEach((operation, tally) -> tally(operation).merge(tally));
    }

    /** Sum of the timed regions of all lanes, nanoseconds. */
    private long threadsTimedNs() {
        return timedNs + othersTimedNs;
    }

    /** Sum of the timed regions, nanoseconds; of several lanes together the longest. */
    public long timedNs() {
        return timedNs;
    }

    /** Answers that differed from the tape's. */
    public long answersWrong() {
        return answersWrong;
    }

    /** Entries that all operations delivered or wrote. */
    long entries() {
        return tallies.values().stream().mapToLong(Tally::entries).sum();
    }

    /** The results by kind, in the order in which kinds first appeared. */
    JsonArray results() {
        JsonArray array = new JsonArray();
        long alone = tallies.size() == 1 ? threadsTimedNs() : -1;
        tallies.values().forEach(tally -> array.add(tally.toJson(alone)));
        return array;
    }
}
