package bakeoff.measure;

import java.util.List;
import java.util.Optional;

/**
 * Whether a series is steady, by Pettitt's test for a change of level, which is based on ranks (Applied Statistics 28,
 * 1979). The same test as in native drivers.
 */
public final class Change {
    /** The minimum number of values for a test of a change. */
    private static final int LENGTH_MIN = 8;

    /** The minimum number of values for a statement on steadiness. With half as many, a drift is still detected. */
    private static final int SETTLED_LENGTH_MIN = 32;

    /** The maximum probability that chance explains a detected change. */
    private static final double LEVEL = 0.05;

    private Change() {}

    /** Whether the level is constant at least in the second half. Empty with fewer than 32 values. */
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

    /** The number of values before the most likely change of level; 0 if chance explains it. */
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
