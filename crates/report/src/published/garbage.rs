//! Garbage that a Java program allocated and collected, in a publication and in a run.

use bakeoff_results::published::Published;
use bakeoff_results::published::garbage::{Garbage, Line, of};
use bakeoff_results::run::Run;
use bakeoff_text::{digits, or_dash};

use crate::document::{Block, Cell, Column, Section, SectionId, Table};

const WHAT: &str = "By JMH's names (-prof gc). Then they were of a measurement with a collector of its time, whose parts of the heap have its names; now of the phase, with \
    the collector that the JVM chooses: rates are by the time of the operations, churn by that of the whole phase. Counts and times are sums over \
    all that was measured, so that only a collection's mean time can be set beside another. Means of all rounds.";

/// The section; `None` unless the publication has such figures of phases that the run has too.
pub(crate) fn section(run: &Run, published: &Published) -> Option<Section> {
    let all = of(run, published);
    let blocks = all.iter().flat_map(|of| [Block::heading(1, heading(of)), Block::Table(table(&of.lines))]);
    let what = (!all.is_empty()).then(|| Block::paragraph(WHAT));
    Section::titled(SectionId::Garbage, "Garbage, then and now", what.into_iter().chain(blocks).collect())
}

fn heading(of: &Garbage) -> String {
    let Garbage { circumstances, store, phase, .. } = of;
    let variant = circumstances.variant().map_or_else(String::new, |variant| format!(" · variant {variant}"));
    let threads = circumstances.threads();
    let threads = if threads == 1 { String::new() } else { format!(", {threads} threads") };
    format!("{phase} · {store}{variant}{threads}")
}

fn table(lines: &[Line]) -> Table {
    let mut table =
        Table::new(2, vec![Column::left(""), Column::right("then"), Column::right("now"), Column::left("")]);
    for Line { name, then, now, unit } in lines {
        let cells = [(*name).to_owned(), or_dash(*then, digits), or_dash(*now, digits), (*unit).to_owned()];
        table.row(cells.map(Cell::from).into());
    }
    table
}
