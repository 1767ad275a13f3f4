package bakeoff.store;

/**
 * What is done with each entry of a scan.
 *
 * @param <B> what the store's API gives for a key and a value
 */
public interface Visitor<B> {
    /** Takes an entry, which is lent for the length of the call, and says whether the scan goes on. */
    boolean visit(B key, B value);
}
