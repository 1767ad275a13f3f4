package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.tape.LaneReader;
import java.nio.ByteBuffer;

/**
 * The keys of a block, or its values, in the form that the store takes: those of the block before, filled again, where the form allows it.
 * Views are filled again with the same buffer, and made anew for another.
 *
 * <p>From the first on where it does not, or where the one before was of another length, they are made and put into a new array: to keep
 * a young object in an old one would cost a memory barrier for each. Only where the block before had none in a place is that done.
 *
 * <p>Values that are {@link Slices} are not filled at all.
 *
 * @param <B> the form
 */
final class Filled<B> {
    private final Form<B> form;
    private final boolean lends;
    /** Where no operation has one. */
    private final B[] none;
    /** Null until the block's first; where an operation has none, what another had before. */
    private B[] all;

    private int count;
    /** Up to now, all of this block are of the one before. */
    private boolean again;
    /** What views are views of. */
    private ByteBuffer lender;
    /** Some of this block are views of the lender before. */
    private boolean mixed;

    private final Slices<B> slices;
    /** All of this block are slices, with these numbers. */
    private boolean sliced;

    private final int[] numbers;

    Filled(Form<B> form) {
        this(form, Slices.none());
    }

    Filled(Form<B> form, Slices<B> slices) {
        this.form = form;
        this.slices = slices;
        numbers = slices.all() == null ? ByKind.EACH : new int[LaneReader.BLOCK_OPERATIONS_MAX];
        lends = form.lends();
        none = form.newArray(LaneReader.BLOCK_OPERATIONS_MAX);
    }

    /** A block of so many operations begins. */
    void begin(int operations) {
        count = operations;
        sliced = false;
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

    /** Those of {@code sliceCount} operations, with these indexes, as the slices of the pool that their records name, which lie at these offsets; says whether there are all of them. If not, they are to be filled. */
    boolean slice(ByteBuffer records, int[] offsets, int[] indexes, int sliceCount) {
        sliced = slices.findAll(records, offsets, indexes, sliceCount, numbers);
        return sliced;
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

    /**
     * Where those of this block are, that of an operation at the index which {@link #indexes} has for it: for a loop that would have to look for
     * them again after each call of the store.
     */
    B[] array() {
        if (sliced) {
            return slices.all();
        }
        return all == null ? none : all;
    }

    /** Where in {@link #array} those of this block's operations are. */
    int[] indexes() {
        return sliced ? numbers : ByKind.EACH;
    }
}
