package bakeoff.store;

import java.nio.file.Path;

/**
 * What a store is opened with.
 *
 * @param directory a directory of the store's own
 * @param durability the promise to keep
 * @param settings every setting of the description: defaults filled in, types and limits checked
 * @param hints what the store may know about the data
 */
public record OpenRequest(Path directory, Durability durability, Settings settings, DataHints hints) {}
