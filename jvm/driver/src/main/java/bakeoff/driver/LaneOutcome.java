package bakeoff.driver;

import bakeoff.tape.Operation;
import com.google.gson.JsonArray;
import java.util.ArrayList;
import java.util.List;

/** The results of a lane, or of all lanes of a phase together. */
public final class LaneOutcome {
    /** Sum of the timed regions, nanoseconds. Of several lanes, the maximum. */
    long timedNs;
    /** The time of merged lanes other than the longest. */
    private long othersTimedNs;
    /** Whether it was an open loop. */
    private boolean isOpenLoop;
    /** In an open loop: when the last operation was due, from the beginning, nanoseconds. */
    private long dueNs;
    /** Lanes with known replay times: their number, the first begin, the last end, and their time outside the store. */
    private int lanes;

    private long beginNs;
    private long endNs;
    private long outsideNs;
    /** Timed operations of a warm-up. They count only as checked answers. */
    long warmUpOperations;
    /** The end of the warm-up; 0 without one. */
    private long measuredFromNs;
    /** The number of answers compared. */
    long answersChecked;
    /** The number of wrong answers. */
    long answersWrong;
    /** A description of the first one. */
    String firstWrong;
    /** Bytes of Java heap allocated in the timed regions; negative if unknown. */
    long allocatedBytes;

    /** In order of the first occurrence of kinds. */
    private final List<Tally> tallies = new ArrayList<>();
    /** The same by the number of the kind. A map would cost more than all other work here for an operation. */
    private final Tally[] tallyOf = new Tally[Operation.values().length];

    Tally tally(Operation operation) {
        Tally tally = tallyOf[operation.ordinal()];
        if (tally == null) {
            tally = new Tally(operation);
            tallyOf[operation.ordinal()] = tally;
            tallies.add(tally);
        }
        return tally;
    }

    void addAllocated(long bytes) {
        allocatedBytes = bytes < 0 || allocatedBytes < 0 ? -1 : allocatedBytes + bytes;
    }

    /** Takes its times from the schedule of an open loop. */
    void paced(Pace pace) {
        isOpenLoop = true;
        timedNs = pace.takenNs();
        dueNs = pace.dueNs();
    }

    /** In an open loop: when the last operation was due, from the beginning, nanoseconds. */
    long dueNs() {
        return dueNs;
    }

    /** Stores the begin and end of this lane's replay. */
    LaneOutcome replayed(long begin, long end) {
        lanes = 1;
        beginNs = measuredFromNs == 0 ? begin : measuredFromNs;
        endNs = end;
        outsideNs = Math.max(0, end - beginNs - timedNs);
        return this;
    }

    /** The outcome of the operations after a warm-up. Of the warm-up only the answers count. */
    LaneOutcome afterWarmUp() {
        LaneOutcome measured = new LaneOutcome();
        measured.warmUpOperations = timedOperations();
        measured.measuredFromNs = System.nanoTime();
        measured.answersChecked = answersChecked;
        measured.answersWrong = answersWrong;
        measured.firstWrong = firstWrong;
        return measured;
    }

    /** Timed operations of all kinds. */
    long timedOperations() {
        return tallies.stream().mapToLong(Tally::operations).sum();
    }

    /** Adds the outcome of another lane. */
    void merge(LaneOutcome other) {
        beginNs = lanes == 0 ? other.beginNs : Math.min(beginNs, other.beginNs);
        endNs = lanes == 0 ? other.endNs : Math.max(endNs, other.endNs);
        outsideNs += other.outsideNs;
        lanes += other.lanes;
        long together = threadsTimedNs() + other.threadsTimedNs();
        timedNs = Math.max(timedNs, other.timedNs);
        othersTimedNs = together - timedNs;
        isOpenLoop |= other.isOpenLoop;
        dueNs = Math.max(dueNs, other.dueNs);
        warmUpOperations += other.warmUpOperations;
        answersChecked += other.answersChecked;
        answersWrong += other.answersWrong;
        firstWrong = firstWrong == null ? other.firstWrong : firstWrong;
        addAllocated(other.allocatedBytes);
        other.tallies.forEach(tally -> tally(tally.operation()).merge(tally));
    }

    /** Sum of the timed regions of all lanes, nanoseconds. */
    long threadsTimedNs() {
        return timedNs + othersTimedNs;
    }

    /**
     * Sum of the timed regions, nanoseconds.
     *
     * <p>Of several lanes: the time from the first begin to the last end, minus their average time outside the store.
     * It is at least the longest sum and at most the total of all sums. If all lanes run in parallel, that is the
     * longest sum. If they take turns, as with more threads than processors, it is the time of all turns.
     *
     * <p>In an open loop it is the longest time of a lane, from the lane's beginning to its last answer. Delays by the
     * harness in that lane are left out, and may be longer than in other lanes.
     */
    public long timedNs() {
        long inside = lanes < 2 || isOpenLoop ? timedNs : endNs - beginNs - outsideNs / lanes;
        return Math.min(Math.max(timedNs, inside), threadsTimedNs());
    }

    /** The number of answers that differ from the tape's. */
    public long answersWrong() {
        return answersWrong;
    }

    /** Entries delivered or written by all operations. */
    long entries() {
        return tallies.stream().mapToLong(Tally::entries).sum();
    }

    /** The results by kind, in order of first occurrence, each split by these ranges of value sizes. */
    JsonArray results(List<ValueSizes> valueSizes) {
        JsonArray array = new JsonArray();
        long alone = tallies.size() == 1 ? threadsTimedNs() : -1;
        tallies.forEach(tally -> array.add(tally.toJson(alone, valueSizes)));
        return array;
    }
}
