package bakeoff.store;

/**
 * What a session may know beforehand.
 *
 * @param batched {@link Session#commit} acknowledges writes; otherwise each call acknowledges its write
 * @param ascending keys are inserted in ascending order into an empty store, so an append mode is possible
 */
public record SessionPlan(boolean batched, boolean ascending) {}
