//! Settings that make the logs of stores short.

/// Store, setting and value. By default logs of these stores take 64 or 100 MiB.
pub(crate) const SMALL_LOGS: [(&str, &str, u64); 4] = [
    ("rocksdb", "write-buffer", 1 << 20),
    ("rocksdb-jni", "write-buffer", 1 << 20),
    ("fjall", "write-buffer", 1 << 20),
    ("wiredtiger", "log-size", 1 << 20),
];
