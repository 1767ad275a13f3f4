package bakeoff.tape;

/**
 * Where a lane lies and what is on it.
 *
 * @param offset where it begins in the file
 * @param bytes its length
 * @param operations operations on it, commits included
 * @param blocks blocks on it
 */
public record LaneFacts(long offset, long bytes, long operations, long blocks) {}
