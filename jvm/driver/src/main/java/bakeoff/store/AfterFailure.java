package bakeoff.store;

/**
 * What failures leave of a store with the settings of a durability level, at least.
 *
 * @param processDeath what the death of the process leaves, such as a crash or {@code kill -9}
 * @param powerCut what a power cut leaves, or a crash of the operating system
 */
public record AfterFailure(Leaves processDeath, Leaves powerCut) {
    /** What the death of the process and a power cut leave. */
    public static AfterFailure after(Leaves processDeath, Leaves powerCut) {
        return new AfterFailure(processDeath, powerCut);
    }
}
