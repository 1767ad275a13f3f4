package bakeoff.driver;

import bakeoff.measure.Counters;
import bakeoff.measure.Device;
import bakeoff.measure.HeapPeak;
import bakeoff.measure.Jvm;
import com.google.gson.JsonObject;
import java.util.OptionalLong;

/** The start of measuring, with the resources used until then. */
record Begin(long atNs, boolean peakWasReset, Jvm jvm, Counters counters) {
    /** Now, with reset peaks of memory. */
    static Begin now(Device device) {
        boolean peakWasReset = Counters.resetPeak();
        HeapPeak.begin();
        Jvm jvm = Jvm.read();
        Counters counters = Counters.before(device);
        return new Begin(System.nanoTime(), peakWasReset, jvm, counters);
    }

    /** The resources used from here until the given readings. */
    JsonObject resources(Counters counters, Jvm jvm, OptionalLong baseline) {
        JsonObject resources = new JsonObject();
        counters.since(this.counters, peakWasReset, baseline, resources);
        jvm.since(this.jvm, resources);
        return resources;
    }
}
