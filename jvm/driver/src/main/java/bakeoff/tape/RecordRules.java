package bakeoff.tape;

import bakeoff.directory.Walk;
import java.nio.ByteBuffer;

/** The rules of the format that a record must keep, whatever a decoder would make of it. */
final class RecordRules {
    /** A broken rule: the field, its value and what it should be. */
    record Broken(String what, Object found, Object expected) {}

    /** The longest value that a Java array and a window of the pool hold for sure, which is as long as suites go. */
    private static final long VALUE_BYTES_MAX = 1 << 30;

    private RecordRules() {}

    /** What is broken about bytes that are no record. */
    static Broken malformed(byte first) {
        return new Broken("record", "malformed (first byte %d)".formatted(first & 0xff), "a whole, known record");
    }

    /** The first rule that is broken; null if none is. */
    static Broken check(Record record, ByteBuffer block, long poolBytes) {
        if ((record.flags() & ~Flags.ALL) != 0) {
            return new Broken("flags", "0x%02x".formatted(record.flags()), "bits of 0x%02x".formatted(Flags.ALL));
        }
        Operation operation = record.operation();
        if ((operation == Operation.COMMIT || operation == Operation.SCAN_ALL) && record.keyBytes() != 0) {
            return new Broken("key_bytes", record.keyBytes(), "0, as %s has no key".formatted(operation.word()));
        }
        if (record.refersToPool() && !isInPool(record, poolBytes)) {
            String found = "%d bytes at %s".formatted(record.valueBytes(), Long.toUnsignedString(record.valueOffset));
            return new Broken("value", found, "a slice of the pool of %d bytes".formatted(poolBytes));
        }
        if (record.refersToPool() && record.valueBytes() > VALUE_BYTES_MAX) {
            return new Broken("value_bytes", record.valueBytes(), "at most 1 GiB, which this reader can hold");
        }
        Broken broken = operation.isScan() ? checkScan(record) : anyOrderIsOfScans(record);
        return broken == null && operation == Operation.WALK ? checkPath(record, block) : broken;
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
        boolean allowed = whole && record.consumer != Consumer.COPY;
        return record.has(Flags.ANY_ORDER) && !allowed ? misplacedAnyOrder() : null;
    }

    private static Broken anyOrderIsOfScans(Record record) {
        return record.has(Flags.ANY_ORDER) ? misplacedAnyOrder() : null;
    }

    private static Broken misplacedAnyOrder() {
        return new Broken("flag ANY_ORDER", "set", "set only for a whole scan that copies nothing");
    }

    /** The path of a walk has as many components as the record says, and its values a codec that is known. */
    private static Broken checkPath(Record record, ByteBuffer block) {
        if (!Walk.isKnown(record.valueBytes())) {
            return new Broken("walk", "0x%08x".formatted(record.valueBytes()), "a known codec with known fields");
        }
        if (Walk.pastLeaf(record.valueBytes())
                && (record.has(Flags.FOUND) || Walk.components(record.valueBytes()) == 0)) {
            String found = "%d components".formatted(Walk.components(record.valueBytes()));
            return new Broken("past a leaf", found, "a walk that is not found and has a component");
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
