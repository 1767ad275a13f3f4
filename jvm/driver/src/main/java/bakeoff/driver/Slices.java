package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.tape.Pool;
import bakeoff.tape.Record;
import bakeoff.tape.WrittenValues;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Values made beforehand, for all threads and all stores of a process: where tapes write few different slices of the pool, a store
 * that neither keeps nor changes what it is given is handed the same arrays or views again and again. Otherwise each would have to be copied
 * out of the pool, or pointed to its place in it, before it is written.
 *
 * @param <B> the form
 */
public final class Slices<B> {
    /** To copy so few bytes takes no longer than to find them again. */
    private static final int COPIED_BYTES = 32;

    private final B[] all;
    /** What they are, in the order of places. */
    private final long[] slices;

    private Slices(B[] all, long[] slices) {
        this.all = all;
        this.slices = slices;
    }

    /** Those of a pool that tapes write ({@link WrittenValues#slices}). There are none where the store may keep what it is given, or values are very short. */
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

    /** The number of the one that is so many bytes from this place on, negative if there is none: most are behind that found {@code before}. */
    private int find(int before, int place, int length) {
        long slice = WrittenValues.slice(place, length);
        int next = before + 1;
        return next < slices.length && slices[next] == slice ? next : Arrays.binarySearch(slices, slice);
    }

    /** {@link #find}s those that the records of {@code count} operations name, and puts the number of each into {@code numbers} at its index; says whether it found all. */
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
