//! Tables of what only some phases have: one for each phase in each circumstance, a row a store, from all its rounds.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::PhaseResult;

use crate::contender::Contenders;
use crate::format::{count, printable, size_range};
use crate::results::failed_cells;
use crate::run::Run;
use crate::sections::section;
use crate::table::{Side, Text, TextTable, paragraph};
use crate::terminal::varying_among;
use crate::verdict::{Circumstances, circumstances};

/// A row: one store's rounds of one phase.
pub(crate) trait PhaseRow: Default {
    /// What the section is called, and what is in it.
    const TITLE: &str;
    const WHAT: &str;
    /// What stands above the columns, the store's name left out.
    const COLUMNS: &[&str];

    /// Whether a phase has what this is about.
    fn concerns(phase: &PhaseResult) -> bool;

    /// Adds a round of such a phase.
    fn add(&mut self, phase: &PhaseResult);

    /// What stands in the columns.
    fn cells(&self) -> Vec<String>;
}

/// The section; empty unless some phase has what it is about.
pub(crate) fn render<Row: PhaseRow>(run: &Run, contenders: &Contenders, width: usize, color: bool) -> String {
    let of = rows::<Row>(run, contenders);
    if of.is_empty() {
        return String::new();
    }
    let all: Vec<Circumstances> = of.keys().map(|(of, _)| of.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let mut out = paragraph(Row::WHAT, width, "", "");
    for ((circumstances, words), stores) in &of {
        let heading =
            format!("{words} · durability {}{}", circumstances.durability_words(), varying_among(circumstances, &all));
        out.push_str(&paragraph(&printable(&heading), width, "  ", "    "));
        let columns = Row::COLUMNS;
        let mut table = TextTable::new([Side::Left].into_iter().chain(columns.iter().map(|_| Side::Right)).collect());
        table.row(["    store"].iter().chain(columns).map(|head| Text::plain(*head)).collect());
        for (key, row) in stores {
            let title = format!("    {}", contenders.title(key));
            table.row(std::iter::once(title).chain(row.cells()).map(Text::plain).collect());
        }
        out.push_str(&table.render(width, color));
    }
    section(Row::TITLE, &out)
}

type Rows<'a, Row> = BTreeMap<(Circumstances, String), BTreeMap<&'a str, Row>>;

/// Of cells that never failed, the rows by phase and store.
fn rows<'a, Row: PhaseRow>(run: &Run, contenders: &'a Contenders) -> Rows<'a, Row> {
    let failed = failed_cells(&run.cells);
    let mut of: Rows<'_, Row> = BTreeMap::new();
    for cell in run.cells.iter().filter(|cell| !failed.contains(cell.end.cell.as_str())) {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes) else { continue };
        let sizes = size_range(axes.value_bytes_min, axes.value_bytes_max);
        for result in cell.phases.iter().map(|phase| &phase.result).filter(|result| Row::concerns(result)) {
            let words = format!("{} · {sizes} × {} {}", result.phase, count(axes.records), axes.data);
            of.entry((circumstances(axes), words)).or_default().entry(&contender.key).or_default().add(result);
        }
    }
    of
}
