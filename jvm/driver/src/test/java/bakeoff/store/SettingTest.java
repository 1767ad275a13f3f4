package bakeoff.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.gson.JsonPrimitive;
import org.junit.jupiter.api.Test;

class SettingTest {
    private static final Setting PAGE = Setting.bytes("page-size", 512, 65_536, 4_096L, "", "");

    private static String wrong(Setting setting, Object value) {
        return setting.wrong(
                value instanceof Number number ? new JsonPrimitive(number) : new JsonPrimitive("" + value));
    }

    @Test
    void numbersAreWholeAndWithinLimits() {
        assertNull(wrong(PAGE, 5_000));
        for (Object value : new Object[] {511, 65_537, 4_096.5, "many"}) {
            assertEquals("give a whole number of bytes from 512 to 65536", wrong(PAGE, value));
        }
    }

    @Test
    void onlyPowersOfTwoAreTakenWhereThatIsSaid() {
        Setting page = PAGE.ofPowersOfTwo();
        assertNull(wrong(page, 512));
        assertNull(wrong(page, 65_536));
        assertEquals("give a power of two, 4096 or 8192", wrong(page, 5_000));
        assertEquals("power-of-two", page.toJson().get("step").getAsString());
        assertFalse(PAGE.toJson().has("step"));
    }
}
