package bakeoff.store;

import java.nio.file.Path;
import java.util.Map;

/**
 * An open store, shared by the threads that replay.
 *
 * @param <B> what its API takes for a key and a value: an array, a buffer
 */
public interface Store<B> {
    /** How keys and values of this store are made. Called once for each thread. */
    Form<B> form();

    /**
     * What one thread keeps: statements, a transaction, a cursor. Made and closed outside the clock, on the thread that uses it.
     *
     * @throws Exception in the store's own words
     */
    Session<B> session(SessionPlan plan) throws Exception;

    /**
     * Settings that were left to the store, with the values that are in force, by what is known of the data: whoever copies the others needs
     * them too.
     */
    default Map<String, Long> chosen() {
        return Map.of();
    }

    /**
     * Makes a copy of the store in an empty directory, with no free space left in it, that opens as the store does. Only asked of those
     * whose description says so; never called inside the clock.
     *
     * @throws Exception in the store's own words
     */
    default void compactedCopy(Path directory) throws Exception {
        throw new UnsupportedOperationException(
                "this store makes no compacted copy: nothing is written to " + directory);
    }

    /**
     * Closes the store in an orderly way, so that opening it again finds everything.
     *
     * @throws Exception in the store's own words
     */
    void close() throws Exception;
}
