//! Tables of what only some phases or cells have: one for each of them in each circumstance, a row a store, from all its rounds.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::PhaseResult;

use crate::contender::Contenders;
use crate::format::{printable, workload_of};
use crate::results::{CellRound, failed_cells};
use crate::run::Run;
use crate::sections::section;
use crate::table::{Side, Text, TextTable, paragraph};
use crate::terminal::varying_among;
use crate::verdict::{Circumstances, circumstances};

/// A row: what one store's rounds have of it.
pub(crate) trait Row: Default {
    /// What a round has of it: a phase's result, or all of the round.
    type Part;
    /// What the section is called, and what is in it.
    const TITLE: &str;
    const WHAT: &str;
    /// What stands above the columns, the store's name left out.
    const COLUMNS: &[&str];

    /// What a round has of it, each with what it is called in the heading.
    fn parts(cell: &CellRound) -> Vec<(&str, &Self::Part)>;

    /// Adds a round's part.
    fn add(&mut self, part: &Self::Part);

    /// What stands in the columns.
    fn cells(&self) -> Vec<String>;

    /// Rows stand in this figure's order, the least first, and by name where it is the same.
    fn order(&self) -> f64 {
        0.0
    }
}

/// The results of those phases that have what a row is about, with their names.
pub(crate) fn phases_that(cell: &CellRound, concerns: fn(&PhaseResult) -> bool) -> Vec<(&str, &PhaseResult)> {
    let results = cell.phases.iter().map(|phase| &phase.result);
    results.filter(|result| concerns(result)).map(|result| (result.phase.as_str(), result)).collect()
}

/// The section; empty unless some round has what it is about.
pub(crate) fn render<R: Row>(run: &Run, contenders: &Contenders, width: usize, color: bool) -> String {
    let of = rows::<R>(run, contenders);
    if of.is_empty() {
        return String::new();
    }
    let all: Vec<Circumstances> = of.keys().map(|(of, _)| of.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let mut out = paragraph(R::WHAT, width, "", "");
    for ((circumstances, words), stores) in &of {
        let heading =
            format!("{words} · durability {}{}", circumstances.durability_words(), varying_among(circumstances, &all));
        out.push_str(&paragraph(&printable(&heading), width, "  ", "    "));
        let columns = R::COLUMNS;
        let mut table = TextTable::new([Side::Left].into_iter().chain(columns.iter().map(|_| Side::Right)).collect());
        table.row(["    store"].iter().chain(columns).map(|head| Text::plain(*head)).collect());
        let mut stores: Vec<(&&str, &R)> = stores.iter().collect();
        stores.sort_by(|(_, a), (_, b)| a.order().total_cmp(&b.order()));
        for (key, row) in stores {
            let title = format!("    {}", contenders.title(key));
            table.row(std::iter::once(title).chain(row.cells()).map(Text::plain).collect());
        }
        out.push_str(&table.render(width, color));
    }
    section(R::TITLE, &out)
}

type Rows<'a, R> = BTreeMap<(Circumstances, String), BTreeMap<&'a str, R>>;

/// Of cells that never failed, the rows by part and store.
fn rows<'a, R: Row>(run: &Run, contenders: &'a Contenders) -> Rows<'a, R> {
    let failed = failed_cells(&run.cells);
    let mut of: Rows<'_, R> = BTreeMap::new();
    for cell in run.cells.iter().filter(|cell| !failed.contains(cell.end.cell.as_str())) {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes) else { continue };
        for (name, part) in R::parts(cell) {
            let words = format!("{name} · {}", workload_of(axes));
            of.entry((circumstances(axes), words)).or_default().entry(&contender.key).or_default().add(part);
        }
    }
    of
}
