package bakeoff.driver;

import bakeoff.store.Capability;
import bakeoff.store.DataHints;
import bakeoff.store.OpenRequest;
import bakeoff.store.Settings;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreException;
import bakeoff.store.StoreType;
import bakeoff.tape.Pool;
import bakeoff.tape.TapeException;
import bakeoff.tape.TapeReader;
import bakeoff.tape.WrittenValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Everything that a request names, found and checked before measuring. */
final class Case {
    static final String LOADING = "loading the store's library";

    final Request request;
    final StoreDescription description;
    final Settings settings;
    final Tapes tapes;
    /** Null if nothing is said of what is acknowledged. */
    final Acknowledged acknowledged;

    private final StoreType type;
    /** Made for the first opened store. Later stores have the same form. */
    private Slices<?> slices;

    /**
     * A pool and tapes made for it.
     *
     * @param phases the phases' tapes, all checked
     * @param verify null if nothing is compared at the end
     * @param written the values that the phases write, if they are few ({@link WrittenValues#slices})
     */
    record Tapes(OpenPool opened, List<TapeReader> phases, TapeReader verify, DataHints hints, long[] written) {
        Pool pool() {
            return opened.pool;
        }

        /**
         * The length of the longest key and value together. It is never more than the tapes can hold, even if the hints
         * are larger.
         */
        int entryBytesMax() {
            long bytes = Math.min(hints.keyBytesMax(), 0xffff) + Math.min(hints.valueBytesMax(), pool().bytes());
            return (int) Math.min(Math.max(bytes, 0), 1 << 30);
        }

        /** Buffers for each thread. */
        <B> List<Lane<B>> lanes(Store<B> store, Slices<B> slices) throws Failure {
            try {
                List<Lane<B>> lanes = new ArrayList<>();
                while (lanes.size() < hints.threads()) {
                    lanes.add(new Lane<>(store.form(), pool(), slices, entryBytesMax()));
                }
                return lanes;
            } catch (OutOfMemoryError tooMuch) {
                throw Failure.of("making buffers for entries of %d bytes".formatted(entryBytesMax()), tooMuch);
            }
        }

        static Tapes open(OpenPool pool, List<Request.Phase> phases, Path verify, DataHints hints) throws Failure {
            try {
                List<TapeReader> tapes = new ArrayList<>();
                WrittenValues written = new WrittenValues(pool.pool.bytes());
                for (Request.Phase phase : phases) {
                    TapeReader tape = check(phase.tape(), pool, written, hints.threads());
                    if (phase.ascending() && !tape.insertsAscending()) {
                        throw Failure.badRequest(
                                "phase `%s` is ascending, but its tape does more than insert in ascending key order"
                                        .formatted(phase.name()));
                    }
                    tapes.add(tape);
                }
                TapeReader last = verify == null ? null : check(verify, pool, written, 1);
                return new Tapes(pool, tapes, last, hints, written.slices());
            } catch (TapeException damaged) {
                throw Failure.badTape(damaged);
            }
        }

        /** A phase's tape must have a lane for each thread, the final tape one lane. */
        private static TapeReader check(Path path, OpenPool pool, WrittenValues written, int threads)
                throws TapeException, Failure {
            TapeReader tape = TapeReader.open(path);
            if (tape.header().poolBytes() != pool.pool.bytes() || tape.header().poolChecksum() != pool.checksum) {
                throw new TapeException(
                        path,
                        "was made for another value pool: %d bytes with checksum %016x, but %s has %d bytes with checksum %016x; the tape or the pool is damaged: record both again"
                                .formatted(
                                        tape.header().poolBytes(),
                                        tape.header().poolChecksum(),
                                        pool.path,
                                        pool.pool.bytes(),
                                        pool.checksum));
            }
            tape.check(written);
            int lanes = tape.header().lanes().size();
            if (lanes != threads) {
                throw Failure.badRequest(
                        "%s has %d lanes, but %d threads replay it: hints.threads is the number of lanes, 1 in the tape to verify"
                                .formatted(path, lanes, threads));
            }
            return tape;
        }
    }

    /** A pool in memory, and its checksum in tapes. */
    record OpenPool(Path path, Pool pool, long checksum) {
        static OpenPool open(Path path) throws Failure {
            try {
                Pool pool = Pool.open(path);
                return new OpenPool(path, pool, pool.checksum());
            } catch (TapeException damaged) {
                throw Failure.badTape(damaged);
            }
        }

        /** This pool, if the other path is the same file. Mapped twice, it would count twice as memory. */
        OpenPool orOther(Path other) throws Failure, IOException {
            return Files.isSameFile(path, other) ? this : open(other);
        }
    }

    private Case(
            Request request,
            StoreType type,
            StoreDescription description,
            Settings settings,
            Tapes tapes,
            Acknowledged acknowledged) {
        this.request = request;
        this.type = type;
        this.description = description;
        this.settings = settings;
        this.tapes = tapes;
        this.acknowledged = acknowledged;
    }

    /**
     * Values made beforehand, once for all opened stores. They belong to the harness, and so to the memory baseline.
     */
    @SuppressWarnings("unchecked") // The same type of store opens stores of the same form.
    <B> Slices<B> slices(Store<B> store) {
        if (slices == null) {
            slices = Slices.of(store.form(), tapes.pool(), tapes.written());
        }
        return (Slices<B>) slices;
    }

    static Case prepare(Request request, Iterable<StoreType> types) throws Failure {
        Found found = find(request.store(), types);
        return prepare(request, found.type, found.description);
    }

    /** A store and its description. */
    record Found(StoreType type, StoreDescription description) {}

    /** The store with this name, with its library loaded. */
    static Found find(String name, Iterable<StoreType> types) throws Failure {
        for (StoreType type : types) {
            StoreDescription description = describe(type);
            if (description.name().equals(name)) {
                if (description.missing() != null) {
                    throw Failure.of(LOADING, StoreException.store(description.missing()));
                }
                return new Found(type, description);
            }
        }
        throw Failure.badRequest("no store `%s` here: `describe` lists the stores".formatted(name));
    }

    private static StoreDescription describe(StoreType type) throws Failure {
        try {
            return type.describe();
        } catch (Exception | LinkageError error) {
            throw Failure.of(LOADING, error);
        }
    }

    private static Case prepare(Request request, StoreType type, StoreDescription description) throws Failure {
        if (!description.offers(request.durability())) {
            throw Failure.badRequest("%s does not offer durability `%s`"
                    .formatted(request.store(), request.durability().word()));
        }
        Settings settings;
        try {
            settings = Settings.resolve(description, request.settings());
        } catch (StoreException refused) {
            throw Failure.of(request.store(), refused);
        }
        if (request.compactedCopy().isPresent() && !description.can(Capability.COMPACTED_COPY)) {
            throw Failure.badRequest(
                    "the request is for a compacted copy, which %s does not make: leave out `compacted_copy`"
                            .formatted(request.store()));
        }
        boolean lists = description.can(Capability.SCAN_ORDERED) || description.can(Capability.SCAN_ANY_ORDER);
        if (request.inventory().isPresent() && !(lists && description.can(Capability.KEEPS_DATA))) {
            throw Failure.badRequest(
                    "the request is for an inventory, but %s cannot list what is in it: leave out `inventory`"
                            .formatted(request.store()));
        }
        checkNew(request);
        Acknowledged acknowledged = openAcknowledged(request);
        if (!request.recovers()) {
            checkDirectory(request.directory());
        }
        Tapes tapes = Tapes.open(
                OpenPool.open(request.pool()),
                request.phases(),
                request.verify().orElse(null),
                request.hints());
        return new Case(request, type, description, settings, tapes, acknowledged);
    }

    /**
     * Refuses a compacted copy or an inventory where none can be made: nothing is there yet, but the directory around it
     * is, which is not the store's own.
     */
    static void checkNew(Request request) throws Failure {
        checkNew("compacted_copy", request.compactedCopy(), request.directory());
        checkNew("inventory", request.inventory(), request.directory());
    }

    private static void checkNew(String key, Optional<Path> path, Path store) throws Failure {
        if (path.isEmpty()) {
            return;
        }
        Path around = path.get().toAbsolutePath().getParent();
        boolean isThere = Files.exists(path.get(), LinkOption.NOFOLLOW_LINKS);
        if (!isThere && around != null && Files.isDirectory(around) && !isSame(around, store)) {
            return;
        }
        throw Failure.badRequest("%s is %s: name what is not there yet, in a directory that is, outside of the store's"
                .formatted(key, path.get()));
    }

    /** The file for what is acknowledged. Null if the request has none. */
    static Acknowledged openAcknowledged(Request request) throws Failure {
        Optional<Path> path = request.acknowledged();
        return path.isPresent() ? Acknowledged.open(path.get(), request.hints().threads()) : null;
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException gone) {
            return false;
        }
    }

    /** A store starts in an empty directory. Existing files may be someone's data. */
    static void checkDirectory(Path directory) throws Failure {
        try (Stream<Path> entries = Files.list(directory)) {
            if (entries.findAny().isPresent()) {
                throw Failure.badRequest(
                        "the directory %s is not empty: give an empty one, nothing is ever cleared here"
                                .formatted(directory));
            }
        } catch (IOException error) {
            throw Failure.badRequest("cannot read the directory %s: %s".formatted(directory, error));
        }
    }

    /** Opens the store in this directory for such data. */
    Store<?> open(Path directory, DataHints hints) throws Failure {
        try {
            return type.open(new OpenRequest(directory, request.durability(), settings, hints));
        } catch (Exception | Error error) {
            throw Failure.of("open", error);
        }
    }

    static void close(Store<?> store) throws Failure {
        try {
            store.close();
        } catch (Exception | Error error) {
            throw Failure.of("close", error);
        }
    }
}
