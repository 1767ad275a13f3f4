package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.tape.Pool;
import bakeoff.tape.Record;
import bakeoff.tape.WrittenValues;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Values made beforehand, for all threads and stores of a process. If tapes write few distinct slices of the pool, a
 * store receives the same arrays or views repeatedly. The store must neither keep nor change its arguments. Otherwise
 * each value would have to be copied from the pool, or pointed to its place, before each write.
 *
 * @param <B> the form
 */
public final class Slices<B> {
    /** Copying this few bytes is no slower than finding a slice. */
    private static final int COPIED_BYTES = 32;

    private final B[] all;
    /** The slices, sorted by place. */
    private final long[] slices;

    private Slices(B[] all, long[] slices) {
        this.all = all;
        this.slices = slices;
    }

    /**
     * Slices of a pool for the values that tapes write ({@link WrittenValues#slices}). There are none if the store may
     * keep its arguments, or if values are very short.
     */
    public static <B> Slices<B> of(Form<B> form, Pool pool, long[] written) {
        long bytes = Arrays.stream(written)
                .mapToInt(WrittenValues::length)
                .asLongStream()
                .sum();
        if (!form.lasts() || bytes <= (long) COPIED_BYTES * written.length) {
            return none();
        }
        ByteBuffer window = (form.lends() ? pool : pool.forArrays()).window(0);
        B[] all = form.newArray(written.length);
        for (int number = 0; number < all.length; number++) {
            long slice = written[number];
            all[number] = form.of(window, WrittenValues.place(slice), WrittenValues.length(slice));
        }
        return new Slices<>(all, written);
    }

    static <B> Slices<B> none() {
        return new Slices<>(null, new long[0]);
    }

    B[] all() {
        return all;
    }

    /**
     * The number of the slice with this place and length, negative if there is none. Most slices come right after the
     * one found {@code before}.
     */
    private int find(int before, int place, int length) {
        long slice = WrittenValues.slice(place, length);
        int next = before + 1;
        return next < slices.length && slices[next] == slice ? next : Arrays.binarySearch(slices, slice);
    }

    /**
     * {@link #find}s the slices that the records of {@code count} operations name. Stores the number of each in
     * {@code numbers} at its index. Returns whether all were found.
     */
    boolean findAll(ByteBuffer records, int[] offsets, int[] indexes, int count, int[] numbers) {
        int number = -1;
        for (int at = 0; at < count; at++) {
            int index = indexes[at];
            int offset = offsets[index];
            number = find(number, (int) Record.valueOffset(records, offset), Record.valueBytes(records, offset));
            if (number < 0) {
                return false;
            }
            numbers[index] = number;
        }
        return true;
    }
}
