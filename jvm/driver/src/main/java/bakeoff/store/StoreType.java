package bakeoff.store;

/** One line of the table of stores: how to describe a store and how to open it. Found by {@link java.util.ServiceLoader}. */
public interface StoreType {
    /**
     * What the store says of itself. It opens nothing on disk.
     *
     * @throws Exception if the library cannot be loaded, so that its version cannot be asked for
     */
    StoreDescription describe() throws Exception;

    /**
     * Creates the store in an empty directory, or opens what an earlier call left there.
     *
     * @throws Exception in the store's own words, or a {@link StoreException} where its kind is known
     */
    Store<?> open(OpenRequest request) throws Exception;
}
