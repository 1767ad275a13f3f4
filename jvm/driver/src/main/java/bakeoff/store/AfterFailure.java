package bakeoff.store;

/**
 * What remains, at least, of a store with the settings of a durability level after a failure.
 *
 * @param processDeath after the death of the process, such as a crash or {@code kill -9}
 * @param powerCut after a power cut or a crash of the operating system
 */
public record AfterFailure(Leaves processDeath, Leaves powerCut) {
    /** What remains after the death of the process, and after a power cut. */
    public static AfterFailure after(Leaves processDeath, Leaves powerCut) {
        return new AfterFailure(processDeath, powerCut);
    }
}
