package bakeoff.store;

/**
 * One thread's way into an open store. All methods but {@link #close} are called inside the clock.
 *
 * @param <B> what the store's API takes for a key and a value
 */
public interface Session<B> extends AutoCloseable {
    /** Writes a key that is not there. */
    void insert(B key, B value) throws Exception;

    /** Replaces the value of a key that is there. */
    void update(B key, B value) throws Exception;

    /** Writes a key whether or not it is there. */
    void upsert(B key, B value) throws Exception;

    /** Gives the key's value to {@code output} and says whether there is one. */
    boolean get(B key, Output output) throws Exception;

    /** Says whether a key is there. A store without a call for that reads the value, which it may give to {@code output}. */
    default boolean exists(B key, Output output) throws Exception {
        return get(key, output);
    }

    /** Removes a key; it is not an error if it is not there. */
    void delete(B key) throws Exception;

    /**
     * Visits entries in order, from the first key not below {@code from} (reverse: not above; null: from the end), until
     * {@code visitor} returns false or there are no more.
     */
    void scan(B from, Direction direction, Visitor<B> visitor) throws Exception;

    /** Acknowledges everything written since the last commit, together. */
    void commit() throws Exception;

    /** Ends the session. An unfinished batch may be dropped, but the store must stay usable. */
    @Override
    void close() throws Exception;
}
