package bakeoff.driver;

import com.google.gson.JsonObject;
import java.util.List;

/** A range of value sizes with separate latencies, both ends included. */
record ValueSizes(long valueBytesMin, long valueBytesMax) {
    /** Whether each range is one, and above the one before; two may have an end in common. */
    static boolean areAscending(List<ValueSizes> ranges) {
        for (int index = 0; index < ranges.size(); index++) {
            ValueSizes range = ranges.get(index);
            ValueSizes before = index == 0 ? new ValueSizes(-1, -1) : ranges.get(index - 1);
            if (range.valueBytesMin > range.valueBytesMax
                    || range.valueBytesMin < before.valueBytesMax
                    || range.valueBytesMax == before.valueBytesMax) {
                return false;
            }
        }
        return true;
    }

    void addTo(JsonObject json) {
        json.addProperty("value_bytes_min", valueBytesMin);
        json.addProperty("value_bytes_max", valueBytesMax);
    }
}
