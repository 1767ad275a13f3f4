//! What a right answer of a driver is: a refusal, a failure, a run to its end.

use std::path::Path;

use bakeoff_protocol::{Event, FailureKind, PhaseResult, Request, Settings, StoreDescription, Verified};

use crate::cell::claims;
use crate::cell::claims::figures::refuse_figures;
use crate::cell::claims::order::Order;
use crate::cell::claims::phase::Asked;
use crate::check_driver::bench::Recorded;
use crate::check_driver::verdict::{Checked, Stop};
use crate::drivers::process::Answer;

/// What came, for people: the end of the driver's output and how it ended.
pub(super) fn shown(answer: &Answer) -> String {
    let last = match answer.events() {
        Err(what) => what,
        Ok(events) => match events.last() {
            None => "nothing".to_owned(),
            Some(Event::Failed { kind, message, .. }) => {
                format!("`failed` with {}, {:?}", kind.name(), message.chars().take(200).collect::<String>())
            }
            Some(event) => format!("`{}`", kind_of(event)),
        },
    };
    let words = match answer.last_words().as_str() {
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
        Event::Inventory(_) => "inventory",
        Event::Finished(_) => "finished",
        Event::Failed { .. } => "failed",
    }
}

/// A failure of one of these kinds, with exit status 1.
pub(super) fn failed(answer: &Answer, kinds: &[FailureKind]) -> Checked<Vec<Event>> {
    let words = kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" or ");
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

/// A refusal before anything was opened: one event, and still `files` entries in the store's directory.
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
    pub(super) rss_baseline_bytes: Option<u64>,
    pub(super) phases: Vec<PhaseResult>,
    pub(super) verified: Option<Verified>,
}

/// A run to its end, whose events come in order and are what the tapes say.
pub(super) fn finished(
    answer: &Answer,
    request: &Request,
    recorded: &Recorded,
    store: &StoreDescription,
) -> Checked<Run> {
    let run = in_order(answer, request)?;
    let keeps_data = store.capabilities.keeps_data;
    for ((phase, asked), tape) in run.phases.iter().zip(&request.phases).zip(&recorded.recording.phases) {
        let asked = Asked {
            request: asked,
            counts: &tape.counts,
            operations: tape.operations,
            threads: recorded.workload.lanes,
            rss_baseline_bytes: run.rss_baseline_bytes,
            keeps_data,
        };
        claims::phase::check(phase, &asked)
            .map_err(|(_, what)| Stop::broken("a phase as its tape and the request have it", what))?;
        if !keeps_data && phase.answers_checked > 0 {
            let expected = format!("phase {}: 0 answers_checked of a store that keeps no data", phase.phase);
            return Err(Stop::broken(expected, phase.answers_checked.to_string()));
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

/// Events in the order of the protocol, with `finished` at the end, and exit status 0.
pub(super) fn in_order(answer: &Answer, request: &Request) -> Checked<Run> {
    let names: Vec<_> = request.phases.iter().map(|phase| phase.name.clone()).collect();
    let expected =
        format!("`opened`, the phases {}, `verified` if asked for, `finished`, and exit status 0", names.join(", "));
    let events = answer.events().map_err(|what| Stop::broken(&expected, what))?;
    if !matches!(events.last(), Some(Event::Finished(_))) || !answer.status.is_some_and(|status| status.success()) {
        return Err(Stop::broken(expected, shown(answer)));
    }
    let mut order =
        Order::new(claims::order::Asked { phases: names.clone(), dies: false, verifies: request.verify.is_some() });
    let mut run = Run { settings: Settings::new(), rss_baseline_bytes: None, phases: Vec::new(), verified: None };
    let mut opened = false;
    for (event, line) in events.into_iter().zip(answer.text().lines()) {
        order.take(&event).map_err(|what| Stop::broken(&expected, what))?;
        refuse_figures(line).map_err(|(_, what)| Stop::broken("figures that can be", what))?;
        match event {
            Event::Opened(event) => {
                (opened, run.settings, run.rss_baseline_bytes) = (true, event.settings, event.rss_baseline_bytes);
            }
            Event::Phase(phase) => run.phases.push(*phase),
            Event::Verified(verified) => run.verified = Some(verified),
            _ => {}
        }
    }
    if !opened || run.phases.len() != names.len() {
        let found = format!("{} phases{}", run.phases.len(), if opened { "" } else { " and no `opened`" });
        return Err(Stop::broken(expected, found));
    }
    Ok(run)
}
