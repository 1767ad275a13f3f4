package bakeoff.driver;

import bakeoff.directory.DirectoryReader;
import bakeoff.store.Direction;
import bakeoff.store.Form;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.tape.Flags;
import bakeoff.tape.LaneReader;
import bakeoff.tape.Operation;
import bakeoff.tape.Pool;
import bakeoff.tape.Record;
import bakeoff.tape.TapeException;

/**
 * The replay loop: one thread, one lane of one tape, one session.
 *
 * <p>It reads a block and puts its keys and values into the store's form. Under the clock it does the operations and
 * keeps their answers. Outside the clock it checks the answers and records the times. Buffers are allocated once for
 * all phases.
 *
 * @param <B> the form of keys and values
 */
public final class Lane<B> {
    private static final int WALK_VALUE_BYTES = 1 << 12;

    private final Block<B> block;
    private final Form<B> form;
    private final Pool pool;
    private final Output output;
    private final Output walkOutput = new Output(WALK_VALUE_BYTES);
    private final DirectoryReader directories = new DirectoryReader();
    private final Fold<B> fold;
    private final WithPrefix<B> withPrefix;
    private final Allocations allocations = new Allocations();

    /**
     * Buffers for operations whose key and value have at most {@code entryBytesMax} bytes together, with {@code slices}
     * as prepared values.
     */
    public Lane(Form<B> form, Pool pool, Slices<B> slices, int entryBytesMax) {
        block = new Block<>(form, pool, slices);
        this.form = form;
        this.pool = pool;
        output = new Output(Math.addExact(LaneReader.BLOCK_BYTES_MAX, entryBytesMax));
        fold = new Fold<>(form, output, entryBytesMax);
        withPrefix = new WithPrefix<>(form, fold);
    }

    /**
     * Replays a lane into a session.
     *
     * @throws Failure the store's first error, with its operation and key, or an unreadable tape
     */
    public LaneOutcome replay(Job job, LaneReader reader, Session<B> session) throws Failure {
        LaneOutcome outcome = new LaneOutcome();
        Checker checker = new Checker(pool, output, outcome);
        Pace pace = job.speed() > 0 ? new Pace(job.speed()) : null;
        try {
            boolean warmsUp = job.steady() != null;
            while (!job.isStopped() && reader.next()) {
                if (warmsUp && !job.steady().claims(reader.operations())) {
                    warmsUp = false;
                    outcome = outcome.afterWarmUp();
                    checker = new Checker(pool, output, outcome);
                }
                long operationsBefore = warmsUp ? outcome.timedOperations() : 0;
                long timedNsBefore = outcome.timedNs;
                output.clear();
                reserve(reader.outputBytes());
                block.prepare(reader);
                long allocatedBefore = allocations.now();
                if (pace != null) {
                    timedWhenDue(session, pace);
                } else if (job.latency()) {
                    timedEach(session);
                } else {
                    outcome.timedNs += timedWhole(session);
                }
                outcome.addAllocated(allocations.since(allocatedBefore));
                boolean timed = pace != null || job.latency();
                checker.settle(block, job.check(), timed);
                if (timed) {
                    checker.sortBySize(block, job.valueSizes());
                }
                if (warmsUp) {
                    long operations = outcome.timedOperations() - operationsBefore;
                    job.steady().add(operations, outcome.timedNs - timedNsBefore);
                }
                job.done(block.count);
            }
            if (warmsUp) {
                // Other lanes had more work.
                outcome = outcome.afterWarmUp();
            }
            if (pace != null) {
                outcome.paced(pace);
            }
            return outcome;
        } catch (TapeException damaged) {
            throw Failure.badTape(damaged);
        }
    }

    private void reserve(long bytes) throws Failure {
        try {
            output.reserve(Math.toIntExact(bytes));
        } catch (ArithmeticException | OutOfMemoryError tooMuch) {
            throw new Failure(
                    Failure.Kind.BAD_TAPE, "a block expects %d bytes of output: no array holds that".formatted(bytes));
        }
    }

    /**
     * Latency mode: two clock readings around each call. In blocks of only inserts or gets, nothing else is between
     * them.
     */
    private void timedEach(Session<B> session) throws Failure {
        int index = 0;
        int count = block.count;
        B[] keys = block.keys.array();
        B[] values = block.values.array();
        int[] places = block.values.indexes();
        int[] outputEnds = block.outputEnds;
        long[] timesNs = block.timesNs;
        try {
            if (block.isAllInserts()) {
                // They have no output, and nothing reads its end.
                for (; index < count; index++) {
                    B key = keys[index];
                    B value = values[places[index]];
                    long begin = System.nanoTime();
                    session.insert(key, value);
                    timesNs[index] = System.nanoTime() - begin;
                }
            } else if (block.isAllGets()) {
                boolean[] found = block.found;
                for (; index < count; index++) {
                    B key = keys[index];
                    long begin = System.nanoTime();
                    // Stored after the clock, which would otherwise include the array's bounds check.
                    boolean isThere = session.get(key, output);
                    timesNs[index] = System.nanoTime() - begin;
                    found[index] = isThere;
                    keepArray(index);
                    outputEnds[index] = output.position();
                }
            } else {
                for (; index < count; index++) {
                    int code = block.code(index);
                    B key = keys[index];
                    B value = values[places[index]];
                    long begin = System.nanoTime();
                    perform(code, index, key, value, session);
                    timesNs[index] = System.nanoTime() - begin;
                    keepArray(index);
                    outputEnds[index] = output.position();
                }
            }
        } catch (Throwable error) {
            throw Failure.ofStep(block.record(index), block.records, error);
        }
    }

    /**
     * Latency mode in an open loop. Each call begins when it is due, or when the previous one has ended if that is
     * later. Its time counts from when it was due.
     */
    private void timedWhenDue(Session<B> session, Pace pace) throws Failure {
        B[] keys = block.keys.array();
        B[] values = block.values.array();
        int[] places = block.values.indexes();
        for (int index = 0; index < block.count; index++) {
            long from = block.has(index, Flags.DUE) ? pace.awaitDue(block.record(index).dueNs) : System.nanoTime();
            try {
                perform(block.code(index), index, keys[index], values[places[index]], session);
            } catch (Throwable error) {
                throw Failure.ofStep(block.record(index), block.records, error);
            }
            long end = System.nanoTime();
            keepArray(index);
            block.outputEnds[index] = output.position();
            if (!block.has(index, Flags.UNTIMED)) {
                pace.ended(end);
            }
            block.timesNs[index] = end - from;
        }
    }

    /** Throughput mode: one pair of readings around the block. Returns its time in nanoseconds. */
    private long timedWhole(Session<B> session) throws Failure {
        int index = 0;
        int count = block.count;
        B[] keys = block.keys.array();
        B[] values = block.values.array();
        int[] places = block.values.indexes();
        int[] outputEnds = block.outputEnds;
        long begin = System.nanoTime();
        try {
            if (block.isAllInserts()) {
                // They have no output, and nothing reads its end.
                for (; index < count; index++) {
                    session.insert(keys[index], values[places[index]]);
                }
            } else if (block.isAllGets()) {
                boolean[] found = block.found;
                for (; index < count; index++) {
                    found[index] = session.get(keys[index], output);
                    keepArray(index);
                    outputEnds[index] = output.position();
                }
            } else {
                for (; index < count; index++) {
                    int code = block.code(index);
                    perform(code, index, keys[index], values[places[index]], session);
                    // Inside the clock, so not after operations without an answer.
                    if (code == Block.GET) {
                        keepArray(index);
                    }
                    outputEnds[index] = output.position();
                }
            }
        } catch (Throwable error) {
            throw Failure.ofStep(block.record(index), block.records, error);
        }
        return System.nanoTime() - begin;
    }

    /** Does one operation. In mixed blocks, this is the only code between the two clock readings. */
    private void perform(int code, int index, B key, B value, Session<B> session) throws Exception {
        // All other operations take a look-up in a table, which would be a large part of the time of the shortest
        // operations.
        if (code == Block.GET) {
            block.found[index] = session.get(key, output);
        } else if (code == Block.INSERT) {
            session.insert(key, value);
        } else if (code == Block.UPDATE) {
            session.update(key, value);
        } else {
            performOther(index, key, value, session);
        }
    }

    private void performOther(int index, B key, B value, Session<B> session) throws Exception {
        switch (block.operation(index)) {
            case UPSERT -> session.upsert(key, value);
            case DELETE -> session.delete(key);
            case COMMIT -> session.commit();
            case SCAN, SCAN_ALL -> scan(index, key, session);
            case SCAN_PREFIX, FIRST -> scanPrefix(index, key, session);
            case EXISTS -> exists(index, key, session);
            default -> walk(index, session);
        }
    }

    /** Keeps the answer of operation {@code index} if the store returned it as an array. */
    private void keepArray(int index) {
        byte[] kept = output.takeKept();
        if (kept != null) {
            block.keep(index, kept);
        }
    }

    private void scan(int index, B key, Session<B> session) throws Exception {
        Record record = block.visit(index);
        boolean whole = record.operation() == Operation.SCAN_ALL;
        if (!whole && record.limit == 0) {
            return;
        }
        Direction direction = Direction.FORWARD;
        if (record.has(Flags.ANY_ORDER)) {
            direction = Direction.ANY;
        } else if (record.has(Flags.REVERSE)) {
            direction = Direction.REVERSE;
        }
        // Unsigned, -1 is the maximum.
        fold.begin(record.consumer, direction == Direction.ANY, whole ? -1 : record.limit);
        session.scan(whole ? null : key, direction, fold);
        block.entries[index] = fold.entries();
        block.bytes[index] = fold.bytes();
        block.states[index] = fold.state();
    }

    private void scanPrefix(int index, B prefix, Session<B> session) throws Exception {
        Record record = block.visit(index);
        if (record.limit == 0) {
            return;
        }
        boolean all = record.keyBytes() == 0;
        fold.begin(record.consumer, false, record.limit);
        if (!all) {
            withPrefix.begin(prefix);
        }
        Direction direction = record.has(Flags.REVERSE) ? Direction.REVERSE : Direction.FORWARD;
        session.scan(all ? null : prefix, direction, all ? fold : withPrefix);
        block.entries[index] = fold.entries();
        block.bytes[index] = fold.bytes();
        block.states[index] = fold.state();
    }

    /** If the store reads the value, the value is not part of the answer. */
    private void exists(int index, B key, Session<B> session) throws Exception {
        int before = output.position();
        block.found[index] = session.exists(key, output);
        output.truncate(before);
    }

    private void walk(int index, Session<B> session) throws Exception {
        directories.begin(block.visit(index).valueBytes());
        block.found[index] = descend(index, session);
        block.states[index] = directories.state();
    }

    /**
     * Looks up a path component by component. Each key begins with the id in the previous value. Returns whether the
     * last lookup found something.
     */
    private boolean descend(int index, Session<B> session) throws Exception {
        Record record = block.visit(index);
        int at = record.keyOffset;
        int end = at + record.keyBytes();
        while (at < end) {
            int length = block.records.get(at) & 0xff;
            walkOutput.clear();
            if (!session.get(form.step(directories.objectId(), block.records, at + 1, length), walkOutput)) {
                return false;
            }
            byte[] kept = walkOutput.takeKept();
            boolean read = kept == null
                    ? directories.read(walkOutput.array(), walkOutput.position())
                    : directories.read(kept, kept.length);
            if (!read) {
                // An unreadable value is a wrong answer, not an error: a value exists, but is not counted.
                return true;
            }
            block.entries[index]++;
            at += 1 + length;
        }
        return true;
    }
}
