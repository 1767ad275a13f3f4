//! Compares latencies by the size of values with the request and with the latencies of all sizes.

use bakeoff_protocol::{OperationResult, PhaseResult, SizeResult, ValueSizeRange};
use bakeoff_tape::Operation;

use crate::cell::claims::histograms;

/// Whether a phase has only requested sizes, each once for an operation, in their order.
pub(crate) fn are_as_asked(result: &PhaseResult, asked: &[ValueSizeRange]) -> bool {
    let places = |of: &OperationResult| -> Option<Vec<usize>> {
        of.by_size.iter().map(|each| asked.iter().position(|sizes| *sizes == each.sizes)).collect()
    };
    let rise = |places: Vec<usize>| places.windows(2).all(|two| two[0] < two[1]);
    result.operations.iter().all(|of| places(of).is_some_and(rise))
}

/// The mistake in the latencies of a kind of operation by size, as text.
pub(crate) fn untrue(of: &OperationResult) -> Option<String> {
    let (kind, all) = (&of.operation, of.latency.as_ref());
    let first = of.by_size.first()?;
    let has_values = |kind: &Operation| kind.writes_value() || *kind == Operation::Get;
    let Some(all) = all.filter(|_| Operation::ALL.iter().any(|each| each.name() == kind && has_values(each))) else {
        return Some(format!("latencies by size of {kind}, which has none"));
    };
    let operations = of.by_size.iter().fold(0, |sum: u64, each| sum.saturating_add(each.operations));
    // Gets that find nothing have no size.
    if operations > of.operations || operations < of.operations && kind != Operation::Get.name() {
        return Some(format!("{operations} operations of {kind} by size, of {} in all", of.operations));
    }
    let name =
        |of: &SizeResult| format!("{kind} of {} to {} bytes", of.sizes.value_bytes_min, of.sizes.value_bytes_max);
    if let Some(empty) = of.by_size.iter().find(|each| each.operations == 0) {
        return Some(format!("no operation among its {}", name(empty)));
    }
    let wrong = of.by_size.iter().find_map(|each| histograms::untrue(&name(each), each.operations, &each.latency));
    let most = of.by_size.iter().map(|each| each.latency.latency_ns_max).fold(first.latency.latency_ns_max, u64::max);
    let is_whole = operations == of.operations;
    let is_off = most > all.latency_ns_max || is_whole && most < all.latency_ns_max;
    wrong.or_else(|| {
        is_off.then(|| {
            format!("{most} ns as the largest latency of {kind} by size, and {} ns of all", all.latency_ns_max)
        })
    })
}

#[cfg(test)]
mod tests {
    use bakeoff_measure::Histogram;

    use super::*;

    fn latencies(times_ns: &[u64]) -> bakeoff_protocol::Latency {
        let mut histogram = Histogram::new();
        times_ns.iter().for_each(|ns| histogram.record(*ns));
        histogram.to_latency()
    }

    fn sizes(most: u64) -> ValueSizeRange {
        ValueSizeRange { value_bytes_min: most, value_bytes_max: most }
    }

    /// Gets or updates of these times, of 200 bytes and of 20 KiB.
    fn of(kind: &str, small: &[u64], large: &[u64]) -> OperationResult {
        let all: Vec<u64> = small.iter().chain(large).copied().collect();
        let of_size = |(most, times): (u64, &[u64])| SizeResult {
            sizes: sizes(most),
            operations: times.len() as u64,
            latency: latencies(times),
        };
        OperationResult {
            operation: kind.to_owned(),
            operations: all.len() as u64,
            entries: all.len() as u64,
            bytes: 0,
            timed_ns: Some(all.iter().sum()),
            latency: Some(latencies(&all)),
            by_size: [(200, small), (20_480, large)].map(of_size).into(),
        }
    }

    #[test]
    fn sizes_that_agree_with_all_are_taken_and_others_are_not() {
        let right = of("update", &[100, 110, 120], &[900, 1000]);
        assert_eq!(untrue(&right), None);
        let lie = |change: fn(&mut OperationResult), words: &str| {
            let mut lie = right.clone();
            change(&mut lie);
            let told = untrue(&lie).unwrap_or_default();
            assert!(told.contains(words), "{words}: {told}");
        };
        lie(|of| of.operation = "delete".to_owned(), "latencies by size of delete, which has none");
        lie(|of| of.latency = None, "latencies by size of update, which has none");
        lie(|of| of.operations = 6, "5 operations of update by size, of 6 in all");
        lie(|of| of.operations = 4, "5 operations of update by size, of 4 in all");
        lie(|of| (of.by_size[0].operations, of.operations) = (4, 6), "with 3 latencies in it, of 4 operations");
        lie(|of| of.by_size[1].latency.latency_ns_p50 = 1, "latency_ns_p50 1 of update of 20480 to 20480 bytes");
        lie(|of| of.by_size[1].latency = latencies(&[800, 850]), "850 ns as the largest latency of update by size");
        lie(|of| of.by_size[1].latency = latencies(&[800, 8500]), "8500 ns as the largest latency of update by size");
        // Gets that found nothing have no size.
        let mut gets = right.clone();
        (gets.operation, gets.operations) = ("get".to_owned(), 6);
        assert_eq!(untrue(&gets), None);
    }

    #[test]
    fn only_sizes_that_were_asked_for_may_come_each_once_and_in_order() {
        let asked = [sizes(200), sizes(20_480)];
        let with = |of_sizes: &[u64]| {
            let mut of = of("get", &[1], &[2]);
            of.by_size =
                of_sizes.iter().map(|most| SizeResult { sizes: sizes(*most), ..of.by_size[0].clone() }).collect();
            let phase = serde_json::json!({
                "phase": "get", "mode": "latency", "threads": 1, "timed_ns": 3, "wall_ns": 3, "operations": [of],
                "answers_checked": 2, "answers_wrong": 0, "resources": {},
            });
            serde_json::from_value::<PhaseResult>(phase).unwrap()
        };
        let taken = [&[][..], &[200], &[20_480], &[200, 20_480]];
        assert!(taken.iter().all(|of| are_as_asked(&with(of), &asked)));
        let refused = [&[7][..], &[20_480, 200], &[200, 200]];
        assert!(refused.iter().all(|of| !are_as_asked(&with(of), &asked)));
        assert!(!are_as_asked(&with(&[200]), &[]) && are_as_asked(&with(&[]), &[]));
    }
}
