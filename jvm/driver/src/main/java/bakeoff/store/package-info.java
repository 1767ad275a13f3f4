/**
 * The driver's view of a store: how it describes itself, how it is opened, and what a thread does with it.
 *
 * <p>No timing and no checking here. A store is one class in a separate module that implements
 * {@link bakeoff.store.StoreType}, and one line in that module's {@code META-INF/services/bakeoff.store.StoreType}.
 */
package bakeoff.store;
