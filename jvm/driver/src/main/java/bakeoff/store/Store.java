package bakeoff.store;

import java.nio.file.Path;
import java.util.Map;

/**
 * An open store, shared by the replaying threads.
 *
 * @param <B> the type of keys and values in its API: an array, a buffer
 */
public interface Store<B> {
    /** The form of keys and values of this store. Called once for each thread. */
    Form<B> form();

    /**
     * The state of one thread: statements, a transaction, a cursor. Made and closed outside the clock, on the thread
     * that uses it.
     *
     * @throws Exception with the store's own message
     */
    Session<B> session(SessionPlan plan) throws Exception;

    /**
     * Effective values of settings that were left to the store, which depend on the data. A copy of the other
     * settings must include them.
     */
    default Map<String, Long> chosen() {
        return Map.of();
    }

    /**
     * Makes a copy of the store in an empty directory, without free space, that opens as the store does. Only for
     * stores whose description offers it; never inside the clock.
     *
     * @throws Exception with the store's own message
     */
    default void compactedCopy(Path directory) throws Exception {
        throw new UnsupportedOperationException(
                "this store makes no compacted copy: nothing is written to " + directory);
    }

    /**
     * Closes the store, so that reopening it finds everything.
     *
     * @throws Exception with the store's own message
     */
    void close() throws Exception;
}
