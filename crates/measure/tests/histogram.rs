//! The histogram against exact answers, its encoding in both directions, and invalid text.

use bakeoff_measure::{Histogram, HistogramError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

fn histogram_of(latencies: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    for &ns in latencies {
        histogram.record(ns);
    }
    histogram
}

/// The smallest latency that at least the share `quantile` of all latencies does not exceed.
fn exact_quantile(latencies: &[u64], quantile: f64) -> u64 {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let rank = (quantile * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted[rank - 1]
}

fn assert_three_digits(found: u64, exact: u64) {
    assert!(found.abs_diff(exact) as f64 <= exact as f64 / 1_000.0, "{found} is not {exact} to three digits");
}

/// Nanoseconds to minutes, with each magnitude equally likely.
fn latency() -> impl Strategy<Value = u64> {
    (0u32..38).prop_flat_map(|bits| (1u64 << bits)..=(2u64 << bits))
}

proptest! {
    #[test]
    fn quantiles_agree_with_a_sort(latencies in prop::collection::vec(latency(), 1..400)) {
        let found = histogram_of(&latencies).to_latency();
        assert_three_digits(found.latency_ns_p50, exact_quantile(&latencies, 0.5));
        assert_three_digits(found.latency_ns_p90, exact_quantile(&latencies, 0.9));
        assert_three_digits(found.latency_ns_p99, exact_quantile(&latencies, 0.99));
        assert_three_digits(found.latency_ns_p999, exact_quantile(&latencies, 0.999));
    }

    #[test]
    fn smallest_largest_sum_and_count_are_exact(latencies in prop::collection::vec(latency(), 1..200)) {
        let histogram = histogram_of(&latencies);
        prop_assert_eq!(histogram.min_ns(), latencies.iter().min().copied());
        prop_assert_eq!(histogram.max_ns(), latencies.iter().max().copied());
        prop_assert_eq!(histogram.sum_ns(), latencies.iter().sum::<u64>());
        prop_assert_eq!(histogram.count(), latencies.len() as u64);
    }

    #[test]
    fn merging_is_recording_all_in_one(
        first in prop::collection::vec(latency(), 0..100),
        second in prop::collection::vec(latency(), 0..100),
    ) {
        let mut merged = histogram_of(&first);
        merged.merge(&histogram_of(&second));
        let all: Vec<u64> = first.into_iter().chain(second).collect();
        prop_assert_eq!(merged.to_latency(), histogram_of(&all).to_latency());
    }

    #[test]
    fn survives_its_encoding(latencies in prop::collection::vec(latency(), 0..200)) {
        let before = histogram_of(&latencies);
        let encoded = before.to_latency().histogram;
        let after = Histogram::from_base64(&encoded).unwrap();
        prop_assert_eq!(after.count(), before.count());
        prop_assert_eq!(&after.to_latency().histogram, &encoded, "no count may move to another bucket");
        for quantile in [0.0, 0.5, 0.99, 1.0] {
            if let (Some(after), Some(before)) = (after.quantile_ns(quantile), before.quantile_ns(quantile)) {
                assert_three_digits(after, before);
            }
        }
    }

    #[test]
    fn rubbish_is_refused_and_never_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..80), seal in any::<bool>()) {
        if seal && bytes.len() >= 40 {
            // Past the header's checks, into the counts.
            let payload_bytes = bytes.len() as u32 - 40;
            bytes[..4].copy_from_slice(&0x1c84_9313u32.to_be_bytes());
            bytes[4..8].copy_from_slice(&payload_bytes.to_be_bytes());
            bytes[8..12].fill(0);
            bytes[12..16].copy_from_slice(&3u32.to_be_bytes());
            bytes[16..24].copy_from_slice(&1u64.to_be_bytes());
            bytes[32..40].copy_from_slice(&1.0f64.to_be_bytes());
        }
        let read = Histogram::from_base64(&STANDARD.encode(&bytes));
        prop_assert!(seal || read.is_err());
    }
}

#[test]
fn known_figures() {
    let latencies: Vec<u64> = (1..=1_000).collect();
    let found = histogram_of(&latencies).to_latency();
    // Up to 2,047 ns every nanosecond has its own bucket, so these are exact.
    assert_eq!((found.latency_ns_min, found.latency_ns_max), (1, 1_000));
    assert_eq!(found.latency_ns_mean, 501, "500.5 rounds up");
    assert_eq!((found.latency_ns_p50, found.latency_ns_p90), (500, 900));
    assert_eq!((found.latency_ns_p99, found.latency_ns_p999), (990, 999));
}

#[test]
fn latencies_beyond_the_range_are_counted_and_the_largest_is_exact() {
    let two_hours = 7_200_000_000_000;
    let mut histogram = histogram_of(&[0, 5, two_hours, u64::MAX]);
    assert_eq!(histogram.count(), 4);
    assert_eq!((histogram.min_ns(), histogram.max_ns()), (Some(0), Some(u64::MAX)));
    assert_eq!(histogram.sum_ns(), u64::MAX, "the sum saturates");
    assert_three_digits(histogram.quantile_ns(0.75).unwrap(), 3_600_000_000_000);
    histogram.merge(&histogram.clone());
    let read = Histogram::from_base64(&histogram.to_latency().histogram).unwrap();
    assert_eq!(read.count(), 8);
}

#[test]
fn an_empty_histogram_has_no_figures() {
    let histogram = Histogram::new();
    assert!(histogram.is_empty());
    assert_eq!((histogram.min_ns(), histogram.max_ns(), histogram.mean_ns()), (None, None, None));
    assert_eq!(histogram.quantile_ns(0.5), None);
    assert!(Histogram::from_base64(&histogram.to_latency().histogram).unwrap().is_empty());
}

#[test]
fn the_encoding_is_v2_without_deflate() {
    let bytes = STANDARD.decode(histogram_of(&[1, 2, 3]).to_latency().histogram).unwrap();
    assert_eq!(bytes[..4], 0x1c84_9313u32.to_be_bytes(), "the cookie of HdrHistogram V2");
    // Counts of 0, 1, 1 and 1 at 0 to 3 ns, as zig-zag LEB128.
    assert_eq!(bytes[40..], [0, 2, 2, 2]);
}

#[test]
fn errors_say_what_is_wrong() {
    let message = |bytes: &[u8]| Histogram::from_base64(&STANDARD.encode(bytes)).unwrap_err().to_string();
    assert!(matches!(Histogram::from_base64("%%%"), Err(HistogramError::NotBase64(_))));
    assert!(message(b"short").contains("shorter than its header"));
    assert!(message(&[0; 64]).contains("00000000 and not 1c849313"));
    let good = STANDARD.decode(histogram_of(&[1, 2, 3]).to_latency().histogram).unwrap();
    assert!(message(&good[..good.len() - 1]).contains("promises 4 bytes"));
    let mut lying = good.clone();
    lying[4..8].fill(0xff);
    assert!(message(&lying).contains("promises 4294967295 bytes"), "and nothing of that size is allocated");
    let mut coarse = good;
    coarse[15] = 2;
    assert!(message(&coarse).contains("2 significant digits"));
}
