//! Variants set against a baseline: rates as bars, and how many times the baseline's they are.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::record::{SuiteRecord, VariantRecord};
use bakeoff_results::run::Run;
use bakeoff_results::verdict::{Field, Table as Rankings};
use bakeoff_stats::{Rounds, Standing, TIED_WITHIN, Verdict};
use bakeoff_text::{digits, rate, ratio};

use crate::document::{Block, Cell, Column, Section, SectionId, Table, Text, Title};
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
    let base = rates_of(tables, contenders, baseline);
    let mut blocks: Vec<Block> = other_numbers(run).map(Block::paragraph).into_iter().collect();
    let (mut last, mut marks) = (String::new(), BTreeSet::new());
    for VariantRecord { name: variant, summary } in variants {
        for table in tables.iter().filter(|table| table.circumstances.variant() == Some(variant)) {
            // A run cut short may have no baseline: then everything is shown, without ratios.
            let is_shown = |measure: &Measure| base.is_empty() || base.keys().any(|(of, _)| of == measure);
            for (measure, field) in fields(table).filter(|(measure, _)| is_shown(measure)) {
                if last != *summary {
                    last.clone_from(summary);
                    blocks.extend((!blocks.is_empty()).then_some(Block::Gap));
                    blocks.push(Block::heading(0, last.as_str()));
                }
                blocks.push(Block::heading(0, measure.label()));
                let is_base = baseline.contains(variant);
                let rows = rows(table, field, contenders);
                marks.extend(rows.iter().filter_map(|row| row.mark));
                blocks.push(Block::Table(bars(&rows, measure, if is_base { None } else { Some(&base) })));
            }
        }
    }
    let meanings = [
        (TIED, format!("=: as good as the best, within {TIED_WITHIN}×.")),
        (OPEN, "?: these rounds cannot tell them apart.".to_owned()),
    ];
    let meant: Vec<String> = meanings.into_iter().filter(|(mark, _)| marks.contains(mark)).map(|(_, of)| of).collect();
    if !meant.is_empty() {
        blocks.extend([Block::Gap, Block::paragraph(meant.join(" "))]);
    }
    Some(Section::new(SectionId::Bars, Title::Implied(TITLE.into()), blocks))
}

/// Headings are the suite's: what a run of other numbers did is said once, above them.
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

/// A store's line: store, name, rate; the rate is absent where it failed.
struct Row<'a> {
    store: &'a str,
    name: Text,
    per_second: Option<f64>,
    /// What stands before its ratio if it shares the first place, or may.
    mark: Option<&'static str>,
}

fn rows<'a>(table: &Rankings, field: &'a Field, contenders: &'a Contenders) -> Vec<Row<'a>> {
    let mark = |key: &String| {
        let ranking = field.ranking.as_ref()?;
        let place = ranking.order.iter().find(|place| place.name == *key)?;
        match place.standing {
            Standing::Undecided => Some(OPEN),
            Standing::Best | Standing::Tied if ranking.tied.len() > 1 => Some(TIED),
            Standing::Best if ranking.verdict == Verdict::Undecided => Some(OPEN),
            _ => None,
        }
    };
    let row = |key: &'a String, per_second| Row {
        store: contenders.store(key),
        name: names::store(contenders, key),
        per_second,
        mark: mark(key),
    };
    let measured = field.rounds.iter().map(|(key, rounds)| row(key, per_second(table, rounds)));
    let failed = field.failed.iter().filter(|key| !field.rounds.contains_key(*key)).map(|key| row(key, None));
    measured.chain(failed).collect()
}

fn bars(rows: &[Row], measure: &Measure, base: Option<&Rates>) -> Table {
    let largest = rows.iter().filter_map(|row| row.per_second).fold(0.0, f64::max);
    let indent = if rows.iter().any(|row| row.mark.is_some()) { "  " } else { "" };
    let mut table = Table::new(0, vec![Column::left(""), Column::right(""), Column::left(""), Column::left("")]);
    for row in rows {
        let Some(per_second) = row.per_second else {
            table.row(vec![Cell::from(row.name.clone()), Cell::from("failed")]);
            continue;
        };
        let before = base.and_then(|base| base.get(&(measure.clone(), row.store.to_owned())));
        let against = before.map_or_else(String::new, |before| format!("({} baseline)", ratio(per_second / before)));
        // Others of the field are indented as much.
        let mark = row.mark.unwrap_or(indent);
        let part = if largest > 0.0 { per_second / largest } else { 0.0 };
        table.row(vec![
            Cell::from(row.name.clone()),
            Cell::from(rate(per_second)),
            Cell::Bar(part),
            Cell::from(format!("{mark}{against}")),
        ]);
    }
    table
}

/// Rates by measure and store.
type Rates = BTreeMap<(Measure, String), f64>;

fn rates_of(tables: &[Rankings], contenders: &Contenders, variants: &[String]) -> Rates {
    let mut rates = Rates::new();
    let of = |table: &&Rankings| {
        table.circumstances.variant().is_some_and(|variant| variants.iter().any(|of| of == variant))
    };
    for table in tables.iter().filter(of) {
        for (measure, field) in fields(table) {
            for (key, rounds) in &field.rounds {
                if let Some(rate) = per_second(table, rounds) {
                    rates.entry((measure.clone(), contenders.store(key).to_owned())).or_insert(rate);
                }
            }
        }
    }
    rates
}

fn fields(table: &Rankings) -> impl Iterator<Item = (&Measure, &Field)> {
    let of = move |measure| table.fields.iter().filter(move |((other, _, _), _)| other == measure);
    table
        .measures
        .iter()
        .filter(|measure| measure.is_time())
        .flat_map(of)
        .map(|((measure, _, _), field)| (measure, field))
}

/// Operations (for scans entries) a second, all threads together, from the typical round.
fn per_second(table: &Rankings, rounds: &Rounds) -> Option<f64> {
    let centre_ns = rounds.centre().filter(|centre| *centre > 0.0)?;
    Some(1e9 * table.circumstances.threads() as f64 / centre_ns)
}
