//! Whether the records last: what the phases leave of them, one after the other.

use std::collections::BTreeMap;

use bakeoff_tape::{KeyForm, Operation, PhaseSpec};
use bakeoff_text::format_count;

use crate::assemble::phase::Phase;
use crate::axes::{Axes, has_form};
use crate::error::Problems;
use crate::limits::RECORDS_MAX;
use crate::node::SuiteFile;
use crate::place::Place;

/// The part of a phase's operations that are of a kind.
fn share(phase: &PhaseSpec, operation: Operation) -> f64 {
    let total: f64 = phase.mix.values().sum();
    phase.mix.get(&operation).map_or(0.0, |weight| weight / total)
}

/// The most operations of a kind that a phase can be expected to draw.
fn operations_max(phase: &PhaseSpec, operation: Operation, operations: u64) -> u64 {
    drawn_max(share(phase, operation), operations)
}

/// How many of so many operations can be expected to be of a kind that has this share of them, at most: six standard deviations above
/// the mean.
pub fn drawn_max(share: f64, operations: u64) -> u64 {
    if share == 0.0 {
        return 0;
    }
    let mean = operations as f64 * share;
    let most = mean + 6.0 * (mean * (1.0 - share)).sqrt();
    (most.ceil() as u64).min(operations)
}

/// Notes phases that run out of records, of keys or of threads' own records, for the first setting of the axes that shows it.
pub(crate) fn check(phases: &[Phase<'_>], axes: &Axes, file: &SuiteFile, problems: &mut Problems) {
    unique_names(phases, problems);
    for (index, &records) in axes.records.iter().enumerate() {
        for &threads in &axes.threads {
            let before = problems.len();
            if records < u64::from(threads) {
                let message = format!("too few records for {threads} threads: {}", format_count(records));
                let help = "each thread writes records of its own: use more records or fewer threads";
                problems.add(&file.blame(&["threads"], &file.axis_place("records", index)), message, help);
            } else {
                lasting(phases, (axes, file), (records, threads), problems);
            }
            if problems.len() > before {
                return;
            }
        }
    }
}

fn unique_names(phases: &[Phase<'_>], problems: &mut Problems) {
    let mut seen = BTreeMap::new();
    for phase in phases.iter().filter(|phase| !phase.spec.name.is_empty()) {
        if seen.insert(&phase.spec.name, ()).is_some() {
            let message = format!("there is another {}", phase.table.name);
            problems.add(phase.table.place("name"), message, "give each phase a name of its own");
        }
    }
}

/// Follows one thread's records through the phases: writes touch only a thread's own.
fn lasting(
    phases: &[Phase<'_>],
    (axes, file): (&Axes, &SuiteFile),
    (records, threads): (u64, u32),
    problems: &mut Problems,
) {
    let threads = u64::from(threads);
    let mut live = 0;
    let mut inserted = 0u64;
    for phase in phases {
        let spec = &phase.spec;
        let operations = spec.operations.unwrap_or(records);
        let own = operations.div_ceil(threads);
        let deletes = if spec.restore { 0 } else { operations_max(spec, Operation::Delete, own) };
        let only = |operation| spec.mix.len() == 1 && phase.does(operation);
        let needed = if only(Operation::Delete) { deletes } else { deletes + 1 };
        if !only(Operation::Insert) && needed.max(1) > live {
            // What is looked for among other operations is never the last one.
            let short = if live == deletes && live > 0 { ", and one must be left" } else { "" };
            let message = format!(
                "{} runs out of records: with records = {records} and threads = {threads}, a thread has {live} and may delete {deletes}{short}",
                phase.table.name
            );
            let place = file.blame(&["records", "threads"], phase.table.place("operations"));
            let help = match &place {
                Place::Flag { flag: "records", .. } => {
                    "give more, or --scale in its place, such as --scale 0.02, which lessens operations as well"
                }
                _ => "use fewer operations or more records, or put deleted records back with restore = true",
            };
            problems.add(&place, message, help);
            return;
        }
        let inserts = [Operation::Insert, Operation::Upsert].map(|kind| operations_max(spec, kind, operations));
        inserted = inserted.saturating_add(inserts[0]).saturating_add(inserts[1]);
        if inserted > RECORDS_MAX {
            too_many(phase, (axes, file), inserted, problems);
            return;
        }
        live -= deletes;
        if only(Operation::Insert) && !spec.restore {
            live += operations / threads;
        }
    }
}

fn too_many(phase: &Phase<'_>, (axes, file): (&Axes, &SuiteFile), inserted: u64, problems: &mut Problems) {
    let message = format!("with {} there may be {} records", phase.table.name, format_count(inserted));
    let most = format_count(RECORDS_MAX);
    let help = match has_form(&axes.keys, KeyForm::Integer) {
        true => format!("a 4-byte integer key names at most {most}: use fewer, or another key"),
        false => format!("a workload numbers at most {most}: use fewer"),
    };
    problems.add(&file.blame(&["records"], phase.table.place("operations")), message, help);
}
