//! Undisturbed and disturbed side by side, for each medium.

use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::disturbed::disturbed;
use bakeoff_results::verdict::Table;
use bakeoff_text::ratio;

use crate::detail::Detail;
use crate::document::{Block, Section, SectionId};
use crate::sections::pairs::{self, Sides};

/// A table for each table of disturbed cells that has an undisturbed counterpart; `None` if there is none.
pub(crate) fn section(tables: &[Table], contenders: &Contenders, detail: Detail) -> Option<Section> {
    let mut blocks = Vec::new();
    for of in disturbed(tables) {
        let pairs = of.pairs(contenders);
        if pairs.is_empty() {
            continue;
        }
        let sides = Sides::of((of.undisturbed, contenders), (of.disturbed, contenders));
        let headings = ["best undisturbed", "best disturbed", "worse"];
        let table = pairs::table(&pairs, &sides, headings, f64::recip, detail == Detail::Full);
        let worse = "worse: how many times worse the best disturbed is (below 1 it is better)";
        let legend = [sides.legend(&pairs), vec![worse.to_owned()]].concat();
        let slowdown = |(key, times): (&str, f64)| format!("{} {}", contenders.title(key), ratio(times));
        let slower = of.slowdowns().into_iter().map(slowdown).collect::<Vec<_>>().join(", ");
        blocks.extend([
            Block::Gap,
            Block::heading(0, heading(&of.disturbed.circumstances)),
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
