package bakeoff.store;

/**
 * What a store may know about the data beforehand, like a developer who chooses its settings.
 *
 * @param recordsMax maximum of records alive at the same time
 * @param recordsInserted records inserted by all phases, deleted ones included
 * @param keyBytesMax length of the longest key
 * @param valueBytesMean mean length of a value
 * @param valueBytesMax length of the longest value
 * @param dataBytesMax maximum bytes of keys and values alive at the same time
 * @param writtenBytes bytes of keys and values written by all phases
 * @param integerKeys whether all keys are 4-byte big-endian integers
 * @param threads number of replaying threads
 */
public record DataHints(
        long recordsMax,
        long recordsInserted,
        long keyBytesMax,
        long valueBytesMean,
        long valueBytesMax,
        long dataBytesMax,
        long writtenBytes,
        boolean integerKeys,
        int threads) {}
