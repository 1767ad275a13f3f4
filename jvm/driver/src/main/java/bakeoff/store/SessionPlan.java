package bakeoff.store;

/**
 * What a session may know beforehand.
 *
 * @param batched writes are acknowledged by {@link Session#commit}; otherwise each write when its call returns
 * @param ascending keys are inserted in ascending order into an empty store: an append mode may be used
 */
public record SessionPlan(boolean batched, boolean ascending) {}
