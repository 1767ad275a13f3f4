//! What a phase came to, held against what was asked and what its tape says.

use std::collections::BTreeSet;

use bakeoff_protocol::{FailureKind, Mode, OperationResult, PhaseRequest, PhaseResult};
use bakeoff_results::plausible::impossible;
use bakeoff_tape::{Counts, KindCounts, Operation};

use crate::cell::claims::{Refusal, histograms, latencies, sizes};

/// The rates of an open loop may differ by this part: they are written as decimal fractions.
const SPEED_OFF_MAX: f64 = 1e-9;

/// What a phase is held against.
pub(crate) struct Asked<'a> {
    /// What the driver was asked.
    pub(crate) request: &'a PhaseRequest,
    /// What replaying its tape comes to.
    pub(crate) counts: &'a Counts,
    /// Operations on its tape.
    pub(crate) operations: u64,
    /// Threads that replay it.
    pub(crate) threads: u32,
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
    let times = || Some(format!("the driver reported for the phase `{phase}` {}", untrue_figures(result)?));
    let what = otherwise().or_else(miscounted).or_else(kinds).or_else(unlike).or_else(times);
    what.map_or(Ok(()), |what| Err((FailureKind::BadOutput, what)))
}

/// What was done that nobody asked for, or not done although it was.
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

/// Counts that are not those of the tape.
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
        match (latency, result.mode) {
            (None, Mode::Latency) if *operations > 0 => Some(format!("no latency of {operation}")),
            (Some(_), Mode::Throughput) => Some(format!("latencies of {operation}, which was timed by blocks")),
            _ => None,
        }
    })
}

/// What operations of a kind came to that is not what its tape has: figures by which stores are ranked.
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
fn untrue_figures(result: &PhaseResult) -> Option<String> {
    let histograms = || {
        let timed = result.operations.iter().filter_map(|of| Some((of, of.latency.as_ref()?)));
        timed.into_iter().find_map(|(of, latency)| histograms::untrue(&of.operation, of.operations, latency))
    };
    let by_size = || result.operations.iter().find_map(sizes::untrue);
    impossible(result)
        .or_else(histograms)
        .or_else(by_size)
        .or_else(|| latencies::untrue(result))
        .or_else(|| memory(result))
}

/// Memory above a baseline that is more than all memory.
fn memory(result: &PhaseResult) -> Option<String> {
    let (above, peak) = (result.resources.rss_peak_above_baseline_bytes?, result.resources.rss_peak_bytes?);
    (above > peak).then(|| format!("rss_peak_above_baseline_bytes {above}, more than rss_peak_bytes {peak}"))
}
