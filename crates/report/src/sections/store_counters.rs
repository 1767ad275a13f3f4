//! What stores counted about themselves up to closing, by their own names: for those who know the store.

use std::collections::BTreeSet;

use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::gathered::{Group, gather};
use bakeoff_results::run::Run;
use bakeoff_results::store_counters::StoreCounters;
use bakeoff_text::format_count;

use crate::circumstances::varying_among;
use crate::document::{Block, Section, SectionId};
use crate::format::describe_workload;

/// What the section shows.
const WHAT: &str = "By the stores' own names, of the whole cell, its load included; means of all rounds. What is 0 in all of them is left out.";

/// The section; `None` unless some store counted something.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
    let groups: Vec<Group<'_, StoreCounters>> = gather(run, contenders);
    if groups.is_empty() {
        return None;
    }
    let all: BTreeSet<Circumstances> = groups.iter().map(|of| of.circumstances.clone()).collect();
    let all: Vec<Circumstances> = all.into_iter().collect();
    let mut blocks = vec![Block::paragraph(WHAT)];
    for Group { circumstances, size, column, stores, .. } in &groups {
        let workload = describe_workload(*size, column.records, &column.data);
        let (durability, varying) = (circumstances.durability_label(), varying_among(circumstances, &all));
        for (key, counters) in stores {
            let title = contenders.title(key);
            blocks.push(Block::heading(1, format!("{title} · {workload} · durability {durability}{varying}")));
            blocks.push(Block::paragraph_at(2, describe(counters)));
        }
    }
    Section::titled(SectionId::StoreCounters, "What stores counted themselves", blocks)
}

fn describe(counters: &StoreCounters) -> String {
    let shown = counters.means().map(|(name, mean)| match mean < 10.0 && mean.fract() != 0.0 {
        true => format!("{name} {mean:.1}"),
        false => format!("{name} {}", format_count(mean.round() as u64)),
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() { "nothing but 0".to_owned() } else { shown.join(", ") }
}
