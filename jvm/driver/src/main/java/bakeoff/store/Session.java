package bakeoff.store;

/**
 * One thread's access to an open store. All methods except {@link #close} are called inside the clock.
 *
 * @param <B> the type of keys and values in the store's API
 */
public interface Session<B> extends AutoCloseable {
    /** Writes a new key. */
    void insert(B key, B value) throws Exception;

    /** Replaces the value of an existing key. */
    void update(B key, B value) throws Exception;

    /** Writes a key, new or existing. */
    void upsert(B key, B value) throws Exception;

    /** Writes the key's value to {@code output}. Returns whether there is one. */
    boolean get(B key, Output output) throws Exception;

    /** Whether a key exists. A store without a call for that reads the value, and may write it to {@code output}. */
    default boolean exists(B key, Output output) throws Exception {
        return get(key, output);
    }

    /** Deletes a key. A missing key is not an error. */
    void delete(B key) throws Exception;

    /**
     * Visits entries in order, from the first key not below {@code from} (reverse: not above; null: from the end),
     * until {@code visitor} returns false or there are no more.
     */
    void scan(B from, Direction direction, Visitor<B> visitor) throws Exception;

    /** Acknowledges together everything written since the last commit. */
    void commit() throws Exception;

    /** Ends the session. An unfinished batch may be dropped, but the store must stay usable. */
    @Override
    void close() throws Exception;
}
