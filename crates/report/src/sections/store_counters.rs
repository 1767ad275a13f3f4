//! What stores counted about themselves up to closing, by their own names: for those who know the store.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use bakeoff_stats::mean;
use bakeoff_text::format_count;

use crate::circumstances::varying_among;
use crate::document::{Block, Section, SectionId};
use crate::format::describe_cell;

/// What each round of one store's cells counted, by name.
type Counts<'a> = BTreeMap<&'a str, Vec<f64>>;

/// The section; `None` unless some store counted something.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
    let cells = gather(run, contenders);
    if cells.is_empty() {
        return None;
    }
    let all: Vec<Circumstances> =
        cells.keys().map(|(of, ..)| of.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let what = "By the stores' own names, of the whole cell, its load included; means of all rounds. What is 0 in all of them is left out.";
    let mut blocks = vec![Block::paragraph(what)];
    for ((of, workload, key), counts) in &cells {
        let title = contenders.title(key);
        let heading = format!("{title} · {workload} · durability {}{}", of.durability_label(), varying_among(of, &all));
        blocks.push(Block::heading(1, heading));
        blocks.push(Block::paragraph_at(2, describe(counts)));
    }
    Section::titled(SectionId::StoreCounters, "What stores counted themselves", blocks)
}

/// The counts of cells that never failed, by circumstances, workload and store.
fn gather<'a>(run: &'a Run, contenders: &'a Contenders) -> BTreeMap<(Circumstances, String, &'a str), Counts<'a>> {
    let mut of: BTreeMap<_, Counts<'a>> = BTreeMap::new();
    for cell in run.counted() {
        let axes = &cell.end.axes;
        let (Some(contender), Some(finished)) = (contenders.of(axes), &cell.end.finished) else { continue };
        let workload = describe_cell(axes);
        for (name, number) in &finished.store_properties {
            let counts = of.entry((Circumstances::of(axes), workload.clone(), contender.key.as_str())).or_default();
            counts.entry(name).or_default().push(*number as f64);
        }
    }
    of
}

fn describe(counts: &Counts<'_>) -> String {
    let means = counts.iter().map(|(name, rounds)| (name, mean(rounds).unwrap_or(0.0)));
    let shown = means.filter(|(_, mean)| *mean > 0.0).map(|(name, mean)| match mean < 10.0 && mean.fract() != 0.0 {
        true => format!("{name} {mean:.1}"),
        false => format!("{name} {}", format_count(mean.round() as u64)),
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() { "nothing but 0".to_owned() } else { shown.join(", ") }
}
