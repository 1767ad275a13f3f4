package bakeoff.driver;

import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Store;
import bakeoff.tape.TapeReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that replay a tape, one per lane. They get their sessions, start together, and their outcomes are merged.
 *
 * @param <B> the form of keys and values
 */
final class Team<B> {
    private final Store<B> store;
    private final List<Lane<B>> lanes;
    /** Null if nothing is said of what is acknowledged. */
    private final Acknowledged acknowledged;

    private final AtomicInteger waiting = new AtomicInteger();

    /** A team with buffers for each of its threads. */
    Team(Store<B> store, List<Lane<B>> lanes) {
        this(store, lanes, null);
    }

    /** A team that says what is acknowledged. */
    Team(Store<B> store, List<Lane<B>> lanes, Acknowledged acknowledged) {
        this.store = store;
        this.lanes = lanes;
        this.acknowledged = acknowledged;
    }

    /** Replays all lanes of a tape. */
    LaneOutcome replay(Request.Phase phase, TapeReader tape, Job job) throws Failure {
        int tapeLanes = tape.header().lanes().size();
        if (tapeLanes != lanes.size()) {
            throw Failure.badRequest("phase `%s`: the tape has %d lanes, but hints.threads is %d"
                    .formatted(phase.name(), tapeLanes, lanes.size()));
        }
        waiting.set(0);
        List<FutureTask<LaneOutcome>> tasks = new ArrayList<>();
        for (int number = 0; number < tapeLanes; number++) {
            int lane = number;
            tasks.add(new FutureTask<>(() -> replayLane(phase, tape, lane, job)));
        }
        for (FutureTask<LaneOutcome> task : tasks) {
            Thread thread = new Thread(task, "replay");
            thread.setDaemon(true);
            thread.start();
        }
        return merge(tasks);
    }

    private static LaneOutcome merge(List<FutureTask<LaneOutcome>> tasks) throws Failure {
        LaneOutcome whole = new LaneOutcome();
        Failure first = null;
        for (FutureTask<LaneOutcome> task : tasks) {
            try {
                whole.merge(task.get());
            } catch (ExecutionException failed) {
                first = first == null ? Failure.of("replay", failed.getCause()) : first;
            } catch (InterruptedException interrupted) {
                throw Failure.of("waiting for the replay", interrupted);
            }
        }
        if (first != null) {
            throw first;
        }
        return whole;
    }

    private LaneOutcome replayLane(Request.Phase phase, TapeReader tape, int lane, Job job) throws Failure {
        try (Session<B> opened = store.session(new SessionPlan(phase.batched(), phase.ascending()))) {
            Session<B> session =
                    acknowledged == null ? opened : new Acknowledging<>(opened, acknowledged, lane, phase.batched());
            waiting.incrementAndGet();
            while (waiting.get() < lanes.size() && !job.isStopped()) {
                Thread.onSpinWait();
            }
            long begin = System.nanoTime();
            LaneOutcome outcome = lanes.get(lane).replay(job, tape.lane(lane), session);
            return outcome.replayed(begin, System.nanoTime());
        } catch (Exception | Error error) {
            job.stopped().set(true);
            throw Failure.of("session", error);
        }
    }
}
