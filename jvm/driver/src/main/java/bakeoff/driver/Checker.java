package bakeoff.driver;

import bakeoff.store.Output;
import bakeoff.tape.Consumer;
import bakeoff.tape.Flags;
import bakeoff.tape.Hash;
import bakeoff.tape.Operation;
import bakeoff.tape.Pool;
import bakeoff.tape.Record;
import bakeoff.tape.Walk;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * Outside the clock: compares a block's answers with the tape and records its times.
 */
final class Checker {
    private static final int KEY_BYTES_SHOWN = 64;

    private final Pool pool;
    private final Output output;
    private final LaneOutcome outcome;

    Checker(Pool pool, Output output, LaneOutcome outcome) {
        this.pool = pool;
        this.output = output;
        this.outcome = outcome;
    }

    void settle(Step[] steps, int count, ByteBuffer records, boolean check) {
        int begin = 0;
        for (int index = 0; index < count; index++) {
            Step step = steps[index];
            if (check) {
                check(step, begin, records);
            }
            begin = step.outputEnd;
            count(step);
        }
    }

    /** Adds an operation to its kind's tally. */
    private void count(Step step) {
        Record record = step.record;
        if (record.has(Flags.UNTIMED)) {
            return;
        }
        Tally tally = outcome.tally(record.operation());
        switch (record.operation()) {
            case SCAN, SCAN_ALL -> tally.add(step.entries, step.bytes);
            case WALK -> tally.add(step.entries, 0);
            case DELETE, COMMIT -> tally.add(1, 0);
            case GET -> tally.add(1, record.has(Flags.FOUND) ? record.keyBytes + record.valueBytes : 0);
            default -> tally.add(1, record.keyBytes + record.valueBytes);
        }
        if (step.timeNs != Step.UNTIMED) {
            tally.time(step.timeNs);
            outcome.timedNs += step.timeNs;
        }
    }

    private void check(Step step, int begin, ByteBuffer records) {
        boolean right =
                switch (step.record.operation()) {
                    case GET -> getIsRight(step, begin);
                    case WALK -> walkIsRight(step);
                    case SCAN, SCAN_ALL -> scanIsRight(step, begin);
                    default -> {
                        outcome.answersChecked--;
                        yield true;
                    }
                };
        outcome.answersChecked++;
        if (!right) {
            outcome.answersWrong++;
            if (outcome.firstWrong == null) {
                outcome.firstWrong = describe(step, begin, records);
            }
        }
    }

    private boolean getIsRight(Step step, int begin) {
        if (!step.record.has(Flags.FOUND)) {
            return !step.found && step.kept == null && step.outputEnd == begin;
        }
        return step.found && mismatch(step, begin) < 0;
    }

    /** Where the value read first differs from the one expected; negative if nowhere. */
    private int mismatch(Step step, int begin) {
        ByteBuffer found = step.kept == null
                ? ByteBuffer.wrap(output.array(), begin, step.outputEnd - begin)
                : ByteBuffer.wrap(step.kept);
        return expected(step.record).mismatch(found);
    }

    private ByteBuffer expected(Record record) {
        return pool.window(record.valueOffset).slice(pool.place(record.valueOffset), (int) record.valueBytes);
    }

    private static boolean walkIsRight(Step step) {
        Record record = step.record;
        boolean found = record.has(Flags.FOUND);
        if (!found && !Walk.pastLeaf(record)) {
            return !step.found;
        }
        return step.found == found && step.entries == Walk.found(record) && step.state == record.valueOffset;
    }

    private boolean scanIsRight(Step step, int begin) {
        Record record = step.record;
        if (step.entries != record.entries || step.bytes != record.bytes) {
            return false;
        }
        if (record.consumer == Consumer.COUNT) {
            return true;
        }
        return record.checksum
                == (record.consumer == Consumer.COPY
                        ? Hash.xxh64(output.array(), begin, step.outputEnd - begin, 0)
                        : step.state);
    }

    /** What was wrong with an answer, for a person. */
    private String describe(Step step, int begin, ByteBuffer records) {
        Record record = step.record;
        if (record.operation() == Operation.WALK) {
            return describeWalk(step);
        }
        String key = printable(records, record.keyOffset, record.keyBytes);
        return record.operation() == Operation.GET ? describeGet(step, begin, key) : describeScan(step, key);
    }

    private static String describeWalk(Step step) {
        Record record = step.record;
        int components = Walk.components(record);
        if (step.found && step.entries < components) {
            return "walk of %d components: the value found by the lookup after %d others cannot be read as %s"
                    .formatted(components, step.entries, Walk.word(record));
        }
        String of = Walk.allFields(record) ? "fields" : "object";
        return ("walk of %d components found %d of them and read %s %s (the last found: %s), expected %s %s"
                        + " (the last found: %s)")
                .formatted(
                        components,
                        step.entries,
                        of,
                        Long.toUnsignedString(step.state),
                        step.found,
                        of,
                        Long.toUnsignedString(record.valueOffset),
                        record.has(Flags.FOUND));
    }

    private String describeGet(Step step, int begin, String key) {
        Record record = step.record;
        int length = step.kept == null ? step.outputEnd - begin : step.kept.length;
        if (!record.has(Flags.FOUND)) {
            return "get of key %s gave a value of %d bytes, but the key is not there".formatted(key, length);
        }
        if (!step.found) {
            return "get of key %s found nothing, but the key is there".formatted(key);
        }
        return "get of key %s gave a wrong value: %d bytes where %d were written, first difference at byte %d"
                .formatted(key, length, record.valueBytes, mismatch(step, begin));
    }

    private String describeScan(Step step, String key) {
        Record record = step.record;
        String what = record.operation() == Operation.SCAN ? "scan from key " + key : "whole scan";
        if (step.entries == record.entries && step.bytes == record.bytes) {
            return "%s delivered %d entries of %d bytes as expected, but their content or order is wrong (checksum differs)"
                    .formatted(what, record.entries, record.bytes);
        }
        return "%s delivered %d entries of %d bytes, expected %d entries of %d bytes"
                .formatted(what, step.entries, step.bytes, record.entries, record.bytes);
    }

    /** A key as a person can read it: printable ASCII as it is, else hexadecimal; long keys are cut. */
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
