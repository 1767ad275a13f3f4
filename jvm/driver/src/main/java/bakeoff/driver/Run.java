package bakeoff.driver;

import bakeoff.measure.Churn;
import bakeoff.measure.ClockCost;
import bakeoff.measure.Counters;
import bakeoff.measure.Device;
import bakeoff.measure.DiskUsage;
import bakeoff.measure.Jvm;
import bakeoff.measure.Quiet;
import bakeoff.store.Capability;
import bakeoff.store.Directories;
import bakeoff.store.Durability;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreType;
import bakeoff.tape.TapeReader;
import com.google.gson.JsonObject;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One request from beginning to end: warm up, open, run phases, close, reopen, compare. */
final class Run {
    /** The maximum time to wait for a store's background work. */
    private static final long SETTLE_LONGEST_NS = 60_000_000_000L;

    private final Case it;
    private final Emitter emitter;
    private final boolean check;
    private OptionalLong baseline = OptionalLong.empty();

    private Run(Case it, Emitter emitter) {
        this.it = it;
        this.emitter = emitter;
        check = it.description.can(Capability.KEEPS_DATA);
    }

    /** Executes a request and emits an event for each step. Returns the last one. */
    static JsonObject run(String text, Iterable<StoreType> types, Emitter emitter) throws Failure {
        return new Run(Case.prepare(Request.parse(text), types), emitter).run();
    }

    private JsonObject run() throws Failure {
        if (it.request.warmUp().isPresent()) {
            baseline = WarmUp.run(it, it.request.warmUp().get(), check);
        }
        try (Profiler profiler = Profiler.start(it.request.profile())) {
            Optional<Path> file = it.request.inventory();
            Inventory inventory = file.isPresent() ? Inventory.create(file.get(), it.description) : null;
            Opened<?> opened = openToWrite();
            if (it.acknowledged != null) {
                it.acknowledged.setOpen();
            }
            return it.request.recovers() && inventory == null ? recovered(opened) : measure(opened, inventory);
        }
    }

    /** Compares what a killed process left. */
    private JsonObject recovered(Opened<?> opened) throws Failure {
        if (it.tapes.verify() != null && check) {
            try {
                LaneOutcome outcome = replayVerify(opened.store);
                refuseWrong(outcome, "after it was killed and opened again: ");
                emitter.emit(verified(opened.tookNs, outcome));
            } catch (Failure failure) {
                throw failure.inPhase("verify");
            }
        }
        return close(opened.store);
    }

    private <B> JsonObject measure(Opened<B> first, Inventory inventory) throws Failure {
        Store<B> store = first.store;
        List<Lane<B>> lanes = it.tapes.lanes(store, it.slices(store));
        baseline = baseline.isPresent() ? baseline : Counters.residentBytes();
        emitter.emit(opened(store, first.tookNs));
        if (inventory != null) {
            emitter.emit(inventory.add(store));
        }
        Device device = Device.of(it.request.directory());
        for (int index = 0; index < it.tapes.phases().size(); index++) {
            Request.Phase phase = it.request.phases().get(index);
            try {
                OptionalLong reopenNs = OptionalLong.empty();
                if (phase.reopen() && check) {
                    Opened<B> opened = again(store, phase.gate());
                    store = opened.store;
                    reopenNs = OptionalLong.of(opened.tookNs);
                }
                JsonObject event = phase(store, lanes, phase, it.tapes.phases().get(index), device);
                reopenNs.ifPresent(ns -> event.addProperty("reopen_ns", ns));
                emitter.emit(event);
            } catch (Failure failure) {
                throw failure.inPhase(phase.name());
            }
        }
        if (it.request.crash().equals(Optional.of(Request.Crash.DIE))) {
            emitter.emit(Emitter.event("dying"));
            die();
        }
        JsonObject finished = close(store);
        if (inventory != null) {
            listAgain(inventory);
        }
        if (it.tapes.verify() != null && check) {
            try {
                emitter.emit(verify());
            } catch (Failure failure) {
                throw failure.inPhase("verify");
            }
        }
        return finished;
    }

    /** Ends this process by SIGKILL, with the store open. */
    private static void die() throws Failure {
        String kill = "kill -9 " + ProcessHandle.current().pid();
        try {
            new ProcessBuilder("/bin/sh", "-c", kill).start().waitFor();
            throw new IOException("the process survived");
        } catch (IOException | InterruptedException error) {
            throw Failure.of(kill, error);
        }
    }

    /** Lists the store after closing and reopening it. */
    private void listAgain(Inventory inventory) throws Failure {
        try {
            Store<?> store = open().store;
            emitter.emit(inventory.add(store));
            Case.close(store);
        } catch (Failure failure) {
            throw failure.inPhase("inventory");
        }
    }

    /** The store, and the time to open it. */
    private record Opened<B>(Store<B> store, long tookNs) {}

    private Opened<?> open() throws Failure {
        return open(it.request.directory());
    }

    private Opened<?> open(Path directory) throws Failure {
        long begin = System.nanoTime();
        Store<?> store = it.open(directory, it.request.hints());
        return new Opened<>(store, System.nanoTime() - begin);
    }

    /**
     * Outside the clock: flushes names that opening created or changed, if a write may be acknowledged when it is
     * flushed.
     */
    private Opened<?> openToWrite() throws Failure {
        Opened<?> opened = open();
        if (it.request.durability().includes(Durability.CONSISTENT)) {
            try {
                Directories.flush(it.request.directory());
            } catch (IOException error) {
                throw Failure.of("flushing the directory of the opened store", error);
            }
        }
        return opened;
    }

    /**
     * Closes and reopens a store. In between it reads the gate to its end. The caller ends the gate after its work on
     * the files.
     */
    @SuppressWarnings("unchecked") // The same type of store opens stores of the same form.
    private <B> Opened<B> again(Store<B> store, Optional<Path> gate) throws Failure {
        Case.close(store);
        if (gate.isPresent()) {
            try (InputStream ended = new FileInputStream(gate.get().toFile())) {
                while (ended.read() >= 0) {
                    // The content does not matter.
                }
            } catch (IOException error) {
                throw Failure.badRequest("cannot read the gate %s: %s".formatted(gate.get(), error));
            }
        }
        return (Opened<B>) openToWrite();
    }

    private JsonObject opened(Store<?> store, long openNs) {
        JsonObject event = Emitter.event("opened");
        event.addProperty("version", it.description.version());
        event.addProperty("open_ns", openNs);
        baseline.ifPresent(bytes -> event.addProperty("rss_baseline_bytes", bytes));
        event.addProperty("clock", "monotonic");
        event.addProperty("clock_pair_ns", ClockCost.pairNs());
        JsonObject settings = it.settings.toJson();
        store.chosen().forEach(settings::addProperty);
        settings.addProperty(StoreDescription.HEAP, Runtime.getRuntime().maxMemory());
        event.add("settings", settings);
        event.addProperty("runtime", Jvm.describe());
        return event;
    }

    private <B> JsonObject phase(
            Store<B> store, List<Lane<B>> lanes, Request.Phase phase, TapeReader tape, Device device) throws Failure {
        long operations = tape.header().operations();
        Steady steady = phase.steadyWithin() > 0 ? new Steady(phase.steadyWithin(), operations, device) : null;
        Job job = new Job(phase.latency(), check, phase.speed(), steady, phase.valueSizes());
        Progress progress = new Progress(emitter, phase.name(), operations, job.counter());
        Churn.settle();
        Begin begun = Begin.now(device);
        LaneOutcome outcome = new Team<>(store, lanes, it.acknowledged).replay(phase, tape, job);
        long end = System.nanoTime();
        Churn.settle();
        Optional<Begin> measured = Optional.ofNullable(steady).flatMap(Steady::begin);
        Begin begin = measured.orElse(begun);
        JsonObject resources = begin.resources(Counters.after(device), Jvm.read(), baseline);
        resources.addProperty("buffers_peak_bytes", progress.end());
        if (outcome.allocatedBytes >= 0) {
            resources.addProperty("allocated_bytes", outcome.allocatedBytes);
        }
        refuseWrong(outcome, "%d of %d answers were wrong; the first: ");
        JsonObject event = Emitter.event("phase");
        event.addProperty("phase", phase.name());
        event.addProperty("mode", phase.latency() ? "latency" : "throughput");
        event.addProperty("threads", lanes.size());
        event.addProperty("timed_ns", outcome.timedNs());
        event.addProperty("threads_timed_ns", outcome.threadsTimedNs());
        event.addProperty("wall_ns", end - begin.atNs());
        event.add("operations", outcome.results(phase.valueSizes()));
        event.addProperty("answers_checked", outcome.answersChecked);
        event.addProperty("answers_wrong", outcome.answersWrong);
        event.add("resources", resources);
        if (phase.speed() > 0) {
            JsonObject openLoop = new JsonObject();
            openLoop.addProperty("speed", phase.speed());
            openLoop.addProperty("due_ns", outcome.dueNs());
            event.add("open_loop", openLoop);
        }
        if (measured.isPresent()) {
            event.add("warm_up", steady.told(outcome.warmUpOperations, begun.atNs()));
        }
        if (phase.settle()) {
            settled().ifPresent(settled -> event.add("settled", settled));
        }
        return event;
    }

    private Optional<JsonObject> settled() throws Failure {
        try {
            Optional<JsonObject> settled = Quiet.await(SETTLE_LONGEST_NS);
            settled.ifPresent(
                    event -> DiskUsage.of(it.request.directory()).ifPresent(usage -> event.add("disk", usage)));
            return settled;
        } catch (InterruptedException interrupted) {
            throw Failure.of("waiting for the store to settle", interrupted);
        }
    }

    private static void refuseWrong(LaneOutcome outcome, String words) throws Failure {
        if (outcome.firstWrong != null) {
            String counts = words.formatted(outcome.answersWrong, outcome.answersChecked);
            throw new Failure(Failure.Kind.WRONG_ANSWER, counts + outcome.firstWrong);
        }
    }

    private JsonObject close(Store<?> store) throws Failure {
        JsonObject event = Emitter.event("finished");
        var before = DiskUsage.of(it.request.directory());
        long begin = System.nanoTime();
        Case.close(store);
        event.addProperty("close_ns", System.nanoTime() - begin);
        before.ifPresent(usage -> event.add("disk_before_close", usage));
        DiskUsage.of(it.request.directory()).ifPresent(usage -> event.add("disk_after_close", usage));
        return event;
    }

    /** Reopens the store and compares all its content with the expected one. */
    private JsonObject verify() throws Failure {
        Opened<?> opened = open();
        LaneOutcome outcome = replayVerify(opened.store);
        refuseWrong(outcome, "after closing and opening again: ");
        Optional<JsonObject> copy = Optional.empty();
        if (it.request.compactedCopy().isPresent()) {
            copy = Optional.of(
                    copyCompacted(opened.store, it.request.compactedCopy().get()));
        }
        Case.close(opened.store);
        if (copy.isPresent()) {
            Store<?> store = open(it.request.compactedCopy().get()).store;
            LaneOutcome inCopy = replayVerify(store);
            Case.close(store);
            refuseWrong(inCopy, "in the compacted copy: ");
        }
        JsonObject event = verified(opened.tookNs, outcome);
        copy.ifPresent(made -> event.add("compacted_copy", made));
        return event;
    }

    private static JsonObject verified(long reopenNs, LaneOutcome outcome) {
        JsonObject event = Emitter.event("verified");
        event.addProperty("reopen_ns", reopenNs);
        event.addProperty("entries", outcome.entries());
        return event;
    }

    private static JsonObject copyCompacted(Store<?> store, Path directory) throws Failure {
        try {
            Files.createDirectory(directory);
            JsonObject made = new JsonObject();
            long begin = System.nanoTime();
            store.compactedCopy(directory);
            made.addProperty("copy_ns", System.nanoTime() - begin);
            made.add("disk", DiskUsage.of(directory).orElseThrow());
            return made;
        } catch (Exception | Error error) {
            throw Failure.of("the compacted copy", error);
        }
    }

    private <B> LaneOutcome replayVerify(Store<B> store) throws Failure {
        Request.Phase phase = new Request.Phase(
                "verify",
                it.tapes.verify().path(),
                false,
                false,
                false,
                0,
                0,
                false,
                false,
                Optional.empty(),
                List.of());
        List<Lane<B>> one = List.of(new Lane<>(store.form(), it.tapes.pool(), Slices.none(), it.tapes.entryBytesMax()));
        return new Team<>(store, one).replay(phase, it.tapes.verify(), new Job(false, true));
    }
}
