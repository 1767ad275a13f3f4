//! What stores on the JVM allocated and what collecting it cost, phase by phase.

use bakeoff_results::gc::Gc;
use bakeoff_text::{bytes, digits, format_count, percent, time};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for Gc {
    const ID: SectionId = SectionId::Gc;
    const TITLE: &str = "Heap of stores on the JVM";
    const WHAT: &str = "Bytes that the replaying threads allocated for an operation (of scans an entry) while the clock ran; what collections took out of the heap's parts, by operations too (churn); collections of garbage in the whole phase, the \
        time they took, also as a part of the phase's, and the most heap in use at one moment; \
        beside the heap the most in Java's buffers, direct and mapped, without bakeoff's own. What libraries allocate or map by themselves, such as RocksDB's cache, is in neither: it is in the memory of the process, where it cannot be told from \
        the heap's pages and from what the JVM keeps for itself. Means of all rounds, of the peaks the most.";
    const COLUMNS: &[&str] =
        &["allocated/op", "churn/op", "collections", "took", "of the phase", "heap peak", "buffers peak"];

    fn label(subject: &String) -> &str {
        subject
    }

    fn cells(&self) -> Vec<Option<String>> {
        vec![
            self.allocated_bytes_per_operation().map(bytes),
            self.churn_bytes_per_operation().map(bytes),
            self.collections().map(times),
            self.gc_ns().map(time),
            self.gc_share().map(percent),
            self.heap_peak_bytes().map(bytes),
            self.buffers_peak_bytes().map(bytes),
        ]
    }
}

/// How often, on average.
fn times(mean: f64) -> String {
    if mean.fract() == 0.0 { format_count(mean as u64) } else { digits(mean) }
}
