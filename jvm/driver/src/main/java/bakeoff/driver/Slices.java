package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.tape.Pool;
import java.nio.ByteBuffer;

/**
 * Values made beforehand, for all threads and all stores of a process: where all are of one length they lie at multiples of it in the pool, and a store
 * that neither keeps nor changes what it is given is handed the same arrays or views again and again. Otherwise each would have to be copied
 * out of the pool, or pointed to its place in it, before it is written.
 *
 * @param <B> the form
 */
public final class Slices<B> {
    /** More, or of a longer pool, would take too much of the heap. */
    private static final int NUMBER_MAX = 1 << 16;

    private static final int POOL_BYTES_MAX = 8 << 20;
    /** To copy so few bytes takes no longer than to find them again. */
    private static final int COPIED_BYTES = 32;

    private final B[] all;
    private final int length;

    private Slices(B[] all, int length) {
        this.all = all;
        this.length = length;
    }

    /** Those of a pool. There are none where the store may keep what it is given, values are very short, or there would be too many or too long ones. */
    public static <B> Slices<B> of(Form<B> form, Pool pool, long length) {
        if (!form.lasts()
                || length <= COPIED_BYTES
                || length > pool.bytes()
                || pool.bytes() > POOL_BYTES_MAX
                || pool.bytes() / length > NUMBER_MAX) {
            return none();
        }
        ByteBuffer window = (form.lends() ? pool : pool.forArrays()).window(0);
        B[] all = form.newArray((int) (pool.bytes() / length));
        for (int number = 0; number < all.length; number++) {
            all[number] = form.of(window, number * (int) length, (int) length);
        }
        return new Slices<>(all, (int) length);
    }

    static <B> Slices<B> none() {
        return new Slices<>(null, 0);
    }

    B[] all() {
        return all;
    }

    /** Fills {@code numbers} with those of the slices that lie at these places; says whether there is one for each. */
    boolean number(int[] places, int count, int length, int[] numbers) {
        if (all == null || this.length != length) {
            return false;
        }
        int next = -1;
        int number = -1;
        for (int index = 0; index < count; index++) {
            int place = places[index];
            if (place == next) {
                // Behind the one before, as nearly all are.
                number++;
            } else {
                number = place / length;
                if (number * length != place) {
                    return false;
                }
            }
            numbers[index] = number;
            next = place + length;
        }
        return true;
    }
}
