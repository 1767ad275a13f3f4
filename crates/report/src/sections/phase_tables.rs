//! Tables of what only some phases or cells have: one for each of them in each circumstance, a row a store, from all its rounds.

use std::collections::BTreeSet;

use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::gathered::{Gathered, Group, gather};
use bakeoff_results::run::Run;
use bakeoff_text::or_dash;

use crate::circumstances::varying_among;
use crate::document::{Block, Cell, Column, Section, SectionId, Table};
use crate::format::describe_workload;
use crate::sections::names::store;

/// How one store's rounds are shown in a row.
pub(crate) trait Row: Gathered {
    /// The id of the section, its title, and its explanation.
    const ID: SectionId;
    const TITLE: &str;
    const WHAT: &str;
    /// The titles of the columns, without the store's name.
    const COLUMNS: &[&str];

    /// What a table is of, in its heading.
    fn label(subject: &Self::Subject) -> &str;

    /// The cells of the columns; `None` for an empty cell. Columns that are empty for every store are left out.
    fn cells(&self) -> Vec<Option<String>>;
}

/// The section; `None` unless some round has a row for it.
pub(crate) fn section<R: Row>(run: &Run, contenders: &Contenders) -> Option<Section> {
    let groups: Vec<Group<'_, R>> = gather(run, contenders);
    let all: BTreeSet<Circumstances> = groups.iter().map(|of| of.circumstances.clone()).collect();
    let all: Vec<Circumstances> = all.into_iter().collect();
    let mut blocks = Vec::new();
    for Group { circumstances, subject, size, column, stores } in &groups {
        let (durability, varying) = (circumstances.durability_label(), varying_among(circumstances, &all));
        let workload = describe_workload(*size, column.records, &column.data);
        let name = R::label(subject);
        blocks.push(Block::heading(1, format!("{name} · {workload} · durability {durability}{varying}")));
        blocks.push(Block::Table(table(stores, contenders)));
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::paragraph(R::WHAT));
    }
    Section::titled(R::ID, R::TITLE, blocks)
}

/// A row for each of these stores.
fn table<R: Row>(stores: &[(&str, R)], contenders: &Contenders) -> Table {
    let rows: Vec<(&str, Vec<Option<String>>)> = stores.iter().map(|(key, row)| (*key, row.cells())).collect();
    let is_shown = |at: &usize| rows.iter().any(|(_, cells)| cells[*at].is_some());
    let shown: Vec<usize> = (0..R::COLUMNS.len()).filter(is_shown).collect();
    let columns = shown.iter().map(|at| Column::right(R::COLUMNS[*at]));
    let mut table = Table::new(2, std::iter::once(Column::left("store")).chain(columns).collect());
    for (key, cells) in &rows {
        let figures = shown.iter().map(|at| Cell::from(or_dash(cells[*at].clone(), |figure| figure)));
        table.row(std::iter::once(Cell::from(store(contenders, key))).chain(figures).collect());
    }
    table
}
