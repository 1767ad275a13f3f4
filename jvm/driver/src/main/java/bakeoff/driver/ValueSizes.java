package bakeoff.driver;

import com.google.gson.JsonObject;

/** A range of value sizes with separate latencies, both ends included. */
record ValueSizes(long valueBytesMin, long valueBytesMax) {
    void addTo(JsonObject json) {
        json.addProperty("value_bytes_min", valueBytesMin);
        json.addProperty("value_bytes_max", valueBytesMax);
    }
}
