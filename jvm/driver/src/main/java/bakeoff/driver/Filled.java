package bakeoff.driver;

import bakeoff.store.Form;
import java.nio.ByteBuffer;

/**
 * The keys of a block, or its values, in the form that the store takes: those of the block before, filled again, where the form allows it.
 * Views are filled again with the same buffer, and made anew for another.
 *
 * <p>From the first on where it does not, or where the one before was of another length, they are made and put into a new array: to keep
 * a young object in an old one would cost a memory barrier for each. Only where the block before had none in a place is that done.
 *
 * @param <B> the form
 */
final class Filled<B> {
    private final Form<B> form;
    private final boolean lends;
    /** Null until the block's first; where an operation has none, what another had before. */
    private B[] all;

    private int count;
    /** Up to now, all of this block are of the one before. */
    private boolean again;
    /** What views are views of. */
    private ByteBuffer lender;
    /** Some of this block are views of the lender before. */
    private boolean mixed;

    Filled(Form<B> form) {
        this.form = form;
        lends = form.lends();
    }

    /** A block of so many operations begins. */
    void begin(int operations) {
        count = operations;
        again = all != null && all.length >= operations && !mixed;
        mixed = false;
        if (!again) {
            all = null;
        }
    }

    /** That of operation {@code index}: these bytes of {@code source}. They are filled in order. */
    void fill(int index, ByteBuffer source, int offset, int length) {
        if (lends && source != lender) {
            changeLender(index, source);
        }
        B before = again ? all[index] : null;
        if (before != null) {
            if (form.refill(before, source, offset, length)) {
                return;
            }
            beginAnew(index);
        } else if (all == null) {
            beginAnew(0);
        }
        all[index] = form.of(source, offset, length);
    }

    /** Those of all operations: {@code length} bytes of {@code source} each, {@code shift} bytes behind these places. */
    void fillAll(ByteBuffer source, int[] places, int shift, int length) {
        if (lends && source != lender) {
            changeLender(0, source);
        }
        int index = again ? form.refillAll(all, count, source, places, shift, length) : 0;
        for (; index < count; index++) {
            fill(index, source, places[index] + shift, length);
        }
    }

    private void changeLender(int filled, ByteBuffer source) {
        if (again) {
            beginAnew(filled);
        }
        mixed = filled > 0;
        lender = source;
    }

    private void beginAnew(int filled) {
        B[] anew = form.newArray(count);
        if (filled > 0) {
            System.arraycopy(all, 0, anew, 0, filled);
        }
        all = anew;
        again = false;
    }

    /** That of operation {@code index}, which was filled. */
    B get(int index) {
        return all[index];
    }
}
