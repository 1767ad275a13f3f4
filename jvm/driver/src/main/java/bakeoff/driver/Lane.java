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
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The replay loop: one thread, one lane of one tape, one session.
 *
 * <p>A block is read and its keys and values are put into the form that the store takes; its operations are done under the clock with
 * their answers kept; then, outside the clock, the answers are checked and the times recorded. The buffers are made once for all
 * phases.
 *
 * @param <B> the form of keys and values
 */
public final class Lane<B> {
    private static final int PAGE_BYTES = 4096;
    private static final int WALK_VALUE_BYTES = 1 << 12;

    private final Step[] steps = new Step[LaneReader.BLOCK_OPERATIONS_MAX];
    /**
     * The block's keys and written values; null where an operation has none. Made anew for each block: to keep a young object in an
     * old array would cost a memory barrier for each.
     */
    private B[] keys;

    private B[] values;
    private final Form<B> form;
    private final Pool pool;
    private final Output output;
    private final Output walkOutput = new Output(WALK_VALUE_BYTES);
    private final DirectoryReader directories = new DirectoryReader();
    private final Fold<B> fold;
    private final Allocations allocations = new Allocations();
    private int count;
    private ByteBuffer records;
    private byte touched;

    /** Buffers for operations whose key and value are at most so long together. */
    public Lane(Form<B> form, Pool pool, int entryBytesMax) {
        Arrays.setAll(steps, index -> new Step());
        this.form = form;
        this.pool = pool;
        output = new Output(Math.addExact(LaneReader.BLOCK_BYTES_MAX, entryBytesMax));
        fold = new Fold<>(form, output, entryBytesMax);
    }

    /**
     * Replays a lane into a session.
     *
     * @throws Failure the first error of the store, with the operation and the key; or a tape that cannot be read
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
                prepare(reader);
                long allocatedBefore = allocations.now();
                if (pace != null) {
                    timedWhenDue(session, pace);
                } else if (job.latency()) {
                    timedEach(session);
                } else {
                    outcome.timedNs += timedWhole(session);
                }
                outcome.addAllocated(allocations.since(allocatedBefore));
                checker.settle(steps, count, records, job.check());
                if (warmsUp) {
                    long operations = outcome.timedOperations() - operationsBefore;
                    job.steady().add(operations, outcome.timedNs - timedNsBefore);
                }
                job.done(count);
            }
            if (warmsUp) {
                // Other lanes had more to do.
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

    /** Outside the clock: makes everything ready that the block's operations need. */
    private void prepare(LaneReader reader) throws Failure, TapeException {
        records = reader.records();
        output.clear();
        reserve(reader.outputBytes());
        count = reader.operations();
        keys = newArray(count);
        values = newArray(count);
        for (int index = 0; index < count; index++) {
            Step step = steps[index];
            Record record = step.record;
            step.clear();
            reader.read(record);
            if (record.operation() != Operation.COMMIT && record.operation() != Operation.SCAN_ALL) {
                keys[index] = form.of(records, record.keyOffset, record.keyBytes);
            }
            if (record.operation().writesValue()) {
                ByteBuffer window = pool.window(record.valueOffset);
                int place = pool.place(record.valueOffset);
                touch(window, place, (int) record.valueBytes);
                values[index] = form.of(window, place, (int) record.valueBytes);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <B> B[] newArray(int length) {
        return (B[]) new Object[length];
    }

    private void reserve(long bytes) throws Failure {
        try {
            output.reserve(Math.toIntExact(bytes));
        } catch (ArithmeticException | OutOfMemoryError tooMuch) {
            throw new Failure(
                    Failure.Kind.BAD_TAPE, "a block expects %d bytes of output: no array holds that".formatted(bytes));
        }
    }

    /** Reads a byte of every page of a value, so that no page of the pool is fetched inside the clock. */
    private void touch(ByteBuffer window, int place, int length) {
        for (int at = 0; at < length; at += PAGE_BYTES) {
            touched ^= window.get(place + at);
        }
    }

    /** Latency mode: two clock readings around each call. */
    private void timedEach(Session<B> session) throws Failure {
        for (int index = 0; index < count; index++) {
            Step step = steps[index];
            long begin = System.nanoTime();
            try {
                perform(index, session);
            } catch (Throwable error) {
                throw Failure.ofStep(step.record, records, error);
            }
            long end = System.nanoTime();
            step.outputEnd = output.position();
            if (!step.record.has(Flags.UNTIMED)) {
                step.timeNs = end - begin;
            }
        }
    }

    /**
     * Latency mode in an open loop: each call begins when it is due, or when the one before has ended if that is later, and its time
     * counts from when it was due.
     */
    private void timedWhenDue(Session<B> session, Pace pace) throws Failure {
        for (int index = 0; index < count; index++) {
            Step step = steps[index];
            long from = step.record.has(Flags.DUE) ? pace.awaitDue(step.record.dueNs) : System.nanoTime();
            try {
                perform(index, session);
            } catch (Throwable error) {
                throw Failure.ofStep(step.record, records, error);
            }
            long end = System.nanoTime();
            step.outputEnd = output.position();
            if (!step.record.has(Flags.UNTIMED)) {
                pace.ended(end);
                step.timeNs = end - from;
            }
        }
    }

    /** Throughput mode: one pair of readings around the block. Returns its time in nanoseconds. */
    private long timedWhole(Session<B> session) throws Failure {
        int index = 0;
        long begin = System.nanoTime();
        try {
            for (; index < count; index++) {
                perform(index, session);
                steps[index].outputEnd = output.position();
            }
        } catch (Throwable error) {
            throw Failure.ofStep(steps[index].record, records, error);
        }
        return System.nanoTime() - begin;
    }

    /** Does one operation: the only code between the two clock readings. */
    private void perform(int index, Session<B> session) throws Exception {
        Step step = steps[index];
        B key = keys[index];
        switch (step.record.operation()) {
            case GET -> {
                step.found = session.get(key, output);
                step.kept = output.takeKept();
            }
            case INSERT -> session.insert(key, values[index]);
            case UPDATE -> session.update(key, values[index]);
            case UPSERT -> session.upsert(key, values[index]);
            case DELETE -> session.delete(key);
            case COMMIT -> session.commit();
            case SCAN, SCAN_ALL -> scan(step, key, session);
            case WALK -> walk(step, session);
        }
    }

    private void scan(Step step, B key, Session<B> session) throws Exception {
        Record record = step.record;
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
        // As unsigned, -1 is the largest number.
        fold.begin(record.consumer, direction == Direction.ANY, whole ? -1 : record.limit);
        session.scan(key, direction, fold);
        step.entries = fold.entries();
        step.bytes = fold.bytes();
        step.state = fold.state();
    }

    private void walk(Step step, Session<B> session) throws Exception {
        directories.begin(step.record);
        step.found = descend(step, session);
        step.state = directories.state();
    }

    /**
     * Looks up a path component by component: each key begins with the id that the value before it holds. Says whether the last lookup
     * found something.
     */
    private boolean descend(Step step, Session<B> session) throws Exception {
        int at = step.record.keyOffset;
        int end = at + step.record.keyBytes;
        while (at < end) {
            int length = records.get(at) & 0xff;
            walkOutput.clear();
            if (!session.get(form.step(directories.objectId(), records, at + 1, length), walkOutput)) {
                return false;
            }
            byte[] kept = walkOutput.takeKept();
            boolean read = kept == null
                    ? directories.read(walkOutput.array(), walkOutput.position())
                    : directories.read(kept, kept.length);
            if (!read) {
                // A value that cannot be read is a wrong answer, not an error: something is there, and it is not
                // counted.
                return true;
            }
            step.entries++;
            at += 1 + length;
        }
        return true;
    }
}
