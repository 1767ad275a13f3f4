package bakeoff.store;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A durability level: what happens to an acknowledged write. Each level includes the guarantees of the levels before
 * it.
 */
public enum Durability {
    /** The write may be lost when the process dies. */
    NONE,
    /** The write survives the death of the process. After a power cut the store may be corrupt. */
    PROCESS,
    /**
     * The write survives the death of the process. After a power cut the store opens with an earlier consistent state.
     */
    CONSISTENT,
    /** The write survives a power cut. */
    POWER;

    /** The name used in suites, requests and results. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether this level includes the guarantees of another. */
    public boolean includes(Durability other) {
        return compareTo(other) >= 0;
    }

    /** Whether a store in this state after a failure satisfies the level. */
    public boolean isKept(AfterFailure after) {
        boolean survivesProcess = after.processDeath() == Leaves.KEPT;
        return switch (this) {
            case NONE -> true;
            case PROCESS -> survivesProcess;
            case CONSISTENT -> survivesProcess && after.powerCut() != Leaves.POSSIBLY_CORRUPT;
            case POWER -> survivesProcess && after.powerCut() == Leaves.KEPT;
        };
    }

    /** The level of this name. */
    public static Optional<Durability> of(String word) {
        return Stream.of(values())
                .filter(durability -> durability.word().equals(word))
                .findFirst();
    }
}
