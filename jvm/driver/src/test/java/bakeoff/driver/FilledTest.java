package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import bakeoff.store.ArrayForm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a block's keys and values are made from, and that those a store may keep are left alone. */
final class FilledTest {
    private static void fill(Filled<byte[]> filled, String... words) {
        filled.begin(words.length);
        for (int index = 0; index < words.length; index++) {
            if (words[index] != null) {
                byte[] bytes = words[index].getBytes(StandardCharsets.US_ASCII);
                ByteBuffer source = ByteBuffer.allocateDirect(bytes.length + 3).put(3, bytes);
                filled.fill(index, source, 3, bytes.length);
            }
        }
    }

    private static String text(Filled<byte[]> filled, int index) {
        return new String(filled.get(index), StandardCharsets.US_ASCII);
    }

    @Test
    void arraysAreFilledAgainWhereTheStoreKeepsNone() {
        Filled<byte[]> filled = new Filled<>(new ArrayForm(true));
        fill(filled, "one", "sixteen bytes 16", "0123456789", "x".repeat(70));
        byte[] second = filled.get(1);
        fill(filled, "six", "others of 16 ...", "9876543210", "y".repeat(70));
        assertSame(second, filled.get(1));
        assertEquals("six", text(filled, 0));
        assertEquals("others of 16 ...", text(filled, 1));
        assertEquals("9876543210", text(filled, 2));
        assertEquals("y".repeat(70), text(filled, 3));
    }

    @Test
    void whatIsOfAnotherLengthOrHadNoneBeforeIsMade() {
        Filled<byte[]> filled = new Filled<>(new ArrayForm(true));
        fill(filled, "one", null, "two", "three");
        byte[] first = filled.get(0);
        fill(filled, "six", "new", "longer", null);
        assertSame(first, filled.get(0));
        assertEquals("new", text(filled, 1));
        assertEquals("longer", text(filled, 2));
        fill(filled, "a", "b", "c", "d", "and more than before");
        assertEquals("and more than before", text(filled, 4));
        assertEquals("a", text(filled, 0));
    }

    @Test
    void arraysThatAStoreMayKeepStayAsTheyAre() {
        Filled<byte[]> filled = new Filled<>(new ArrayForm());
        fill(filled, "one", null, "sixteen bytes 16");
        byte[] first = filled.get(0);
        byte[] last = filled.get(2);
        fill(filled, "six", "two", "others of 16 ...");
        assertNotSame(first, filled.get(0));
        assertEquals("one", new String(first, StandardCharsets.US_ASCII));
        assertEquals("sixteen bytes 16", new String(last, StandardCharsets.US_ASCII));
        assertEquals("six", text(filled, 0));
        assertEquals("two", text(filled, 1));
        assertEquals("others of 16 ...", text(filled, 2));
    }
}
