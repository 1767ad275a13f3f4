//! The short answer of a search for the highest rates: for each workload a row a store, the highest rate first.

use bakeoff_results::rate_results::{RateResult, rate_results};
use bakeoff_results::rate_search::RateFacts;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, or_dash, printable, rate, time};

use crate::brief::parts::Further;
use crate::document::{Block, Cell, Column, Document, Section, SectionId, Table, Title};
use crate::measured::scope;

/// Workloads that are shown.
const WORKLOADS_MAX: usize = 2;

/// The answer and its tables.
pub(super) fn document(run: &Run, facts: &RateFacts, further: &Further) -> Document {
    let title = |of: &RateResult| printable(run.store_title(&of.search.store));
    let workloads = rate_results(run, facts);
    let first = workloads.first().and_then(|workload| {
        let held = workload.first()?.bracket.held?;
        Some(format!("{} holds the highest rate with {}: {}.", title(&workload[0]), facts.label(), rate(held as f64)))
    });
    let first = first.unwrap_or_else(|| format!("No rate that was tried holds {}.", facts.label()));
    let section = |workload: &Vec<RateResult>| {
        let heads = ["holds at", &facts.bound.percentile, "fails at"].map(Column::right);
        let mut table = Table::new(0, std::iter::once(Column::left("store")).chain(heads).collect());
        for of in workload {
            let rate_at = |at: Option<u64>| or_dash(at, |at| rate(at as f64));
            let figures = [rate_at(of.bracket.held), or_dash(of.held_ns, time), rate_at(of.bracket.failed)];
            table.row(std::iter::once(title(of)).chain(figures).map(Cell::from).collect());
        }
        let search = &workload[0].search;
        let heading = format!("{} · phase {}", search.workload, search.phase);
        Section::new(SectionId::Rates, Title::Shown(heading.into()), vec![Block::Table(table)])
    };
    let mut sections: Vec<Section> = workloads.iter().take(WORKLOADS_MAX).map(section).collect();
    let more = workloads.len().saturating_sub(WORKLOADS_MAX);
    let more = (more > 0).then(|| format!("And {}: {}", counted(more, "more workload"), further.full()));
    let last = more.into_iter().map(Block::paragraph).collect();
    sections.push(Section::new(SectionId::Hint, Title::None, last));
    let lead = [Some(first), Some(scope(run)).filter(|scope| !scope.is_empty())];
    Document { lead: lead.into_iter().flatten().map(Block::paragraph).collect(), sections, ..Document::default() }
}
