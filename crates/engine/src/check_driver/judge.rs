//! What a right answer of a driver is: a refusal, a failure, a run to its end.

use std::collections::BTreeMap;
use std::path::Path;

use bakeoff_measure::Histogram;
use bakeoff_protocol::{Event, FailureKind, Mode, OperationResult, PhaseResult, Request, Settings, Verified};
use bakeoff_results::plausible::impossible;
use bakeoff_tape::{Operation, PhaseTape};

use crate::check_driver::bench::{Recorded, records_of};
use crate::check_driver::program::Answer;
use crate::check_driver::{Checked, Stop};

/// The name of a kind of failure in JSON.
fn named(kind: FailureKind) -> String {
    kind.label().replace(' ', "-")
}

/// What came, for people: the end of the driver's output and how it ended.
fn shown(answer: &Answer) -> String {
    let last = match answer.events() {
        Err(what) => what,
        Ok(events) => match events.last() {
            None => "nothing".to_owned(),
            Some(Event::Failed { kind, message, .. }) => {
                format!("`failed` with {}, {:?}", named(*kind), message.chars().take(200).collect::<String>())
            }
            Some(event) => format!("`{}`", kind_of(event)),
        },
    };
    let words = match answer.last_words.as_str() {
        "" => String::new(),
        words => format!("; its last words: {words}"),
    };
    format!("{last}, and the driver {}{words}", answer.ending())
}

fn kind_of(event: &Event) -> &'static str {
    match event {
        Event::Opened(_) => "opened",
        Event::Progress(_) => "progress",
        Event::Phase(_) => "phase",
        Event::Dying => "dying",
        Event::Verified(_) => "verified",
        Event::Finished(_) => "finished",
        Event::Failed { .. } => "failed",
    }
}

/// A failure of one of these kinds, with exit status 1.
pub(super) fn failed(answer: &Answer, kinds: &[FailureKind]) -> Checked<Vec<Event>> {
    let words = kinds.iter().map(|kind| named(*kind)).collect::<Vec<_>>().join(" or ");
    let expected = format!("`failed` with {words} as the last line, and exit status 1");
    let events = answer.events().map_err(|what| Stop::broken(&expected, what))?;
    let is_right = match events.last() {
        Some(Event::Failed { kind, message, .. }) => kinds.contains(kind) && !message.trim().is_empty(),
        _ => false,
    };
    if !is_right || answer.status.and_then(|status| status.code()) != Some(1) {
        return Err(Stop::broken(expected, shown(answer)));
    }
    Ok(events)
}

/// A refusal before anything was opened: one event, and nothing in the store's directory but what was there.
pub(super) fn refused(answer: &Answer, kinds: &[FailureKind], store: &Path, files: usize) -> Checked {
    let events = failed(answer, kinds)?;
    if let [Event::Failed { .. }] = events[..] {
        let now = std::fs::read_dir(store).map_or(files, |entries| entries.count());
        if now == files {
            return Ok(());
        }
        let expected = "a refusal that leaves the store's directory as it is";
        return Err(Stop::broken(expected, format!("{now} entries in it, where there were {files}")));
    }
    let expected = "`failed` as the only line: a request is checked before the store is opened";
    Err(Stop::broken(expected, format!("`{}` before it", kind_of(&events[0]))))
}

/// What a run to its end reported.
pub(super) struct Run {
    pub(super) settings: Settings,
    pub(super) phases: Vec<PhaseResult>,
    pub(super) verified: Option<Verified>,
}

/// A run to its end, whose events come in order and are what the tapes say.
pub(super) fn finished(answer: &Answer, request: &Request, recorded: &Recorded, keeps_data: bool) -> Checked<Run> {
    let run = in_order(answer, request)?;
    for ((phase, asked), tape) in run.phases.iter().zip(&request.phases).zip(&recorded.recording.phases) {
        let wrong = wrong_phase(phase, asked.mode, (tape, recorded.workload.lanes), keeps_data)?;
        let warmed_up = wrong.or_else(|| {
            let unasked = phase.warm_up.is_some() != asked.steady_within.is_some();
            unasked.then(|| ("`warm_up` if `steady_within` was asked for".to_owned(), "another".to_owned()))
        });
        if let Some((expected, found)) = warmed_up {
            return Err(Stop::broken(format!("phase {}: {expected}", phase.phase), found));
        }
    }
    let is_listed = request.verify.is_some() && keeps_data;
    let alive = recorded.recording.phases.last().map_or(0, |tape| tape.records_after);
    let entries = run.verified.as_ref().map(|verified| verified.entries);
    if entries != is_listed.then_some(alive) {
        let expected = match is_listed {
            true => format!("`verified` with {alive} entries"),
            false => "no `verified`".to_owned(),
        };
        let found = entries.map_or("none".to_owned(), |entries| format!("`verified` with {entries} entries"));
        return Err(Stop::broken(expected, found));
    }
    Ok(run)
}

/// `opened`, each phase in order, `verified`, `finished`, and exit status 0.
pub(super) fn in_order(answer: &Answer, request: &Request) -> Checked<Run> {
    let names: Vec<_> = request.phases.iter().map(|phase| phase.name.as_str()).collect();
    let expected =
        format!("`opened`, the phases {}, `verified` if asked for, `finished`, and exit status 0", names.join(", "));
    let events = answer.events().map_err(|what| Stop::broken(&expected, what))?;
    if !matches!(events.last(), Some(Event::Finished(_))) || !answer.status.is_some_and(|status| status.success()) {
        return Err(Stop::broken(expected, shown(answer)));
    }
    let order: Vec<_> = events.iter().map(kind_of).filter(|kind| *kind != "progress").collect();
    let phases = std::iter::repeat_n("phase", names.len());
    let verified = order.contains(&"verified").then_some("verified");
    let right: Vec<_> = std::iter::once("opened").chain(phases).chain(verified).chain(["finished"]).collect();
    if order != right {
        return Err(Stop::broken(expected, order.join(", ")));
    }
    let mut run = Run { settings: Settings::new(), phases: Vec::new(), verified: None };
    for event in events {
        match event {
            Event::Opened(opened) => run.settings = opened.settings,
            Event::Phase(phase) => run.phases.push(*phase),
            Event::Verified(verified) => run.verified = Some(verified),
            _ => {}
        }
    }
    let found: Vec<_> = run.phases.iter().map(|phase| phase.phase.as_str()).collect();
    if found != names {
        return Err(Stop::broken(expected, format!("the phases {}", found.join(", "))));
    }
    Ok(run)
}

/// What operations of a kind come to on a tape: how many, entries, bytes of keys and values.
type Expected = BTreeMap<String, (u64, u64, u64)>;

/// What every kind of timed operation of a tape comes to in a right store.
fn expected_of(tape: &Path) -> anyhow::Result<Expected> {
    let mut kinds = Expected::new();
    for record in records_of(tape)?.iter().flatten().filter(|record| record.flags & bakeoff_tape::flags::UNTIMED == 0) {
        let is_found = record.flags & bakeoff_tape::flags::FOUND != 0;
        let whole = record.key.len() as u64 + u64::from(record.value_bytes);
        let (entries, bytes) = match (record.operation, record.scan) {
            (_, Some(scan)) => (scan.entries, scan.bytes),
            (Operation::Insert | Operation::Update | Operation::Upsert, _) => (1, whole),
            (Operation::Get, _) if is_found => (1, whole),
            _ => (1, 0),
        };
        let kind = kinds.entry(record.operation.name().to_owned()).or_default();
        *kind = (kind.0 + 1, kind.1 + entries, kind.2 + bytes);
    }
    Ok(kinds)
}

/// What was expected of a phase and what came, if that is something else.
fn wrong_phase(
    phase: &PhaseResult,
    mode: Mode,
    (tape, lanes): (&PhaseTape, u32),
    keeps_data: bool,
) -> anyhow::Result<Option<(String, String)>> {
    let warmed_up = phase.warm_up.as_ref().map_or(0, |warm_up| warm_up.operations);
    let operations = phase.operations.iter().fold(warmed_up, |sum, of| sum.saturating_add(of.operations));
    let answers = if keeps_data { tape.counts.answers } else { 0 };
    let counts = [
        ("threads", u64::from(phase.threads), u64::from(lanes)),
        ("timed operations", operations, tape.counts.timed_operations),
        ("answers_checked", phase.answers_checked, answers),
        ("answers_wrong", phase.answers_wrong, 0),
    ];
    if let Some((what, found, expected)) = counts.into_iter().find(|(_, found, expected)| found != expected) {
        return Ok(Some((format!("{expected} {what}"), found.to_string())));
    }
    if phase.mode != mode {
        return Ok(Some(("the mode that was asked for".to_owned(), "another".to_owned())));
    }
    if let Some(what) = impossible(phase) {
        return Ok(Some(("figures that can be".to_owned(), what)));
    }
    if let Some(what) = phase.operations.iter().find_map(|of| wrong_latency(of, mode)) {
        return Ok(Some((format!("of {}, {}", what.0, what.1), what.2)));
    }
    if phase.warm_up.is_some() {
        return Ok(None);
    }
    let mut kinds = expected_of(&tape.path)?;
    for of in &phase.operations {
        let found = (of.operations, of.entries, of.bytes);
        let Some(expected) = kinds.remove(&of.operation) else {
            return Ok(Some((format!("no operations {}", of.operation), format!("{}", of.operations))));
        };
        // What a store that keeps nothing delivers is its own matter.
        let is_right = if keeps_data { found == expected } else { found.0 == expected.0 };
        if !is_right {
            let words = |(operations, entries, bytes)| {
                format!("{} of {operations} operations, {entries} entries, {bytes} bytes", of.operation)
            };
            return Ok(Some((words(expected), words(found))));
        }
    }
    Ok(kinds.pop_first().map(|(kind, _)| (format!("operations of the kind {kind}"), "none".to_owned())))
}

/// The kind, what was expected of its latencies, and what came.
fn wrong_latency(of: &OperationResult, mode: Mode) -> Option<(String, String, String)> {
    let wrong = |expected: &str, found: String| Some((of.operation.clone(), expected.to_owned(), found));
    let Some(latency) = &of.latency else {
        return if mode == Mode::Latency { wrong("`latency`", "none".to_owned()) } else { None };
    };
    if mode == Mode::Throughput {
        return wrong("no `latency` in mode throughput", "one".to_owned());
    }
    let histogram = match Histogram::from_base64(&latency.histogram) {
        Ok(histogram) => histogram,
        Err(why) => return wrong("a histogram", why.to_string()),
    };
    if histogram.count() != of.operations {
        let expected = format!("a histogram of {} latencies", of.operations);
        return wrong(&expected, histogram.count().to_string());
    }
    // There are many definitions of a percentile, and buckets are a thousandth wide.
    let step = 1.5 / of.operations.max(1) as f64;
    let at = |share: f64| histogram.quantile_ns(share.clamp(0.0, 1.0)).unwrap_or(0);
    let around = |share: f64| (at(share - step), at(share + step));
    let (least, most) = (histogram.min_ns().unwrap_or(0), histogram.max_ns().unwrap_or(0));
    let figures = [
        ("latency_ns_min", latency.latency_ns_min, (least, least)),
        ("latency_ns_p50", latency.latency_ns_p50, around(0.5)),
        ("latency_ns_p90", latency.latency_ns_p90, around(0.9)),
        ("latency_ns_p99", latency.latency_ns_p99, around(0.99)),
        ("latency_ns_p999", latency.latency_ns_p999, around(0.999)),
        ("latency_ns_max", latency.latency_ns_max, (most, most)),
    ];
    let is_off = |(_, found, (low, high)): &(&str, u64, (u64, u64))| {
        found.saturating_add(found / 500 + 2) < *low || *found > high + high / 500 + 2
    };
    let (name, found, (low, high)) = figures.into_iter().find(is_off)?;
    wrong(&format!("{name} as in its histogram, from {low} to {high}"), found.to_string())
}
