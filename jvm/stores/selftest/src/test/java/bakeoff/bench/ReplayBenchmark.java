package bakeoff.bench;

import bakeoff.driver.Job;
import bakeoff.driver.Lane;
import bakeoff.driver.LaneOutcome;
import bakeoff.driver.Slices;
import bakeoff.store.ArrayForm;
import bakeoff.store.BufferForm;
import bakeoff.store.Form;
import bakeoff.store.Session;
import bakeoff.stores.NullStore;
import bakeoff.tape.LaneReader;
import bakeoff.tape.Pool;
import bakeoff.tape.TapeReader;
import bakeoff.tape.WrittenValues;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.util.ListStatistics;

/**
 * The cost of the harness in Java: a whole tape replayed into the null store, including reading the tape and checking
 * answers. Bare pairs of clock readings alternate with it. Results are per operation, so the tape must have {@link
 * #OPERATIONS}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(ReplayBenchmark.OPERATIONS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class ReplayBenchmark {
    /**
     * The operations on the tape: gets of missing keys, so that the null store's answers are right, inserts and
     * updates.
     */
    public static final int OPERATIONS = 1_000_000;

    /** The tape. */
    @Param("")
    public String tape;

    /** Its pool of values. */
    @Param("")
    public String pool;

    /**
     * How keys and values are passed: copied into {@code arrays} as for most stores, or as {@code views} of the pool as
     * for LMDB's bindings.
     */
    @Param({"arrays", "views"})
    public String form;

    private TapeReader reader;
    private Replay replay;
    private long timedNs;

    /** Lane and session of one form. */
    private interface Replay {
        LaneOutcome run(Job job, LaneReader lane) throws Exception;
    }

    private static <B> Replay replay(Form<B> form, Pool pool, long[] written) {
        Lane<B> lane = new Lane<>(form, pool, Slices.of(form, pool, written), 1_000);
        Session<B> session = new NullStore.NullSession<>();
        return (job, reader) -> lane.replay(job, reader, session);
    }

    /** Opens everything. */
    @Setup(Level.Trial)
    public void open() throws Exception {
        reader = TapeReader.open(Path.of(tape));
        // As before every replay.
        WrittenValues seen = new WrittenValues(reader.header().poolBytes());
        reader.check(seen);
        if (reader.header().operations() != OPERATIONS) {
            throw new IllegalArgumentException("%s has %d operations, not %d"
                    .formatted(tape, reader.header().operations(), OPERATIONS));
        }
        Pool values = Pool.open(Path.of(pool));
        long[] written = seen.slices();
        replay = form.equals("views")
                ? replay(new BufferForm(), values, written)
                : replay(new ArrayForm(true), values, written);
    }

    /** Closes them. */
    @TearDown(Level.Trial)
    public void close() throws Exception {
        reader.close();
    }

    /** Prints how much of the last replay was between clock readings, which is what a store is charged with. */
    @TearDown(Level.Iteration)
    public void sayCharged() {
        System.out.printf("inside the clock %.1f ns/op; ", (double) timedNs / OPERATIONS);
    }

    /** Bare pairs of clock readings, before each replay for comparison. */
    @State(Scope.Thread)
    public static class ClockReadings {
        /** Few, as processor and memory slow down without other work. */
        private static final int PAIRS = OPERATIONS / 10;

        private ListStatistics pairNs = new ListStatistics();
        private ListStatistics ratios = new ListStatistics();
        private double lastNs;
        /** Kept so that the readings are not optimised away. */
        private long betweenNs;

        /** Reads the clock. */
        @Setup(Level.Invocation)
        public void read() {
            long between = 0;
            long begin = System.nanoTime();
            for (int index = 0; index < PAIRS; index++) {
                long one = System.nanoTime();
                between += System.nanoTime() - one;
            }
            lastNs = (double) (System.nanoTime() - begin) / PAIRS;
            betweenNs = between;
        }

        private void compare(long replayNs) {
            pairNs.addValue(lastNs);
            ratios.addValue((double) replayNs / OPERATIONS / lastNs);
        }

        /** Prints the time per replayed operation as a multiple of a bare pair. */
        @TearDown(Level.Iteration)
        public void say() {
            System.out.printf(
                    "%.2f times two readings of %.1f ns; ", ratios.getPercentile(50), pairNs.getPercentile(50));
            pairNs = new ListStatistics();
            ratios = new ListStatistics();
        }
    }

    /** Each operation between two readings. */
    @Benchmark
    public LaneOutcome latencyMode(ClockReadings readings) throws Exception {
        long begin = System.nanoTime();
        LaneOutcome outcome = replay(true);
        readings.compare(System.nanoTime() - begin);
        return outcome;
    }

    /** Each block between two readings. */
    @Benchmark
    public LaneOutcome throughputMode() throws Exception {
        return replay(false);
    }

    private LaneOutcome replay(boolean latency) throws Exception {
        LaneOutcome outcome = replay.run(new Job(latency, true), reader.lane(0));
        if (outcome.answersWrong() > 0) {
            throw new IllegalStateException("answers were wrong");
        }
        timedNs = outcome.timedNs();
        return outcome;
    }
}
