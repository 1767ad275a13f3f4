package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** The end of a phase's warm-up: the same cases as in the native driver. */
final class SteadyTest {
    private static final long BLOCK = 1000;

    private record Warmed(long blocks, JsonObject told) {
        boolean steady() {
            return told.get("steady").getAsBoolean();
        }
    }

    /** Blocks with these times per operation. Every other block is slightly slower, which adds variation. */
    private static Warmed warmUp(double part, long blocks, LongUnaryOperator nsOf) {
        Steady steady = new Steady(part, BLOCK * blocks, null);
        long warm = 0;
        for (long block = 0; block < blocks; block++) {
            if (steady.claims(BLOCK)) {
                warm++;
                steady.add(BLOCK, BLOCK * (nsOf.applyAsLong(block) + block % 2));
            }
        }
        return new Warmed(warm, steady.told(BLOCK * warm, System.nanoTime()));
    }

    @Test
    void aSteadyRateIsSeenAtTheFirstLook() {
        Warmed warmed = warmUp(0.5, 1024, block -> 500);
        assertEquals(64, warmed.blocks());
        assertTrue(warmed.steady());
        assertEquals(32, warmed.told().getAsJsonArray("interval_ns_means").size());
        assertEquals(64_000, warmed.told().get("operations").getAsLong());
    }

    @Test
    void aStartThatIsFasterIsNoPartOfWhatIsMeasured() {
        Warmed warmed = warmUp(0.5, 1024, block -> block < 50 ? 500 : 800);
        assertEquals(128, warmed.blocks());
        assertTrue(warmed.steady());
    }

    @Test
    void aRateThatNeverSettlesIsMeasuredAfterTheLimitAndSaidNotTo() {
        Warmed warmed = warmUp(0.5, 1024, block -> 500 + block);
        assertEquals(512, warmed.blocks());
        assertFalse(warmed.steady());
    }

    @Test
    void fewBlocksTellNothing() {
        Warmed warmed = warmUp(0.5, 60, block -> 500);
        assertEquals(30, warmed.blocks());
        assertFalse(warmed.told().has("steady"));
        assertEquals(0, warmUp(0.9, 1, block -> 500).blocks());
        assertTrue(new Steady(0.5, 0, null).begin().isEmpty());
    }
}
