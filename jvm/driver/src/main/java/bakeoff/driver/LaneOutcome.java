package bakeoff.driver;

import bakeoff.tape.Operation;
import com.google.gson.JsonArray;
import java.util.ArrayList;
import java.util.List;

/** What came out of a lane, or of all lanes of a phase together. */
public final class LaneOutcome {
    /** Sum of the timed regions, nanoseconds; of several lanes the longest. */
    long timedNs;
    /** What lanes that were merged took beside the longest. */
    private long othersTimedNs;
    /** It was an open loop. */
    private boolean isOpenLoop;
    /** In an open loop: when the last operation was due, from the beginning, nanoseconds. */
    private long dueNs;
    /** Lanes of which it is known when they were replayed, the first one's begin, the last one's end, and their time out of the store. */
    private int lanes;

    private long beginNs;
    private long endNs;
    private long outsideNs;
    /** Timed operations of a warm-up, which are in no other figure but the answers'. */
    long warmUpOperations;
    /** When the warm-up was over; 0 if there was none. */
    private long measuredFromNs;
    /** Answers compared. */
    long answersChecked;
    /** Answers that differed. */
    long answersWrong;
    /** The first of them, in words. */
    String firstWrong;
    /** Bytes of Java heap allocated in the timed regions; negative if unknown. */
    long allocatedBytes;

    /** In the order in which kinds first appeared. */
    private final List<Tally> tallies = new ArrayList<>();
    /** The same by the kind's number: a map would cost more than all else that is done for an operation here. */
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

    /** Remembers when this lane's replay began and ended. */
    LaneOutcome replayed(long begin, long end) {
        lanes = 1;
        beginNs = measuredFromNs == 0 ? begin : measuredFromNs;
        endNs = end;
        outsideNs = Math.max(0, end - beginNs - timedNs);
        return this;
    }

    /** The outcome of what comes after a warm-up, of which only the answers count. */
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

    /** Adds what another lane saw. */
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
     * Sum of the timed regions, nanoseconds. Of several lanes together: from the first one's begin to the last one's end, less what
     * they spent outside the store on average; at least the longest sum and at most all sums together. Where all run at the same time
     * that is the longest sum, and where they take turns, as more threads than processors do, it is the time of all turns. In an open loop the longest: each goes from the
     * lane's beginning to its last answer, without what held that lane up, which may be more than held up others.
     */
    public long timedNs() {
        long inside = lanes < 2 || isOpenLoop ? timedNs : endNs - beginNs - outsideNs / lanes;
        return Math.min(Math.max(timedNs, inside), threadsTimedNs());
    }

    /** Answers that differed from the tape's. */
    public long answersWrong() {
        return answersWrong;
    }

    /** Entries that all operations delivered or wrote. */
    long entries() {
        return tallies.stream().mapToLong(Tally::entries).sum();
    }

    /** The results by kind, in the order in which kinds first appeared, and of each by these ranges of value sizes. */
    JsonArray results(List<ValueSizes> valueSizes) {
        JsonArray array = new JsonArray();
        long alone = tallies.size() == 1 ? threadsTimedNs() : -1;
        tallies.forEach(tally -> array.add(tally.toJson(alone, valueSizes)));
        return array;
    }
}
