package bakeoff.tape;

/**
 * The place and size of a lane.
 *
 * @param offset where it begins in the file
 * @param bytes its length
 * @param operations its operations, commits included
 * @param blocks its blocks
 */
public record LaneFacts(long offset, long bytes, long operations, long blocks) {}
