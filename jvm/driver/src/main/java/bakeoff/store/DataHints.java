package bakeoff.store;

/**
 * What a store may know beforehand about the data, as a developer who chooses its settings would.
 *
 * @param recordsMax records alive at the same time, at most
 * @param recordsInserted records that all phases insert together, deleted ones included
 * @param keyBytesMax length of the longest key
 * @param valueBytesMean mean length of a value
 * @param valueBytesMax length of the longest value
 * @param dataBytesMax bytes of keys and values alive at the same time, at most
 * @param writtenBytes bytes of keys and values that all phases write together
 * @param integerKeys all keys are 4-byte big-endian integers
 * @param threads threads that will replay at the same time
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
