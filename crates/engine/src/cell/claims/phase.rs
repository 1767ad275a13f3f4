//! Compares the result of a phase with the request and with its tape.

use std::collections::BTreeSet;

use bakeoff_protocol::{FailureKind, Mode, OperationResult, PhaseRequest, PhaseResult};
use bakeoff_results::plausible::impossible;
use bakeoff_tape::{Counts, KindCounts, Operation};

use crate::cell::claims::{Refusal, histograms, latencies, resources, sizes};

/// The rates of an open loop may differ by this part: they are written as decimal fractions.
const SPEED_OFF_MAX: f64 = 1e-9;

/// What a phase is held against.
pub(crate) struct Asked<'a> {
    /// The request to the driver.
    pub(crate) request: &'a PhaseRequest,
    /// The totals of replaying its tape.
    pub(crate) counts: &'a Counts,
    /// Operations on its tape.
    pub(crate) operations: u64,
    /// Threads that replay it.
    pub(crate) threads: u32,
    /// The resident set that the driver had with the empty store.
    pub(crate) rss_baseline_bytes: Option<u64>,
    /// Whether answers are checked.
    pub(crate) keeps_data: bool,
}

/// Refuses a phase that cannot have gone so.
pub(crate) fn check(result: &PhaseResult, asked: &Asked<'_>) -> Result<(), Refusal> {
    let (phase, wrong, checked) = (&result.phase, result.answers_wrong, result.answers_checked);
    if wrong > 0 {
        let what = format!("{wrong} of {checked} answers were wrong in the phase `{phase}`");
        return Err((FailureKind::WrongAnswer, what));
    }
    let otherwise = || Some(format!("the driver {} in the phase `{phase}`", unasked(result, asked)?));
    let miscounted = || Some(format!("the driver reported {} in the phase `{phase}`", miscounted(result, asked)?));
    let kinds = || Some(format!("the driver reported for the phase `{phase}` {}", wrong_kinds(result)?));
    let unlike = || Some(format!("the driver reported {} in the phase `{phase}`", unlike_tape(result, asked)?));
    let times = || Some(format!("the driver reported for the phase `{phase}` {}", untrue_figures(result, asked)?));
    let what = otherwise().or_else(miscounted).or_else(kinds).or_else(unlike).or_else(times);
    what.map_or(Ok(()), |what| Err((FailureKind::BadOutput, what)))
}

/// Something that the driver did without being asked, or did not do although it was.
fn unasked(result: &PhaseResult, asked: &Asked<'_>) -> Option<String> {
    let request = asked.request;
    if result.mode != request.mode {
        return Some("timed operations in another mode than it was asked for".to_owned());
    }
    let speed = result.open_loop.map(|open_loop| open_loop.speed);
    let is_as_asked = match (request.speed, speed) {
        (Some(asked), Some(speed)) => (speed - asked).abs() <= asked * SPEED_OFF_MAX,
        (None, None) => true,
        _ => false,
    };
    if !is_as_asked {
        return Some("ran at another `speed` than it was asked for".to_owned());
    }
    let warms_up = request.steady_within.is_some() && asked.operations > 0;
    let is_latency = result.mode == Mode::Latency;
    let facts = [
        ("a warm-up", result.warm_up.is_some(), warms_up, true),
        ("opening the store again", result.reopen_ns.is_some(), request.reopen, false),
        ("background work", result.background_work.is_some(), request.settle, false),
        ("`over_time`", result.over_time.is_some(), is_latency, false),
        ("`slow`", result.slow.is_some(), is_latency, false),
        ("`by_size`", !sizes::are_as_asked(result, &request.value_sizes), false, false),
    ];
    facts.into_iter().find_map(|(what, reported, wanted, must)| match (reported, wanted) {
        (true, false) => Some(format!("reported {what}, which nobody asked for,")),
        (false, true) if must => Some(format!("did not report {what}, which it was asked for,")),
        _ => None,
    })
}

/// Counts that differ from the tape's.
fn miscounted(result: &PhaseResult, asked: &Asked<'_>) -> Option<String> {
    let warm_up = result.warm_up.as_ref().map_or(0, |warm_up| warm_up.operations);
    let operations = result.operations.iter().fold(warm_up, |sum: u64, of| sum.saturating_add(of.operations));
    let answers = if asked.keeps_data { asked.counts.answers } else { result.answers_checked };
    let counts = [
        ("threads", result.threads.into(), asked.threads.into()),
        ("timed operations", operations, asked.counts.timed_operations),
        ("answers checked", result.answers_checked, answers),
    ];
    let (what, found, expected) = counts.into_iter().find(|(_, found, expected)| found != expected)?;
    Some(format!("{found} {what} where its tape has {expected}"))
}

/// Kinds of operations that do not exist, come twice, or have figures of another mode.
fn wrong_kinds(result: &PhaseResult) -> Option<String> {
    let mut seen = BTreeSet::new();
    result.operations.iter().find_map(|of| {
        let OperationResult { operation, operations, entries, latency, .. } = of;
        let Some(kind) = Operation::ALL.into_iter().find(|kind| kind.name() == operation) else {
            return Some(format!("operations of an unknown kind, `{operation}`"));
        };
        if !seen.insert(operation) {
            return Some(format!("two results for the operation {operation}"));
        }
        if !kind.visits() && entries != operations {
            return Some(format!("{entries} entries of {operations} operations of the kind {operation}"));
        }
        if *operations == 0 && result.warm_up.is_none() {
            return Some(format!("a result for the operation {operation}, of which there was none"));
        }
        match (latency, result.mode) {
            (None, Mode::Latency) if *operations > 0 => Some(format!("no latency of {operation}")),
            (Some(_), Mode::Throughput) => Some(format!("latencies of {operation}, which was timed by blocks")),
            _ => None,
        }
    })
}

/// Figures of a kind of operation that differ from its tape's. Stores are ranked by them.
fn unlike_tape(result: &PhaseResult, asked: &Asked<'_>) -> Option<String> {
    let kinds = &asked.counts.kinds;
    if kinds.is_empty() {
        return None;
    }
    let figures = |of: KindCounts| [("operations", of.operations), ("entries", of.entries), ("bytes", of.bytes)];
    // What a store that keeps nothing delivers is its own matter.
    let judged = if asked.keeps_data { 3 } else { 1 };
    Operation::ALL.into_iter().find_map(|kind| {
        let expected = kinds.get(&kind).copied().unwrap_or_default();
        let found = result.operations.iter().find(|of| of.operation == kind.name());
        let found = found.map_or_else(KindCounts::default, |of| KindCounts {
            operations: of.operations,
            entries: of.entries,
            bytes: of.bytes,
        });
        let mut pairs = figures(found).into_iter().zip(figures(expected)).take(judged);
        // How many of a kind come before measuring begins is the driver's matter. A walk may end early where something is gone.
        let is_exact = result.warm_up.is_none() && kind != Operation::Walk;
        let is_off = |found: u64, expected: u64| found > expected || is_exact && found != expected;
        let ((what, found), (_, expected)) = pairs.find(|((_, found), (_, expected))| is_off(*found, *expected))?;
        Some(format!("{found} {what} of the kind {kind} where its tape has {expected}", kind = kind.name()))
    })
}

/// Figures that contradict each other.
fn untrue_figures(result: &PhaseResult, asked: &Asked<'_>) -> Option<String> {
    let histograms = || {
        let timed = result.operations.iter().filter_map(|of| Some((of, of.latency.as_ref()?)));
        timed.into_iter().find_map(|(of, latency)| histograms::untrue(&of.operation, of.operations, latency))
    };
    let by_size = || result.operations.iter().find_map(sizes::untrue);
    impossible(result)
        .or_else(histograms)
        .or_else(by_size)
        .or_else(|| latencies::untrue(result))
        .or_else(|| resources::untrue(result, asked.rss_baseline_bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Figures of a kind: operations, entries, bytes.
    type Figures = (&'static str, [u64; 3]);

    const TAPE: [Figures; 3] = [("get", [10, 10, 500]), ("scan-all", [2, 400, 9_000]), ("walk", [5, 15, 0])];

    /// The mistake in a phase with these figures, and whether there was a warm-up.
    fn told(figures: &[Figures], warms_up: bool, keeps_data: bool, counts: &Counts) -> Option<String> {
        let of = |(operation, [operations, entries, bytes]): &Figures| json!({ "operation": operation, "operations": operations, "entries": entries, "bytes": bytes, "timed_ns": 1 });
        let warm_up = json!({ "operations": 1, "wall_ns": 1, "interval_ns_means": [] });
        let phase = json!({
            "phase": "mix", "mode": "throughput", "threads": 1, "timed_ns": 1, "wall_ns": 1,
            "operations": figures.iter().map(of).collect::<Vec<_>>(), "answers_checked": 0, "answers_wrong": 0,
            "resources": {}, "warm_up": warms_up.then_some(warm_up),
        });
        let result = serde_json::from_value(phase).unwrap();
        let request = PhaseRequest::new("mix", "mix.tape".into(), Mode::Throughput);
        let asked =
            Asked { request: &request, counts, operations: 17, threads: 1, rss_baseline_bytes: None, keeps_data };
        unlike_tape(&result, &asked)
    }

    fn counts() -> Counts {
        let kinds = TAPE.map(|(kind, [operations, entries, bytes])| {
            (Operation::from_name(kind).unwrap(), KindCounts { operations, entries, bytes })
        });
        Counts { timed_operations: 17, answers: 17, kinds: kinds.into() }
    }

    #[test]
    fn kinds_of_operations_are_those_of_the_tape() {
        let with = |kind: Figures| {
            let mut figures = TAPE.to_vec();
            figures.retain(|(name, _)| *name != kind.0);
            figures.push(kind);
            figures
        };
        let told = |figures: &[Figures], warms_up, keeps_data| told(figures, warms_up, keeps_data, &counts());
        assert_eq!(told(&TAPE, false, true), None);
        // A walk may end early, and what came before a phase was steady is not in its figures.
        assert_eq!(told(&with(("walk", [5, 11, 0])), false, true), None);
        assert_eq!(told(&with(("scan-all", [1, 200, 4_500])), true, true), None);
        assert_eq!(told(&with(("scan-all", [2, 0, 0])), false, false), None);
        let lies = [
            (("scan-all", [2, 401, 9_000]), false, true, "401 entries of the kind scan-all where its tape has 400"),
            (("scan-all", [2, 400, 8_999]), false, true, "8999 bytes of the kind scan-all where its tape has 9000"),
            (("scan-all", [1, 200, 9_001]), true, true, "9001 bytes of the kind scan-all"),
            (("scan-all", [3, 400, 9_000]), false, false, "3 operations of the kind scan-all"),
            (("walk", [5, 16, 0]), false, true, "16 entries of the kind walk where its tape has 15"),
            (("exists", [1, 1, 0]), false, true, "1 operations of the kind exists where its tape has 0"),
        ];
        for (lie, warms_up, keeps_data, words) in lies {
            let told = told(&with(lie), warms_up, keeps_data).unwrap_or_default();
            assert!(told.contains(words), "{words}: {told}");
        }
        assert_eq!(told(&TAPE[1..], false, true).unwrap(), "0 operations of the kind get where its tape has 10");
    }

    #[test]
    fn a_recording_without_kinds_is_held_to_none() {
        let older: Counts = serde_json::from_value(json!({ "timed_operations": 17, "answers": 17 })).unwrap();
        assert_eq!(told(&TAPE[..1], false, true, &older), None);
        let json = serde_json::to_string(&counts()).unwrap();
        assert!(json.contains(r#""scan-all":{"operations":2,"entries":400,"bytes":9000}"#), "{json}");
        assert_eq!(serde_json::from_str::<Counts>(&json).unwrap(), counts());
    }
}
