package bakeoff.driver;

import bakeoff.measure.Jvm;
import com.google.gson.JsonObject;
import java.util.concurrent.atomic.LongAdder;

/** Reports progress about once per second while a phase runs, and records the peak of Java's buffers. */
final class Progress implements Runnable {
    private static final long LOOK_MS = 100;
    private static final int LOOKS_PER_EVENT = 10;

    private final Emitter emitter;
    private final String phase;
    private final long total;
    private final LongAdder counter;
    private final Thread thread;
    private volatile boolean ended;
    private volatile long buffersPeakBytes = Jvm.bufferBytes();

    Progress(Emitter emitter, String phase, long total, LongAdder counter) {
        this.emitter = emitter;
        this.phase = phase;
        this.total = total;
        this.counter = counter;
        thread = new Thread(this, "progress");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            for (int look = 1; !ended; look++) {
                Thread.sleep(LOOK_MS);
                buffersPeakBytes = Math.max(buffersPeakBytes, Jvm.bufferBytes());
                if (look % LOOKS_PER_EVENT == 0 && !ended) {
                    emitter.emit(event());
                }
            }
        } catch (InterruptedException atTheEnd) {
            Thread.currentThread().interrupt();
        }
    }

    private JsonObject event() {
        JsonObject event = Emitter.event("progress");
        event.addProperty("phase", phase);
        event.addProperty("operations", counter.sum());
        event.addProperty("operations_total", total);
        return event;
    }

    /** Stops, and returns the observed peak of direct and mapped buffers in bytes. */
    long end() {
        ended = true;
        thread.interrupt();
        return Math.max(buffersPeakBytes, Jvm.bufferBytes());
    }
}
