//! The peak of the resident set. It belongs to the whole process, and the tests of a file run at the same time, so this test has its own
//! file.

use std::hint::black_box;

use bakeoff_measure::{Histogram, Snapshot, reset_peak_rss, rss_bytes};

const MIB: u64 = 1 << 20;

/// Allocates, touches and frees. Large blocks come from the kernel and go back to it.
fn use_memory(bytes: u64) {
    drop(black_box(vec![1u8; bytes as usize]));
}

#[test]
fn memory_is_seen_in_the_phase_it_was_used_in() {
    assert!(reset_peak_rss(), "/proc/self/clear_refs cannot be written here");
    let baseline = rss_bytes().unwrap();
    let start = Snapshot::take(None);
    use_memory(64 * MIB);
    let phase = Snapshot::take(None).resources_since(&start, Some(baseline));
    let above = phase.rss_peak_above_baseline_bytes.unwrap();
    assert!((60 * MIB..80 * MIB).contains(&above), "{above} bytes above the baseline for 64 MiB used");
    assert_eq!(phase.rss_peak_bytes.unwrap(), baseline + above);
    assert!(phase.page_faults_minor.unwrap() > 0);
    assert!(phase.rss_anonymous_bytes.unwrap() < 60 * MIB, "it was freed before the phase ended");
    assert!(phase.rss_file_bytes.unwrap() > 0, "the program itself is mapped");

    assert!(reset_peak_rss());
    let start = Snapshot::take(None);
    let next = Snapshot::take(None).resources_since(&start, Some(baseline));
    let above = next.rss_peak_above_baseline_bytes.unwrap();
    assert!(above < 16 * MIB, "{above} bytes left of the phase before");
    assert_eq!(Snapshot::take(None).resources_since(&start, None).rss_peak_above_baseline_bytes, None);

    recording_does_not_fault();
}

/// In the same test, since page faults also belong to the whole process.
fn recording_does_not_fault() {
    let mut histogram = Histogram::new();
    let start = Snapshot::take(None);
    for bits in 0..42 {
        histogram.record(1 << bits);
    }
    let faults = Snapshot::take(None).resources_since(&start, None).page_faults_minor.unwrap();
    // 42 magnitudes are on more than 30 pages. A snapshot may cause a few faults, but not that many.
    assert!(faults < 20, "{faults} page faults");
    assert_eq!(histogram.count(), 42);
}
