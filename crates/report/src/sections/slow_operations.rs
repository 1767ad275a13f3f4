//! Why slow operations were slow: for every store, what the slowest thousandth, eight at least, waited for, and the slowest of all.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, Cause, Mode, PhaseLine, SlowOperation, VARIANT};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use bakeoff_text::{listed, percent, time};

use crate::circumstances::varying_among;
use crate::document::{Block, Section, SectionId};
use crate::format::describe_cell;

/// The slow operations of a store under one promise.
#[derive(Default)]
struct Slow<'a> {
    time_ns: BTreeMap<Cause, u64>,
    slowest: Option<(&'a SlowOperation, &'a str, &'a Axes)>,
}

/// The title of the section.
const TITLE: &str = "Why slow operations were slow";

/// The section, with the phases of which it can say nothing.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
    let of_stores = gather(run, contenders);
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
    let line = |((of, key), slow): (&Group, &Slow)| {
        let (slowest, phase, axes) = slow.slowest?;
        let mut title = contenders.title(key);
        if all.iter().any(|other| other.durability() != of.durability()) {
            title += &format!(" · durability {}", of.durability_label());
        }
        title += &varying_among(of, &all);
        let variant = axes.variant.as_ref().map_or_else(String::new, |variant| format!(", variant {variant}"));
        let place = format!("{phase} of {}{variant}", describe_cell(axes));
        let slowest = format!("{}, {}: {place}", time(slowest.latency_ns as f64), slowest.cause.describe());
        Some(format!("{title}: {}; the slowest took {slowest}", shares(&slow.time_ns)))
    };
    let lines = Block::list(of_stores.iter().filter_map(line));
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

/// Whose slow operations are told together: a store's under the same circumstances, in all variants.
type Group<'a> = (Circumstances, &'a str);

fn gather<'a>(run: &'a Run, contenders: &'a Contenders) -> BTreeMap<Group<'a>, Slow<'a>> {
    let mut of_stores: BTreeMap<Group, Slow> = BTreeMap::new();
    for cell in run.counted() {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes).filter(|contender| contender.ranked) else { continue };
        for result in cell.phases.iter().map(|phase| &phase.result) {
            let Some(slow) = &result.slow else { continue };
            let group = Circumstances::of(axes).without(&VARIANT);
            let of = of_stores.entry((group, &contender.key)).or_default();
            for share in &slow.causes {
                *of.time_ns.entry(share.cause).or_default() += share.latency_ns_sum;
            }
            if let Some(slowest) = slow.slowest.first()
                && of.slowest.is_none_or(|(other, ..)| other.latency_ns < slowest.latency_ns)
            {
                of.slowest = Some((slowest, &result.phase, axes));
            }
        }
    }
    of_stores
}

/// `disk 81 %, computing 12 %`, the largest first; what is under one in a hundred is left out.
fn shares(time_ns: &BTreeMap<Cause, u64>) -> String {
    let all: u64 = time_ns.values().sum();
    let mut shares: Vec<(f64, Cause)> = time_ns
        .iter()
        .map(|(cause, ns)| (*ns as f64 / all.max(1) as f64, *cause))
        .filter(|(share, _)| *share >= 0.01)
        .collect();
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    let labels: Vec<String> =
        shares.iter().map(|(share, cause)| format!("{} {}", cause.name(), percent(*share))).collect();
    labels.join(", ")
}
