//! Tables of what only some phases or cells have: one for each of them in each circumstance, a row a store, from all its rounds.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::PhaseResult;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use bakeoff_results::verdict::{Column as Workload, Size};

use crate::circumstances::varying_among;
use crate::document::{Block, Cell, Column, Section, SectionId, Table};
use crate::format::describe_workload;
use crate::sections::names::store;

/// A row: what one store's rounds have of it.
pub(crate) trait Row: Default {
    /// What a round has of it: a phase's result, or all of the round.
    type Part;
    /// Which section it is, its title, and what it shows.
    const ID: SectionId;
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

/// The section; `None` unless some round has what it is about.
pub(crate) fn section<R: Row>(run: &Run, contenders: &Contenders) -> Option<Section> {
    let of = rows::<R>(run, contenders);
    let all: Vec<Circumstances> = of.keys().map(|(of, ..)| of.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let mut blocks = Vec::new();
    for ((circumstances, name, size, column), stores) in &of {
        let (durability, varying) = (circumstances.durability_label(), varying_among(circumstances, &all));
        let workload = describe_workload(*size, column.records, &column.data);
        blocks.push(Block::heading(1, format!("{name} · {workload} · durability {durability}{varying}")));
        blocks.push(Block::Table(table(stores, contenders)));
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::paragraph(R::WHAT));
    }
    Section::titled(R::ID, R::TITLE, blocks)
}

/// A row for each of these stores.
fn table<R: Row>(stores: &BTreeMap<&str, R>, contenders: &Contenders) -> Table {
    let columns = R::COLUMNS.iter().map(|title| Column::right(*title));
    let mut table = Table::new(2, std::iter::once(Column::left("store")).chain(columns).collect());
    let mut stores: Vec<(&&str, &R)> = stores.iter().collect();
    stores.sort_by(|(_, a), (_, b)| a.order().total_cmp(&b.order()));
    for (key, row) in stores {
        let name = Cell::from(store(contenders, key));
        table.row(std::iter::once(name).chain(row.cells().into_iter().map(Cell::from)).collect());
    }
    table
}

/// Under which circumstances, what it is called, and on which workload.
type Place = (Circumstances, String, Size, Workload);

type Rows<'a, R> = BTreeMap<Place, BTreeMap<&'a str, R>>;

/// Of cells that never failed, the rows by part and store.
fn rows<'a, R: Row>(run: &Run, contenders: &'a Contenders) -> Rows<'a, R> {
    let mut of: Rows<'_, R> = BTreeMap::new();
    for cell in run.counted() {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes) else { continue };
        for (name, part) in R::parts(cell) {
            let workload = Workload { data: axes.data.clone(), records: axes.records };
            let place =
                (Circumstances::of(axes), name.to_owned(), (axes.value_bytes_min, axes.value_bytes_max), workload);
            of.entry(place).or_default().entry(&contender.key).or_default().add(part);
        }
    }
    of
}
