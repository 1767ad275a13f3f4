package bakeoff.conformance;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;

/** An entry, with equality by content. */
record Pair(byte[] key, byte[] value) {
    static final Comparator<Pair> ORDER = (a, b) -> Arrays.compareUnsigned(a.key, b.key);

    @Override
    public boolean equals(Object other) {
        return other instanceof Pair pair && Arrays.equals(key, pair.key) && Arrays.equals(value, pair.value);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(key);
    }

    @Override
    public String toString() {
        return "%s (%d bytes)".formatted(HexFormat.of().formatHex(key), value.length);
    }
}
