package bakeoff.driver;

import bakeoff.directory.Walk;
import bakeoff.store.Output;
import bakeoff.tape.Consumer;
import bakeoff.tape.Flags;
import bakeoff.tape.Hash;
import bakeoff.tape.Operation;
import bakeoff.tape.Pool;
import bakeoff.tape.Record;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;

/** Outside the clock: compares a block's answers with the tape and records its times. */
final class Checker {
    private static final int KEY_BYTES_SHOWN = 64;

    private final Pool pool;
    private final Output output;
    private final LaneOutcome outcome;
    /** The index of the block's first wrong answer; negative if there is none. */
    private int firstWrong;

    Checker(Pool pool, Output output, LaneOutcome outcome) {
        this.pool = pool;
        this.output = output;
        this.outcome = outcome;
    }

    /**
     * Checks the answers, unless the store keeps no data, and counts operations. With {@code timed} it records the time
     * of each.
     */
    void settle(Block<?> block, boolean check, boolean timed) {
        firstWrong = -1;
        ByKind byKind = block.byKind();
        for (int kind = 0; kind < byKind.number(); kind++) {
            int[] indexes = byKind.indexes(kind);
            int count = byKind.count(kind);
            if (check) {
                check(block, indexes, count);
            }
            if (!block.has(indexes[0], Flags.UNTIMED)) {
                count(block, indexes, count, timed);
            }
        }
        if (firstWrong >= 0 && outcome.firstWrong == null) {
            outcome.firstWrong = describe(block, firstWrong);
        }
    }

    /** Adds the first {@code count} operations in {@code indexes}, all of one kind, to their tally. */
    private void count(Block<?> block, int[] indexes, int count, boolean timed) {
        int first = indexes[0];
        Operation operation = block.operation(first);
        Tally tally = outcome.tally(operation);
        switch (operation) {
            case SCAN, SCAN_ALL, SCAN_PREFIX, FIRST ->
                tally.add(count, sum(block.entries, indexes, count), sum(block.bytes, indexes, count));
            case WALK -> tally.add(count, sum(block.entries, indexes, count), 0);
            case DELETE, COMMIT, EXISTS -> tally.add(count, count, 0);
            case GET -> tally.add(count, count, block.has(first, Flags.FOUND) ? block.entryBytes(indexes, count) : 0);
            default -> tally.add(count, count, block.entryBytes(indexes, count));
        }
        if (timed) {
            outcome.timedNs += tally.time(block.timesNs, indexes, count);
        }
    }

    /** Records times of operations separately for each range of value sizes. */
    void sortBySize(Block<?> block, List<ValueSizes> sizes) {
        ByKind byKind = block.byKind();
        for (int kind = 0; !sizes.isEmpty() && kind < byKind.number(); kind++) {
            int[] indexes = byKind.indexes(kind);
            int first = indexes[0];
            Operation operation = block.operation(first);
            boolean hasValues = operation.writesValue() || operation == Operation.GET && block.has(first, Flags.FOUND);
            if (!hasValues || block.has(first, Flags.UNTIMED)) {
                continue;
            }
            Tally tally = outcome.tally(operation);
            for (int at = 0; at < byKind.count(kind); at++) {
                long bytes = block.record(indexes[at]).valueBytes();
                for (int of = 0; of < sizes.size(); of++) {
                    if (bytes <= sizes.get(of).valueBytesMax()) {
                        tally.timeOfSize(of, block.timesNs[indexes[at]]);
                        break;
                    }
                }
            }
        }
    }

    private static long sum(long[] numbers, int[] indexes, int count) {
        long sum = 0;
        for (int at = 0; at < count; at++) {
            sum += numbers[indexes[at]];
        }
        return sum;
    }

    /** Checks the answers to the first {@code count} operations in {@code indexes}, all of one kind. */
    private void check(Block<?> block, int[] indexes, int count) {
        Operation operation = block.operation(indexes[0]);
        if (operation == Operation.GET) {
            checkGets(block, indexes, count, block.has(indexes[0], Flags.FOUND));
        } else if (operation == Operation.EXISTS) {
            boolean there = block.has(indexes[0], Flags.FOUND);
            for (int at = 0; at < count; at++) {
                note(indexes[at], block.found[indexes[at]] == there);
            }
        } else if (operation.isVisit()) {
            for (int at = 0; at < count; at++) {
                int index = indexes[at];
                note(index, operation == Operation.WALK ? walkIsRight(block, index) : scanIsRight(block, index));
            }
        } else {
            return;
        }
        outcome.answersChecked += count;
    }

    private void checkGets(Block<?> block, int[] indexes, int count, boolean there) {
        if (!there && block.foundNothing(indexes, count)) {
            return;
        }
        for (int at = 0; at < count; at++) {
            int index = indexes[at];
            boolean right = there
                    ? block.found[index] && (mismatch(block, index) < 0 || isOfAnotherLane(block, index))
                    : !block.found[index] && block.kept(index) == null && block.outputBytes(index) == 0;
            note(index, right);
        }
    }

    private void note(int index, boolean right) {
        if (!right) {
            outcome.answersWrong++;
            // Another kind may have an earlier wrong answer.
            firstWrong = firstWrong < 0 ? index : Math.min(firstWrong, index);
        }
    }

    /** The first difference between the read value and the expected one; negative if there is none. */
    private int mismatch(Block<?> block, int index) {
        Record record = block.record(index);
        return slice(record.valueOffset, record.valueBytes()).mismatch(found(block, index));
    }

    /** Whether the value read is another value that its record may have while a lane replaces it. */
    private boolean isOfAnotherLane(Block<?> block, int index) {
        if (!block.has(index, Flags.SHARED)) {
            return false;
        }
        Record record = block.record(index);
        long places = pool.bytes() - record.valueBytes() + 1;
        long step = Math.max(places / 4, 1);
        for (long place = record.valueOffset % step; place < places; place += step) {
            if (slice(place, record.valueBytes()).equals(found(block, index))) {
                return true;
            }
        }
        return false;
    }

    private ByteBuffer found(Block<?> block, int index) {
        byte[] kept = block.kept(index);
        return kept == null
                ? ByteBuffer.wrap(output.array(), block.outputBegin(index), block.outputBytes(index))
                : ByteBuffer.wrap(kept);
    }

    private ByteBuffer slice(long offset, long length) {
        return pool.window(offset).slice(pool.place(offset), (int) length);
    }

    private static boolean walkIsRight(Block<?> block, int index) {
        Record record = block.visit(index);
        boolean found = record.has(Flags.FOUND);
        if (!found && !Walk.pastLeaf(record.valueBytes())) {
            return !block.found[index];
        }
        return block.found[index] == found
                && block.entries[index] == Walk.found(record.valueBytes())
                && block.states[index] == record.valueOffset;
    }

    private boolean scanIsRight(Block<?> block, int index) {
        Record record = block.visit(index);
        if (block.entries[index] != record.entries || block.bytes[index] != record.bytes) {
            return false;
        }
        if (record.consumer == Consumer.COUNT) {
            return true;
        }
        return record.checksum
                == (record.consumer == Consumer.COPY
                        ? Hash.xxh64(output.array(), block.outputBegin(index), block.outputBytes(index), 0)
                        : block.states[index]);
    }

    /** A description of a wrong answer, for people. */
    private String describe(Block<?> block, int index) {
        if (block.operation(index) == Operation.WALK) {
            return describeWalk(block, index);
        }
        Record record = block.record(index);
        String key = printable(block.records, record.keyOffset, record.keyBytes());
        return switch (block.operation(index)) {
            case GET -> describeGet(block, index, key);
            case EXISTS ->
                block.has(index, Flags.FOUND)
                        ? "exists of key %s found nothing, but the key is there".formatted(key)
                        : "exists of key %s found it, but it is not there".formatted(key);
            default -> describeScan(block, index, key);
        };
    }

    private static String describeWalk(Block<?> block, int index) {
        Record record = block.visit(index);
        boolean found = block.found[index];
        long steps = block.entries[index];
        int components = Walk.components(record.valueBytes());
        if (found && steps < components) {
            return "walk of %d components: the value found by the lookup after %d others cannot be read as %s"
                    .formatted(components, steps, Walk.name(record.valueBytes()));
        }
        String of = Walk.allFields(record.valueBytes()) ? "fields" : "object";
        return ("walk of %d components found %d of them and read %s %s (the last found: %s), expected %s %s"
                        + " (the last found: %s)")
                .formatted(
                        components,
                        steps,
                        of,
                        Long.toUnsignedString(block.states[index]),
                        found,
                        of,
                        Long.toUnsignedString(record.valueOffset),
                        record.has(Flags.FOUND));
    }

    private String describeGet(Block<?> block, int index, String key) {
        byte[] kept = block.kept(index);
        int length = kept == null ? block.outputBytes(index) : kept.length;
        if (!block.has(index, Flags.FOUND)) {
            return "get of key %s gave a value of %d bytes, but the key is not there".formatted(key, length);
        }
        if (!block.found[index]) {
            return "get of key %s found nothing, but the key is there".formatted(key);
        }
        return "get of key %s gave a wrong value: %d bytes where %d were written, first difference at byte %d"
                .formatted(key, length, block.record(index).valueBytes(), mismatch(block, index));
    }

    private static String describeScan(Block<?> block, int index, String key) {
        Record record = block.visit(index);
        String what =
                switch (record.operation()) {
                    case SCAN -> "scan from key " + key;
                    case SCAN_PREFIX -> "scan of the prefix " + key;
                    case FIRST -> record.keyBytes() == 0 ? "the first entry" : "the first entry with the prefix " + key;
                    default -> "whole scan";
                };
        if (block.entries[index] == record.entries && block.bytes[index] == record.bytes) {
            return "%s delivered %d entries of %d bytes as expected, but their content or order is wrong (checksum differs)"
                    .formatted(what, record.entries, record.bytes);
        }
        return "%s delivered %d entries of %d bytes, expected %d entries of %d bytes"
                .formatted(what, block.entries[index], block.bytes[index], record.entries, record.bytes);
    }

    /** A key for people: printable ASCII, otherwise hexadecimal. Long keys are cut. */
    static String printable(ByteBuffer bytes, int offset, int length) {
        byte[] shown = new byte[Math.min(length, KEY_BYTES_SHOWN)];
        bytes.get(offset, shown);
        boolean graphic = true;
        for (byte one : shown) {
            graphic &= one > ' ' && one < 0x7f;
        }
        String text = graphic
                ? "`" + new String(shown, java.nio.charset.StandardCharsets.US_ASCII) + "`"
                : "0x" + HexFormat.of().formatHex(shown);
        return length > KEY_BYTES_SHOWN ? "%s… (%d bytes)".formatted(text, length) : text;
    }
}
