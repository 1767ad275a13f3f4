package bakeoff.store;

/** An entry of the table of stores: it describes a store and opens it. {@link java.util.ServiceLoader} finds it. */
public interface StoreType {
    /**
     * The store's description. Nothing is opened on disk.
     *
     * @throws Exception if the library cannot be loaded to learn its version
     */
    StoreDescription describe() throws Exception;

    /**
     * Creates the store in an empty directory, or opens the store that an earlier call left there.
     *
     * @throws Exception with the store's own message, or a {@link StoreException} if its kind is known
     */
    Store<?> open(OpenRequest request) throws Exception;
}
