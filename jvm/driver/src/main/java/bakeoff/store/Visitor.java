package bakeoff.store;

/**
 * Consumes the entries of a scan.
 *
 * @param <B> the type of keys and values in the store's API
 */
public interface Visitor<B> {
    /** Consumes an entry, which is valid only during the call. Returns whether the scan continues. */
    boolean visit(B key, B value);
}
