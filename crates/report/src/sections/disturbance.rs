//! Undisturbed and disturbed side by side, for each medium.

use std::collections::BTreeMap;

use bakeoff_protocol::DISTURBANCE;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::verdict::Table;
use bakeoff_results::winners::pairs;
use bakeoff_stats::{Rounds, geometric_mean};
use bakeoff_text::ratio;

use crate::detail::Detail;
use crate::document::{Block, Section, SectionId};
use crate::sections::pairs::{self, Sides};

/// A table for each table of disturbed cells that has an undisturbed counterpart; `None` if there is none.
pub(crate) fn section(tables: &[Table], contenders: &Contenders, detail: Detail) -> Option<Section> {
    let mut blocks = Vec::new();
    for disturbed in tables.iter().filter(|table| table.circumstances.disturbance().is_some()) {
        let calm = disturbed.circumstances.clone().without(&DISTURBANCE);
        let Some(undisturbed) = tables.iter().find(|table| table.circumstances == calm) else { continue };
        let (left, right) = ((undisturbed, contenders), (disturbed, contenders));
        let pairs = pairs(left, right);
        if pairs.is_empty() {
            continue;
        }
        let sides = Sides::of(left, right);
        let headings = ["best undisturbed", "best disturbed", "worse"];
        let table = pairs::table(&pairs, &sides, headings, f64::recip, detail == Detail::Full);
        let worse = "worse: how many times worse the best disturbed is (below 1 it is better)";
        let legend = [sides.legend(&pairs), vec![worse.to_owned()]].concat();
        let slower = slowdowns(undisturbed, disturbed, contenders);
        blocks.extend([
            Block::Gap,
            Block::heading(0, heading(&disturbed.circumstances)),
            Block::Table(table),
            Block::paragraph(legend.join(" · ")),
            Block::paragraph(format!("Mean time disturbed, undisturbed being 1: {slower}")),
        ]);
    }
    Section::titled(SectionId::Disturbance, "Undisturbed and disturbed, side by side", blocks)
}

fn heading(of: &Circumstances) -> String {
    let by = of.disturbance().unwrap_or_default();
    let variant = of.variant().map_or_else(String::new, |variant| format!(" · variant {variant}"));
    let durability = of.durability().map_or("as set, UNEQUAL", |class| class.name());
    format!("Disturbed by {by}{variant} · medium {} · durability {durability}", of.medium())
}

/// For each store the geometric mean, over all comparisons, of its mean time disturbed by undisturbed.
fn slowdowns(undisturbed: &Table, disturbed: &Table, contenders: &Contenders) -> String {
    let mut ratios: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for (place, field) in undisturbed.fields.iter().filter(|((measure, _, _), _)| measure.is_time()) {
        let Some(other) = disturbed.fields.get(place) else { continue };
        for (key, rounds) in &field.rounds {
            let centres = (rounds.centre(), other.rounds.get(key).and_then(Rounds::centre));
            if let (Some(before), Some(after)) = centres
                && before > 0.0
            {
                ratios.entry(key).or_default().push(after / before);
            }
        }
    }
    let each = |(key, ratios): (&&String, &Vec<f64>)| {
        Some(format!("{} {}", contenders.title(key), ratio(geometric_mean(ratios)?)))
    };
    ratios.iter().filter_map(each).collect::<Vec<_>>().join(", ")
}
