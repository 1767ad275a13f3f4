package bakeoff.store;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What a store promises about a write it has acknowledged. */
public enum Durability {
    /** It may be lost when the process dies. */
    NONE,
    /** It survives the death of the process, not of the machine. */
    PROCESS,
    /** It survives a power cut: it was flushed. */
    POWER;

    /** The name used in suites, requests and results. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The class of this name. */
    public static Optional<Durability> of(String word) {
        return Stream.of(values())
                .filter(durability -> durability.word().equals(word))
                .findFirst();
    }
}
