package bakeoff.store;

import java.nio.file.Path;

/**
 * The parameters for opening a store.
 *
 * @param directory a directory only for this store
 * @param durability the required durability level
 * @param settings every setting of the description: defaults filled in, types and limits checked
 * @param hints what the store may know about the data
 */
public record OpenRequest(Path directory, Durability durability, Settings settings, DataHints hints) {}
