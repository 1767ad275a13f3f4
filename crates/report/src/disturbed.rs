//! Undisturbed and disturbed side by side, for each medium.

use std::collections::BTreeMap;

use bakeoff_stats::geometric_mean;
use bakeoff_text::{paragraph, printable, ratio};

use crate::contender::Contenders;
use crate::figures::Measure;
use crate::pairs::{Sides, lay_out, pairs};
use crate::rounds::Rounds;
use crate::sections;
use crate::terminal::{TerminalOptions, WIDTH_MIN};
use crate::verdict::{Circumstances, Table};

/// The section of a report; empty if nothing was measured both ways.
pub(crate) fn section(tables: &[Table], contenders: &Contenders, options: &TerminalOptions) -> String {
    sections::section("Undisturbed and disturbed, side by side", &render(tables, contenders, options))
}

/// A table for each table of disturbed cells that has an undisturbed counterpart; empty if there is none.
fn render(tables: &[Table], contenders: &Contenders, options: &TerminalOptions) -> String {
    let (mut out, width) = (String::new(), options.width.max(WIDTH_MIN));
    for disturbed in tables.iter().filter(|table| table.circumstances.disturbance.is_some()) {
        let calm = Circumstances { disturbance: None, ..disturbed.circumstances.clone() };
        let Some(undisturbed) = tables.iter().find(|table| table.circumstances == calm) else { continue };
        let pairs = pairs(undisturbed, disturbed);
        if pairs.is_empty() {
            continue;
        }
        let sides = Sides::of((undisturbed, contenders), (disturbed, contenders));
        out.push_str(&format!("\n{}\n", heading(&disturbed.circumstances)));
        let headings = ["best undisturbed", "best disturbed", "worse"];
        out.push_str(&lay_out(&pairs, &sides, headings, f64::recip, options.full).render(width, options.color));
        let worse = "worse: how many times worse the best disturbed is (below 1 it is better)";
        let legend = [sides.legend(&pairs), vec![worse.to_owned()]].concat();
        out.push_str(&paragraph(&legend.join(" · "), width, "", ""));
        let words = slowdowns(undisturbed, disturbed, contenders);
        out.push_str(&paragraph(&format!("Mean time disturbed, undisturbed being 1: {words}"), width, "", ""));
    }
    out
}

fn heading(of: &Circumstances) -> String {
    let by = of.disturbance.as_deref().unwrap_or_default();
    let variant = of.variant.as_ref().map_or_else(String::new, |variant| format!(" · variant {}", printable(variant)));
    let durability = of.durability.map_or("as set, UNEQUAL", |class| class.name());
    printable(&format!("Disturbed by {by}{variant} · medium {} · durability {durability}", of.medium))
}

/// For each store the geometric mean, over all comparisons, of its mean time disturbed by undisturbed.
fn slowdowns(undisturbed: &Table, disturbed: &Table, contenders: &Contenders) -> String {
    let mut ratios: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for (place, field) in
        undisturbed.fields.iter().filter(|((measure, _, _), _)| matches!(measure, Measure::Time { .. }))
    {
        let Some(other) = disturbed.fields.get(place) else { continue };
        for (key, rounds) in &field.rounds {
            let means = (rounds.mean(), other.rounds.get(key).and_then(Rounds::mean));
            if let (Some(before), Some(after)) = means
                && before > 0.0
            {
                ratios.entry(key).or_default().push(after / before);
            }
        }
    }
    let words = ratios
        .iter()
        .filter_map(|(key, ratios)| Some(format!("{} {}", contenders.title(key), ratio(geometric_mean(ratios)?))));
    words.collect::<Vec<_>>().join(", ")
}
