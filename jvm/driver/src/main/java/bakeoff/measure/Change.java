package bakeoff.measure;

import java.util.List;
import java.util.Optional;

/**
 * Whether a series has settled, by Pettitt's test for a change of level, which asks only for ranks (Applied Statistics 28, 1979); the
 * same as in native drivers.
 */
public final class Change {
    /** Fewer figures than this allow no statement on a change. */
    private static final int LENGTH_MIN = 8;

    /** Fewer figures than this allow no statement on having settled: of half as many, a drift is still seen. */
    private static final int SETTLED_LENGTH_MIN = 32;

    /** How seldom, at most, chance explains what is taken for a change. */
    private static final double LEVEL = 0.05;

    private Change() {}

    /** Whether the level stays the same in the second half at least; empty of fewer than 32 figures. */
    public static Optional<Boolean> hasSettled(List<Double> series) {
        if (series.size() < SETTLED_LENGTH_MIN) {
            return Optional.empty();
        }
        int from = 0;
        while (series.size() - from >= LENGTH_MIN) {
            int change = change(series.subList(from, series.size()));
            if (change == 0) {
                return Optional.of(2 * from <= series.size());
            }
            from += change;
        }
        return Optional.of(false);
    }

    /** How many figures come before the likeliest change of level; 0 if chance explains it. */
    private static int change(List<Double> series) {
        long sum = 0;
        long largest = 0;
        int before = 0;
        for (int index = 0; index < series.size() - 1; index++) {
            double figure = series.get(index);
            sum += series.stream().filter(other -> other < figure).count()
                    - series.stream().filter(other -> other > figure).count();
            if (Math.abs(sum) > largest) {
                largest = Math.abs(sum);
                before = index + 1;
            }
        }
        double length = series.size();
        double p = 2 * Math.exp(-6 * Math.pow(largest, 2) / (Math.pow(length, 3) + Math.pow(length, 2)));
        return p < LEVEL ? before : 0;
    }
}
