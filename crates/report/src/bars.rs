//! Variants set against a baseline: rates as bars, and how many times the baseline's they are.

use std::collections::BTreeMap;

use bakeoff_stats::Verdict;
use bakeoff_text::{Side, Text, TextTable, digits, paragraph, printable, rate, ratio};
use serde_json::Value;

use crate::contender::Contenders;
use crate::figures::Measure;
use crate::matrix::measure_label;
use crate::pairs::store;
use crate::rounds::Rounds;
use crate::run::Run;
use crate::verdict::{Field, Table};

/// Columns of the longest bar.
const BAR: usize = 30;

const TIED_MEANS: &str = "=: these rounds cannot tell them apart.";

/// The bars of every variant, in the suite's order; `None` if the suite names no baseline. Phases that the baseline has not
/// are left out: they prepare.
pub(crate) fn render(
    run: &Run,
    tables: &[Table],
    contenders: &Contenders,
    width: usize,
    color: bool,
) -> Option<String> {
    let names = |value: Option<&Value>| -> Vec<String> {
        let list = value.and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
    };
    let suite = run.info.get("suite")?;
    let baseline = names(suite.get("baseline"));
    if baseline.is_empty() {
        return None;
    }
    let base = rates_of(tables, &baseline);
    let mut out = other_numbers(run, width);
    let (mut last, mut any_tied) = (String::new(), false);
    for variant in suite.get("variants").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| variant.get(key).and_then(Value::as_str).unwrap_or_default();
        for table in tables.iter().filter(|table| table.circumstances.variant.as_deref() == Some(text("name"))) {
            // A run cut short may have no baseline: then everything is shown, without ratios.
            let is_shown = |measure: &Measure| base.is_empty() || base.keys().any(|(of, _)| of == measure);
            for (measure, field) in fields(table).filter(|(measure, _)| is_shown(measure)) {
                if last != text("summary") {
                    last = text("summary").to_owned();
                    out.push_str(&format!("\n{}\n", printable(&last)));
                }
                out.push_str(&printable(&measure_label(measure)));
                out.push('\n');
                let is_base = baseline.iter().any(|name| name == text("name"));
                let rows = rows(table, field, contenders);
                any_tied |= rows.iter().any(|row| row.is_tied);
                out.push_str(&lay_out(&rows, measure, if is_base { None } else { Some(&base) }).render(width, color));
            }
        }
    }
    if any_tied {
        out.push('\n');
        out.push_str(&paragraph(TIED_MEANS, width, "", ""));
    }
    Some(out)
}

/// Headings are the suite's: what a run of other numbers did is said once, above them.
fn other_numbers(run: &Run, width: usize) -> String {
    let suite = &run.info["suite"];
    let given: Vec<_> = suite["numbers_given"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut words = Vec::new();
    if let Some(scale) = suite["scale"].as_f64() {
        let part = digits(scale * 100.0);
        words.push(format!("of its records, operations and batches this run has {part} %, each rounded, one at least"));
    }
    if !given.is_empty() {
        words.push(format!("this run was given {}", given.join(" and ")));
    }
    if words.is_empty() {
        return String::new();
    }
    let words = format!("Numbers in headings are the whole suite's: {}.", words.join("; "));
    format!("\n{}", paragraph(&printable(&words), width, "", ""))
}

/// A store's line: key, title, style, rate; the rate is absent where it failed.
struct Row {
    key: String,
    title: Text,
    per_second: Option<f64>,
    /// It shares the first place.
    is_tied: bool,
}

fn rows(table: &Table, field: &Field, contenders: &Contenders) -> Vec<Row> {
    let tied = match &field.ranking {
        Some(ranking) if ranking.verdict == Verdict::Tie => ranking.tied.as_slice(),
        _ => &[],
    };
    let row = |key: &String, per_second| {
        let style =
            contenders.get(key).map_or_else(anstyle::Style::new, |contender| crate::colours::style(contender.slot));
        let title = Text::default().and(contenders.title(key), style);
        Row { key: key.clone(), title, per_second, is_tied: tied.contains(key) }
    };
    let measured = field.rounds.iter().map(|(key, rounds)| row(key, per_second(table, rounds)));
    let failed = field.failed.iter().filter(|key| !field.rounds.contains_key(*key)).map(|key| row(key, None));
    measured.chain(failed).collect()
}

fn lay_out(rows: &[Row], measure: &Measure, base: Option<&Rates>) -> TextTable {
    let largest = rows.iter().filter_map(|row| row.per_second).fold(0.0, f64::max);
    let indent = if rows.iter().any(|row| row.is_tied) { "  " } else { "" };
    let mut table = TextTable::new(vec![Side::Left, Side::Right, Side::Left, Side::Left]);
    for row in rows {
        let Some(per_second) = row.per_second else {
            table.row(vec![row.title.clone(), Text::plain("failed")]);
            continue;
        };
        let before = base.and_then(|base| base.get(&(measure.clone(), store(&row.key).to_owned())));
        let against = before.map_or_else(String::new, |before| format!("({} baseline)", ratio(per_second / before)));
        // Others of the field are indented as much.
        let tied = if row.is_tied { "= " } else { indent };
        let length = if largest > 0.0 { (per_second / largest * BAR as f64).round() as usize } else { 0 };
        // Too little for a block is still something.
        let bar = if length == 0 { "▏".to_owned() } else { "█".repeat(length) };
        let bar = format!("{bar}{}", " ".repeat(BAR.saturating_sub(length.max(1))));
        table.row(vec![
            row.title.clone(),
            Text::plain(rate(per_second)),
            Text::plain(bar),
            Text::plain(format!("{tied}{against}")),
        ]);
    }
    table
}

/// Rates by measure and store.
type Rates = BTreeMap<(Measure, String), f64>;

fn rates_of(tables: &[Table], variants: &[String]) -> Rates {
    let mut rates = Rates::new();
    let of = |table: &&Table| table.circumstances.variant.as_ref().is_some_and(|variant| variants.contains(variant));
    for table in tables.iter().filter(of) {
        for (measure, field) in fields(table) {
            for (key, rounds) in &field.rounds {
                if let Some(rate) = per_second(table, rounds) {
                    rates.entry((measure.clone(), store(key).to_owned())).or_insert(rate);
                }
            }
        }
    }
    rates
}

fn fields(table: &Table) -> impl Iterator<Item = (&Measure, &Field)> {
    let is_time = |measure: &Measure| matches!(measure, Measure::Time { .. });
    let of = move |measure| table.fields.iter().filter(move |((other, _, _), _)| other == measure);
    table
        .measures
        .iter()
        .filter(move |measure| is_time(measure))
        .flat_map(of)
        .map(|((measure, _, _), field)| (measure, field))
}

/// Operations (for scans entries) a second, all threads together, from mean times.
fn per_second(table: &Table, rounds: &Rounds) -> Option<f64> {
    let mean_ns = rounds.mean().filter(|mean| *mean > 0.0)?;
    Some(1e9 * f64::from(table.circumstances.threads) / mean_ns)
}
