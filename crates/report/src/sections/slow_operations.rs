//! Why slow operations were slow: for every store, what the slowest thousandth, eight at least, waited for, and the slowest of all.

use std::collections::BTreeSet;

use bakeoff_protocol::{Cause, Mode, PhaseLine};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use bakeoff_results::slow_operations::{SlowGroup, SlowOperations, slow_operations};
use bakeoff_text::{listed, percent, time};

use crate::circumstances::varying_among;
use crate::document::{Block, Section, SectionId};
use crate::format::describe_workload_of;

/// The title of the section.
const TITLE: &str = "Why slow operations were slow";

/// The section, with the phases that lack this information.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
    let of_stores = slow_operations(run, contenders);
    let whole = timed_as_a_whole(&run.cells);
    if of_stores.is_empty() {
        let is_single = |phase: &PhaseLine| phase.result.mode == Mode::Latency;
        if whole.is_empty() || run.cells.iter().flat_map(|cell| &cell.phases).any(is_single) {
            return None;
        }
        let none = format!("No operation has a time of its own: {whole}.");
        return Section::titled(SectionId::SlowOperations, TITLE, vec![Block::paragraph(none)]);
    }
    let all: Vec<Circumstances> = of_stores.keys().map(|(of, _)| of.clone()).collect();
    let what = "What took the largest part of the time of the slowest thousandth of each phase's operations (eight at least), as far as the \
                kernel tells: `docs/METHODOLOGY.md` says how it is known.";
    let without = if whole.is_empty() { String::new() } else { format!(" Not of all phases: {whole}.") };
    let line = |((of, key), slow): (&SlowGroup, &SlowOperations)| {
        let (slowest, axes) = (slow.slowest.operation, slow.slowest.axes);
        let mut title = contenders.title(key);
        if all.iter().any(|other| other.durability() != of.durability()) {
            title += &format!(" · durability {}", of.durability_label());
        }
        title += &varying_among(of, &all);
        let variant = axes.variant.as_ref().map_or_else(String::new, |variant| format!(", variant {variant}"));
        let place = format!("{} of {}{variant}", slow.slowest.phase, describe_workload_of(axes));
        let slowest = format!("{}, {}: {place}", time(slowest.latency_ns as f64), slowest.cause.describe());
        format!("{title}: {}; the slowest took {slowest}", describe(&slow.shares()))
    };
    let lines = Block::list(of_stores.iter().map(line));
    Section::titled(SectionId::SlowOperations, TITLE, vec![Block::paragraph(format!("{what}{without}")), lines])
}

/// Which phases were timed as a whole; empty if none was.
fn timed_as_a_whole(cells: &[CellRound]) -> String {
    let phases = cells.iter().flat_map(|cell| &cell.phases).map(|phase| &phase.result);
    let names: BTreeSet<&str> =
        phases.filter(|result| result.mode == Mode::Throughput).map(|result| result.phase.as_str()).collect();
    if names.is_empty() {
        return String::new();
    }
    let was = if names.len() == 1 { "was" } else { "were" };
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    format!("{} {was} timed as a whole", listed(&names))
}

/// `disk 81 %, computing 12 %`.
fn describe(shares: &[(Cause, f64)]) -> String {
    let labels = shares.iter().map(|(cause, share)| format!("{} {}", cause.name(), percent(*share)));
    labels.collect::<Vec<_>>().join(", ")
}
