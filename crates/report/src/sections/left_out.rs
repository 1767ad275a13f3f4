//! What the plan skipped, and what there was no time for.

use bakeoff_results::omission::Omission;
use bakeoff_results::run::Run;

use crate::document::{Block, Fold, Item, List, Section, SectionId};

/// Entries that are shown unasked.
const SHOWN: usize = 5;

/// The sections that have something to say.
pub(crate) fn sections(run: &Run) -> Vec<Section> {
    let of = |id, title, omissions: &[Omission]| {
        let items: Vec<Item> = omissions.iter().map(|of| Item::text(format!("{}: {}", of.what, of.why))).collect();
        let fold = Fold::after(SHOWN, items.len(), "`--full` lists all");
        let blocks = if items.is_empty() { Vec::new() } else { vec![Block::List(List { items, fold })] };
        Section::titled(id, title, blocks)
    };
    let skipped = of(SectionId::Skipped, "Skipped", &run.record.skipped);
    skipped.into_iter().chain(of(SectionId::GivenUp, "Given up", &run.record.given_up)).collect()
}
