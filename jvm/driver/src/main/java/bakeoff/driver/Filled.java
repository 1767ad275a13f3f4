package bakeoff.driver;

import bakeoff.store.Form;
import bakeoff.tape.LaneReader;
import java.nio.ByteBuffer;

/**
 * The keys or values of a block, in the store's form. Where the form allows it, the objects of the previous block are
 * refilled. Views are refilled only for the same buffer, and made anew for another.
 *
 * <p>If the form does not allow it, or from the first object of another length on, new objects are made in a new array.
 * Storing young objects in an old array would cost a memory barrier each. That is done only where the previous block
 * had no object at an index.
 *
 * <p>Values that are {@link Slices} are not refilled at all.
 *
 * @param <B> the form
 */
final class Filled<B> {
    private final Form<B> form;
    private final boolean lends;
    /** For blocks without any object. */
    private final B[] none;
    /** Null before the first object of a block. Operations without one may have an older object here. */
    private B[] all;

    private int count;
    /** So far, all objects of this block are refilled ones. */
    private boolean again;
    /** The buffer behind the views. */
    private ByteBuffer lender;
    /** Some objects of this block are views of the previous lender. */
    private boolean mixed;

    private final Slices<B> slices;
    /** All objects of this block are slices, with these numbers. */
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

    /** Begins a block of {@code operations} operations. */
    void begin(int operations) {
        count = operations;
        sliced = false;
        again = all != null && all.length >= operations && !mixed;
        mixed = false;
        if (!again) {
            all = null;
        }
    }

    /** Makes the object of operation {@code index} from these bytes of {@code source}. Call it in order of indexes. */
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

    /**
     * Uses the slices of the pool that the records of {@code sliceCount} operations name. The operations have these
     * indexes, and their records begin at these offsets. Returns whether all slices exist. If not, the objects must be
     * filled.
     */
    boolean slice(ByteBuffer records, int[] offsets, int[] indexes, int sliceCount) {
        sliced = slices.findAll(records, offsets, indexes, sliceCount, numbers);
        return sliced;
    }

    /**
     * Makes the objects of all operations, each from the {@code length} bytes of {@code source} that begin
     * {@code shift} after its place.
     */
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
     * The array of this block's objects, addressed with {@link #indexes}. A loop keeps it in a local variable, as it
     * would otherwise be loaded again after each call of the store.
     */
    B[] array() {
        if (sliced) {
            return slices.all();
        }
        return all == null ? none : all;
    }

    /** The indexes in {@link #array} of the operations' objects. */
    int[] indexes() {
        return sliced ? numbers : ByKind.EACH;
    }
}
