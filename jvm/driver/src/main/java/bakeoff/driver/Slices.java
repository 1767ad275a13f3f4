package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.tape.Pool;
import java.nio.ByteBuffer;

/**
 * Values made beforehand, for all threads: where all are of one length they lie at multiples of it, in the order in which they are written, and are the
 * same slices of the pool over and over. A store that neither keeps nor changes what it is given is handed the same ones over and over then,
 * where each would have to be copied out of the pool before it is written.
 *
 * @param <B> the form
 */
public final class Slices<B> {
    /** Longer pools would take too much of the heap, which shows in what the store is said to need. */
    private static final int POOL_BYTES_MAX = 8 << 20;
    /** Shorter values are made sooner than they are looked for, and there would be too many. */
    private static final int LENGTH_MIN = 33;

    private final B[] all;
    private final int length;

    private Slices(B[] all, int length) {
        this.all = all;
        this.length = length;
    }

    /** Those of a pool. There are none where the store may keep what it is given, values are too short or the pool is too long. */
    public static <B> Slices<B> of(Form<B> form, Pool pool, long length) {
        if (!form.lasts() || length < LENGTH_MIN || length > pool.bytes() || pool.bytes() > POOL_BYTES_MAX) {
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
