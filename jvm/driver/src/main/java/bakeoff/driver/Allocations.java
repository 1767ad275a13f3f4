package bakeoff.driver;

import java.lang.management.ManagementFactory;

/** Bytes of Java heap that the calling thread has allocated. Reading the number allocates nothing. */
final class Allocations {
    private static final com.sun.management.ThreadMXBean THREADS =
            ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean bean
                            && bean.isThreadAllocatedMemorySupported()
                    ? bean
                    : null;

    private final long unknown = -1;

    /** Bytes so far; negative if this JVM does not count them. */
    long now() {
        return THREADS == null ? unknown : THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Bytes since an earlier reading; negative if unknown. */
    long since(long before) {
        return before < 0 ? unknown : now() - before;
    }
}
