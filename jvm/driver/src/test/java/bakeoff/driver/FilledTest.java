package bakeoff.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import bakeoff.store.ArrayForm;
import bakeoff.store.BufferForm;
import bakeoff.store.Form;
import bakeoff.tape.LaneReader;
import bakeoff.tape.Pool;
import bakeoff.tape.WrittenValues;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a block's keys and values are made. Objects that a store may keep stay unchanged. */
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

    /** The object of operation {@code index}. */
    private static <B> B of(Filled<B> filled, int index) {
        return filled.array()[filled.indexes()[index]];
    }

    private static String text(Filled<byte[]> filled, int index) {
        return new String(of(filled, index), StandardCharsets.US_ASCII);
    }

    @Test
    void arraysAreFilledAgainWhereTheStoreKeepsNone() {
        Filled<byte[]> filled = new Filled<>(new ArrayForm(true));
        fill(filled, "one", "sixteen bytes 16", "0123456789", "x".repeat(70));
        byte[] second = of(filled, 1);
        fill(filled, "six", "others of 16 ...", "9876543210", "y".repeat(70));
        assertSame(second, of(filled, 1));
        assertEquals("six", text(filled, 0));
        assertEquals("others of 16 ...", text(filled, 1));
        assertEquals("9876543210", text(filled, 2));
        assertEquals("y".repeat(70), text(filled, 3));
    }

    @Test
    void whatIsOfAnotherLengthOrHadNoneBeforeIsMade() {
        Filled<byte[]> filled = new Filled<>(new ArrayForm(true));
        fill(filled, "one", null, "two", "three");
        byte[] first = of(filled, 0);
        fill(filled, "six", "new", "longer", null);
        assertSame(first, of(filled, 0));
        assertEquals("new", text(filled, 1));
        assertEquals("longer", text(filled, 2));
        fill(filled, "a", "b", "c", "d", "and more than before");
        assertEquals("and more than before", text(filled, 4));
        assertEquals("a", text(filled, 0));
    }

    /**
     * Fills all objects of a block at once with these words of {@code length} letters, which are contiguous in the
     * heap.
     */
    private static void fillAll(Filled<byte[]> filled, int length, String words) {
        int[] places = new int[words.length() / length];
        for (int index = 0; index < places.length; index++) {
            places[index] = 5 + index * length - 2;
        }
        byte[] memory = ("offst" + words).getBytes(StandardCharsets.US_ASCII);
        // The buffer begins after the array's beginning.
        filled.begin(places.length);
        filled.fillAll(ByteBuffer.wrap(memory, 1, memory.length - 1).slice(), places, 1, length);
    }

    private static void assertReads(String words, Filled<byte[]> filled) {
        for (int index = 0; 3 * index < words.length(); index++) {
            assertEquals(words.substring(3 * index, 3 * index + 3), text(filled, index));
        }
    }

    @Test
    void allAtOnceAreFilledAgainUpToTheFirstThatCannotBe() {
        Filled<byte[]> filled = new Filled<>(new ArrayForm(true));
        fill(filled, "one", "two", "three", "six");
        byte[] first = of(filled, 0);
        byte[] third = of(filled, 2);
        fillAll(filled, 3, "abcdefghijkl");
        assertSame(first, of(filled, 0));
        assertNotSame(third, of(filled, 2));
        assertReads("abcdefghijkl", filled);
        filled = new Filled<>(new ArrayForm(true));
        fill(filled, "one", null, "two");
        first = of(filled, 0);
        fillAll(filled, 3, "mnopqrstu");
        assertSame(first, of(filled, 0));
        assertReads("mnopqrstu", filled);
        byte[] last = of(filled, 2);
        fillAll(filled, 3, "ABCDEFGHI");
        assertSame(last, of(filled, 2));
        assertReads("ABCDEFGHI", filled);
        Filled<byte[]> kept = new Filled<>(new ArrayForm());
        fillAll(kept, 3, "abcdef");
        byte[] before = of(kept, 0);
        fillAll(kept, 3, "ghijkl");
        assertNotSame(before, of(kept, 0), "a store that may keep arrays");
        assertEquals("abc", new String(before, StandardCharsets.US_ASCII));
    }

    private static String text(ByteBuffer view) {
        byte[] bytes = new byte[view.remaining()];
        view.get(view.position(), bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private static ByteBuffer direct(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    }

    /** A block of two views with these places and contents. */
    private static void view(
            Filled<ByteBuffer> filled,
            ByteBuffer one,
            int at,
            String text,
            ByteBuffer other,
            int otherAt,
            String otherText) {
        filled.begin(2);
        filled.fill(0, one, at, text.length());
        filled.fill(1, other, otherAt, otherText.length());
        assertEquals(text, text(of(filled, 0)));
        assertEquals(otherText, text(of(filled, 1)));
    }

    @Test
    void viewsAreFilledAgainWithTheSameBufferAlone() {
        ByteBuffer one = direct("one two three four 5");
        ByteBuffer other = direct("UNO DOS +");
        Filled<ByteBuffer> filled = new Filled<>(new BufferForm());
        view(filled, one, 0, "one", one, 4, "two");
        ByteBuffer first = of(filled, 0);
        view(filled, one, 14, "four 5", other, 4, "DOS");
        assertSame(first, of(filled, 0));
        view(filled, other, 0, "UNO", other, 8, "+");
        assertNotSame(first, of(filled, 0));
        view(filled, one, 0, "one two", one, 8, "");
    }

    @Test
    void allAreFilledAsOneByOne() {
        ByteBuffer source = direct("..one.two.six.ten.fourty");
        int[] places = {1, 5, 9, 13};
        all(new Filled<>(new ArrayForm(true)), source, places, FilledTest::text);
        all(new Filled<>(new ArrayForm()), source, places, FilledTest::text);
        all(new Filled<>(new BufferForm()), source, places, (filled, index) -> text(of(filled, index)));
    }

    private static <B> void all(
            Filled<B> filled, ByteBuffer source, int[] places, BiFunction<Filled<B>, Integer, String> text) {
        filled.begin(3);
        filled.fillAll(source, places, 1, 3);
        assertEquals("one two six", text.apply(filled, 0) + " " + text.apply(filled, 1) + " " + text.apply(filled, 2));
        filled.begin(2);
        filled.fill(0, source, 18, 6);
        filled.fill(1, source, 2, 3);
        // The first has another length now, and the last is missing.
        filled.begin(2);
        filled.fillAll(source, new int[] {9, 13}, 1, 3);
        assertEquals("six ten", text.apply(filled, 0) + " " + text.apply(filled, 1));
        filled.begin(4);
        filled.fillAll(source, places, 1, 3);
        assertEquals("one ten", text.apply(filled, 0) + " " + text.apply(filled, 3));
        filled.begin(3);
        filled.fillAll(direct("abc"), new int[] {0, 0, 0}, 0, 3);
        assertEquals("abc abc", text.apply(filled, 0) + " " + text.apply(filled, 2));
    }

    /** A pool of 40 letters each of a to z. */
    private static Pool pool(Path directory) throws Exception {
        StringBuilder letters = new StringBuilder();
        for (char letter = 'a'; letter <= 'z'; letter++) {
            letters.append(String.valueOf(letter).repeat(40));
        }
        return Pool.open(Files.writeString(directory.resolve("pool.bin"), letters));
    }

    /**
     * Values that tapes wrote: one of 60 bytes, an empty one, one of 100, then values of 40 up to a shorter last one.
     */
    private static final long[] WRITTEN = LongStream.concat(
                    LongStream.of(WrittenValues.slice(0, 60), WrittenValues.slice(60, 0), WrittenValues.slice(60, 100)),
                    IntStream.range(4, 26).mapToLong(number -> WrittenValues.slice(number * 40, 40)))
            .toArray();

    /** Takes slices by place and length for consecutive operations of a block. Returns whether all exist. */
    private static boolean slice(Filled<?> filled, int... placesAndLengths) {
        int count = placesAndLengths.length / 2;
        filled.begin(count);
        return slice(filled, ByKind.EACH, placesAndLengths);
    }

    private static boolean slice(Filled<?> filled, int[] indexes, int[] placesAndLengths) {
        // Records without keys: docs/TAPE.md defines where length and place are.
        int count = placesAndLengths.length / 2;
        int recordBytes = 16;
        ByteBuffer records = ByteBuffer.allocate(recordBytes * count).order(ByteOrder.LITTLE_ENDIAN);
        int[] offsets = new int[LaneReader.BLOCK_OPERATIONS_MAX];
        for (int at = 0; at < count; at++) {
            int offset = recordBytes * at;
            offsets[indexes[at]] = offset;
            records.putInt(offset + 4, placesAndLengths[2 * at + 1]).putLong(offset + 8, placesAndLengths[2 * at]);
        }
        return filled.slice(records, offsets, indexes, count);
    }

    private static <B> void sliced(Form<B> form, Pool pool, BiFunction<Filled<B>, Integer, String> text) {
        Slices<B> slices = Slices.of(form, pool, WRITTEN);
        Filled<B> filled = new Filled<>(form, slices);
        // The last slice, then from the first on, then two that do not follow their predecessors directly.
        assertTrue(slice(filled, 1000, 40, 0, 60, 60, 0, 60, 100, 240, 40, 160, 40));
        String[] expected = {"z".repeat(40), "a".repeat(40) + "b".repeat(20), "", null, "g".repeat(40), "e".repeat(40)};
        for (int index = 0; index < 6; index++) {
            if (expected[index] != null) {
                assertEquals(expected[index], text.apply(filled, index));
            }
        }
        // Of four operations, the last and the second write.
        filled.begin(4);
        assertTrue(slice(filled, new int[] {3, 1}, new int[] {1000, 40, 0, 60}));
        assertEquals("z".repeat(40), text.apply(filled, 3));
        assertEquals("a".repeat(40) + "b".repeat(20), text.apply(filled, 1));
        assertTrue(slice(filled, 1000, 40, 0, 60, 60, 0, 60, 100, 240, 40, 160, 40));
        B slice = of(filled, 4);
        assertTrue(slice(filled, 240, 40));
        assertSame(slice, of(filled, 0), "made once");
        // One value of the block is elsewhere, or has another length: all are filled.
        ByteBuffer window = (form.lends() ? pool : pool.forArrays()).window(0);
        assertFalse(slice(filled, 240, 40, 280, 40, 321, 40));
        filled.fillAll(window, new int[] {240, 280, 321}, 0, 40);
        assertEquals("i".repeat(39) + "j", text.apply(filled, 2));
        assertFalse(slice(filled, 240, 40, 280, 39));
        filled.fillAll(window, new int[] {239, 279}, 0, 4);
        assertEquals("fggg", text.apply(filled, 0));
        Filled<B> after = new Filled<>(form, slices);
        assertTrue(slice(after, 240, 40));
        assertEquals("g".repeat(40), text.apply(after, 0), "slices stay as they were");
    }

    @Test
    void fewValuesAreMadeOnce(@TempDir Path directory) throws Exception {
        Pool pool = pool(directory);
        sliced(new ArrayForm(true), pool, FilledTest::text);
        sliced(new BufferForm(), pool, (filled, index) -> text(of(filled, index)));
        for (Slices<?> none : List.of(
                Slices.of(new ArrayForm(), pool, WRITTEN),
                Slices.of(new ArrayForm(true), pool, new long[] {WrittenValues.slice(0, 32)}),
                Slices.of(new ArrayForm(true), pool, new long[0]))) {
            assertNull(none.all(), "a store that may keep arrays, values too short, none");
        }
    }

    @Test
    void arraysThatAStoreMayKeepStayAsTheyAre() {
        Filled<byte[]> filled = new Filled<>(new ArrayForm());
        fill(filled, "one", null, "sixteen bytes 16");
        byte[] first = of(filled, 0);
        byte[] last = of(filled, 2);
        fill(filled, "six", "two", "others of 16 ...");
        assertNotSame(first, of(filled, 0));
        assertEquals("one", new String(first, StandardCharsets.US_ASCII));
        assertEquals("sixteen bytes 16", new String(last, StandardCharsets.US_ASCII));
        assertEquals("six", text(filled, 0));
        assertEquals("two", text(filled, 1));
        assertEquals("others of 16 ...", text(filled, 2));
    }
}
