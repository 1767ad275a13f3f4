package bakeoff.store;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A durability level: what a store promises about a write it has acknowledged. Each includes the promises of those before it. */
public enum Durability {
    /** It may be lost when the process dies. */
    NONE,
    /** It survives the death of the process. After a power cut the store may be corrupt. */
    PROCESS,
    /** It survives the death of the process. After a power cut the store opens with an earlier consistent state. */
    CONSISTENT,
    /** It survives a power cut. */
    POWER;

    /** The name used in suites, requests and results. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether what is promised at this level includes what is promised at another. */
    public boolean includes(Durability other) {
        return compareTo(other) >= 0;
    }

    /** Whether a store that is left like this keeps the level's promise. */
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
