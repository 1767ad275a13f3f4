//! Variants set against a baseline: rates as bars, and how many times the baseline's they are.

use std::collections::BTreeSet;

use bakeoff_results::baseline::{Baseline, RateOf, Shares};
use bakeoff_results::contender::Contenders;
use bakeoff_results::record::{SuiteRecord, VariantRecord};
use bakeoff_results::run::Run;
use bakeoff_results::verdict::Table as Rankings;
use bakeoff_stats::TIED_WITHIN;
use bakeoff_text::{digits, rate, ratio};

use crate::document::{Block, Cell, Column, Section, SectionId, Table, Title};
use crate::sections::names;

/// The title where a form shows one.
const TITLE: &str = "Rates, and how many times the baseline's";

const TIED: &str = "= ";
const OPEN: &str = "? ";

/// The bars of every variant, in the suite's order; `None` if the suite names no baseline. Phases that the baseline has not
/// are left out: they prepare.
pub(crate) fn section(run: &Run, tables: &[Rankings], contenders: &Contenders) -> Option<Section> {
    let SuiteRecord { baseline, variants, .. } = &run.record.suite;
    if baseline.is_empty() {
        return None;
    }
    let base = Baseline::new(tables, contenders, baseline);
    let mut blocks: Vec<Block> = other_numbers(run).map(Block::paragraph).into_iter().collect();
    let (mut last, mut shared) = (String::new(), BTreeSet::new());
    for VariantRecord { name: variant, summary } in variants {
        for table in tables.iter().filter(|table| table.circumstances.variant() == Some(variant)) {
            for (measure, field) in base.fields(table) {
                if last != *summary {
                    last.clone_from(summary);
                    blocks.extend((!blocks.is_empty()).then_some(Block::Gap));
                    blocks.push(Block::heading(0, last.as_str()));
                }
                blocks.push(Block::heading(0, measure.label()));
                let rates = base.rates(table, measure, field, contenders);
                shared.extend(rates.iter().filter_map(|of| of.shares));
                blocks.push(Block::Table(bars(&rates, contenders)));
            }
        }
    }
    let meanings = [
        (Shares::Tied, format!("=: as good as the best, within {TIED_WITHIN}×.")),
        (Shares::Open, "?: these rounds do not show which is better.".to_owned()),
    ];
    let meant: Vec<String> = meanings.into_iter().filter(|(of, _)| shared.contains(of)).map(|(_, of)| of).collect();
    if !meant.is_empty() {
        blocks.extend([Block::Gap, Block::paragraph(meant.join(" "))]);
    }
    Some(Section::new(SectionId::Bars, Title::Implied(TITLE.into()), blocks))
}

/// Headings are the suite's. If the numbers of a run differ, a note above them says so once.
fn other_numbers(run: &Run) -> Option<String> {
    let SuiteRecord { numbers_given: given, scale, .. } = &run.record.suite;
    let mut parts = Vec::new();
    if let Some(scale) = scale {
        let part = digits(scale * 100.0);
        parts.push(format!("of its records, operations and batches this run has {part} %, each rounded, one at least"));
    }
    if !given.is_empty() {
        parts.push(format!("this run was given {}", given.join(" and ")));
    }
    (!parts.is_empty()).then(|| format!("Numbers in headings are the whole suite's: {}.", parts.join("; ")))
}

/// The sign before a ratio if its store shares the first place, or may.
fn mark(shares: Shares) -> &'static str {
    match shares {
        Shares::Tied => TIED,
        Shares::Open => OPEN,
    }
}

fn bars(rates: &[RateOf], contenders: &Contenders) -> Table {
    let largest = rates.iter().filter_map(|of| of.per_second).fold(0.0, f64::max);
    let indent = if rates.iter().any(|of| of.shares.is_some()) { "  " } else { "" };
    let mut table = Table::new(0, vec![Column::left(""), Column::right(""), Column::left(""), Column::left("")]);
    for of in rates {
        let name = Cell::from(names::store(contenders, of.key));
        let Some(per_second) = of.per_second else {
            table.row(vec![name, Cell::from("failed")]);
            continue;
        };
        let against = of.times.map_or_else(String::new, |times| format!("({} baseline)", ratio(times)));
        // The other rows of the field have the same indent.
        let mark = of.shares.map_or(indent, mark);
        let part = if largest > 0.0 { per_second / largest } else { 0.0 };
        table.row(vec![name, Cell::from(rate(per_second)), Cell::Bar(part), Cell::from(format!("{mark}{against}"))]);
    }
    table
}
