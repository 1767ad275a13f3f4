package bakeoff.store;

import java.util.Locale;

/** What remains of a store after a failure. */
public enum Leaves {
    /** Every acknowledged write. */
    KEPT,
    /** An earlier consistent state: the last acknowledged writes may be lost. */
    EARLIER_STATE,
    /** No guarantee: the store may not open, or may have lost or mixed any of its writes. */
    POSSIBLY_CORRUPT;

    /** The name in descriptions. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
