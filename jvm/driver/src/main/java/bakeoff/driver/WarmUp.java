package bakeoff.driver;

import bakeoff.measure.Counters;
import bakeoff.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets the JVM compile the code to be measured. It replays a small workload of the same kind into temporary stores,
 * again and again, until the limit of operations or time is reached.
 *
 * <p>Time counts from when the first store is open. Opening loads classes and libraries, which used to take nearly all
 * of a warm-up, so that hardly anything was compiled. Time does not end the first pass, so that every phase runs before
 * it is measured, even in a slow store.
 */
final class WarmUp {
    private final Case it;
    private final Request.WarmUp request;
    private final Case.Tapes tapes;
    private final boolean check;
    private final Timer timer;
    private final LongAdder counter = new LongAdder();
    private final AtomicBoolean over = new AtomicBoolean();
    private boolean began;
    private boolean passed;
    private OptionalLong residentBytes = OptionalLong.empty();

    private WarmUp(Case it, Request.WarmUp request, boolean check, Timer timer) throws Failure, IOException {
        this.it = it;
        this.timer = timer;
        this.request = request;
        this.check = check;
        Case.OpenPool pool = it.tapes.opened().orOther(request.pool());
        tapes = Case.Tapes.open(pool, request.phases(), null, request.hints());
    }

    /** Warms up. Returns the resident set size with the first, empty store open. */
    static OptionalLong run(Case it, Request.WarmUp request, boolean check) throws Failure {
        Timer timer = new Timer("warm-up", true);
        try {
            WarmUp warmUp = new WarmUp(it, request, check, timer);
            while (!warmUp.isOver()) {
                warmUp.pass();
            }
            return warmUp.residentBytes;
        } catch (IOException error) {
            throw Failure.of("warming up", error);
        } catch (Failure failure) {
            throw failure.inPhase("warm-up");
        } finally {
            timer.cancel();
        }
    }

    /** With the first store open. */
    private void begin() {
        residentBytes = Counters.residentBytes();
        TimerTask end = new TimerTask() {
            @Override
            public void run() {
                over.set(true);
            }
        };
        timer.schedule(end, Math.min(request.timeNs() / 1_000_000, Integer.MAX_VALUE));
    }

    private boolean isOver() {
        return passed && over.get() || counter.sum() >= request.operations();
    }

    /** One pass over all phases, in a directory that is removed afterwards. */
    private void pass() throws Failure, IOException {
        Path directory = Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), "warm-up-");
        try {
            Store<?> store = it.open(directory, request.hints());
            replay(store);
            Case.close(store);
            passed = true;
        } finally {
            Temporary.remove(directory);
        }
    }

    private <B> void replay(Store<B> store) throws Failure {
        Slices<B> slices = tapes.pool() == it.tapes.pool() ? it.slices(store) : Slices.none();
        if (!began) {
            began = true;
            begin();
        }
        List<Lane<B>> lanes = tapes.lanes(store, slices);
        Team<B> team = new Team<>(store, lanes);
        AtomicBoolean end = passed ? over : new AtomicBoolean();
        for (int index = 0; index < tapes.phases().size() && !isOver(); index++) {
            Request.Phase phase = request.phases().get(index);
            team.replay(
                    phase,
                    tapes.phases().get(index),
                    new Job(phase.latency(), check, counter, 0, null, end, List.of()));
        }
    }
}
