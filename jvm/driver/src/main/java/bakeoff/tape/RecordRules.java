package bakeoff.tape;

import bakeoff.directory.Walk;
import java.nio.ByteBuffer;

/** The format's rules for a record, even if a decoder could read it otherwise. */
final class RecordRules {
    /** A broken rule: the field, its value and the expected value. */
    record Broken(String what, Object found, Object expected) {}

    /** The longest value that always fits into a Java array and a window of the pool. Suites have the same limit. */
    private static final long VALUE_BYTES_MAX = 1 << 30;

    private RecordRules() {}

    /** The broken rule for bytes that are not a record. */
    static Broken malformed(byte first) {
        return new Broken("record", "malformed (first byte %d)".formatted(first & 0xff), "a whole, known record");
    }

    /** The first broken rule; null if there is none. */
    static Broken check(Record record, ByteBuffer block, long poolBytes) {
        Operation operation = record.operation();
        int allowed = Flags.of(operation);
        if ((record.flags() & ~allowed) != 0) {
            String expected = "bits of 0x%02x in %s".formatted(allowed, operation.word());
            return new Broken("flags", "0x%02x".formatted(record.flags()), expected);
        }
        if (record.has(Flags.SHARED) && !record.has(Flags.FOUND)) {
            return new Broken("flags", "0x%02x".formatted(record.flags()), "SHARED only with FOUND");
        }
        if (operation == Operation.UPDATE && !record.has(Flags.FOUND)) {
            return new Broken("flags", "0x%02x".formatted(record.flags()), "FOUND in update");
        }
        if ((operation == Operation.COMMIT || operation == Operation.SCAN_ALL) && record.keyBytes() != 0) {
            return new Broken("key_bytes", record.keyBytes(), "0, as %s has no key".formatted(operation.word()));
        }
        boolean hasValue = record.refersToPool() || operation == Operation.WALK;
        if (!hasValue && (record.valueBytes() != 0 || record.valueOffset != 0)) {
            String expected = "0 bytes at 0, as this %s has no value".formatted(operation.word());
            return new Broken("value", place(record), expected);
        }
        if (record.refersToPool() && !isInPool(record, poolBytes)) {
            return new Broken("value", place(record), "a slice of the pool of %d bytes".formatted(poolBytes));
        }
        if (record.refersToPool() && record.valueBytes() > VALUE_BYTES_MAX) {
            return new Broken("value_bytes", record.valueBytes(), "at most 1 GiB, which this reader can hold");
        }
        if (operation.isScan()) {
            return checkScan(record);
        }
        return operation == Operation.WALK ? checkPath(record, block) : null;
    }

    private static String place(Record record) {
        return "%d bytes at %s".formatted(record.valueBytes(), Long.toUnsignedString(record.valueOffset));
    }

    private static boolean isInPool(Record record, long poolBytes) {
        long offset = record.valueOffset;
        return offset >= 0 && offset <= poolBytes && record.valueBytes() <= poolBytes - offset;
    }

    private static Broken checkScan(Record record) {
        boolean whole = record.operation() == Operation.SCAN_ALL;
        if (whole && record.limit != 0) {
            return new Broken("limit", Long.toUnsignedString(record.limit), "0, as a whole scan has none");
        }
        if (!whole && Long.compareUnsigned(record.entries, record.limit) > 0) {
            String limit = Long.toUnsignedString(record.limit);
            return new Broken("entries", Long.toUnsignedString(record.entries), "at most the limit of " + limit);
        }
        if (record.operation() == Operation.FIRST && record.limit != 1) {
            return new Broken("limit", Long.toUnsignedString(record.limit), "1, as a first entry is one");
        }
        if (record.operation().hasPrefix() && record.has(Flags.REVERSE) && record.keyBytes() != 0) {
            return new Broken("flag REVERSE", "set", "unset where keys begin with something");
        }
        boolean misplaced = record.has(Flags.ANY_ORDER) && record.consumer == Consumer.COPY;
        return misplaced ? new Broken("flag ANY_ORDER", "set", "unset for a scan that copies") : null;
    }

    /** The path of a walk must have the number of components in the record, and its values a known codec. */
    private static Broken checkPath(Record record, ByteBuffer block) {
        if (!Walk.isKnown(record.valueBytes())) {
            return new Broken("walk", "0x%08x".formatted(record.valueBytes()), "a known codec with known fields");
        }
        if (Walk.pastLeaf(record.valueBytes())
                && (record.has(Flags.FOUND) || Walk.components(record.valueBytes()) == 0)) {
            String found = "%d components".formatted(Walk.components(record.valueBytes()));
            return new Broken("past a leaf", found, "a walk that is not found and has a component");
        }
        boolean isOpen = !Walk.pastLeaf(record.valueBytes()) && !record.has(Flags.FOUND);
        if (isOpen && record.valueOffset != 0) {
            String found = Long.toUnsignedString(record.valueOffset);
            return new Broken("value_offset", found, "0, as it is not said what this walk reads");
        }
        int at = record.keyOffset;
        int end = at + record.keyBytes();
        long components = 0;
        while (at < end) {
            int length = block.get(at) & 0xff;
            if (end - at - 1 < length) {
                return new Broken("path", "cut short", "%d bytes in component %d".formatted(length, components));
            }
            at += 1 + length;
            components++;
        }
        int expected = Walk.components(record.valueBytes());
        return components == expected ? null : new Broken("components", expected, components);
    }
}
