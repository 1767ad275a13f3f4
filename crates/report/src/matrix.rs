//! The papers' matrix: a row for each measure and record size, a column for each data type and number of records, in each
//! field the best store or those that cannot be told apart.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::Style;
use bakeoff_stats::{Ranking, Verdict};
use bakeoff_text::{
    Side, Text, TextTable, bytes, format_count, format_size_range, paragraph, percent, printable, time,
};

use crate::contender::Contenders;
use crate::figures::Measure;
use crate::verdict::{Column, Field, Size, Table};

/// Names of tied stores in a field; the others are counted.
const NAMES_MAX: usize = 3;

/// What the measures of a run are.
pub(crate) const MEASURES_OF_RUNS: &str = "times are means per operation (scans: per entry; batched writes: their commits included) · space efficiency: bytes of keys and values \
     per byte on disk after closing · peak memory: above the empty store's";

/// A matrix as text, at most this wide: whole if it fits, else with shorter names, else one data type after the other, else
/// as many columns at a time as fit.
///
/// `meaning` says what the measures are, in the legend below it.
pub(crate) fn render(table: &Table, contenders: &Contenders, meaning: &str, width: usize, color: bool) -> String {
    let whole: Vec<Column> = table.columns().into_iter().collect();
    let types: Vec<Vec<Column>> = whole.chunk_by(|a, b| a.data == b.data).map(<[Column]>::to_vec).collect();
    let names = Names::of(table, contenders);
    let mut attempts = vec![(vec![whole.clone()], &names.full)];
    let widest = types.iter().map(Vec::len).max().unwrap_or(1);
    // Parts of equal length read better than a full row and a rest.
    for parts in 1..=widest {
        let split: Vec<Vec<Column>> =
            types.iter().flat_map(|columns| columns.chunks(columns.len().div_ceil(parts))).map(<[_]>::to_vec).collect();
        attempts.push((split.clone(), &names.full));
        attempts.push((split, &names.short));
    }
    let singles: Vec<Vec<Column>> = whole.iter().map(|column| vec![column.clone()]).collect();
    let fitting = attempts.iter().find_map(|(parts, names)| {
        let tables: Vec<TextTable> = parts.iter().map(|columns| lay_out(table, columns, names, contenders)).collect();
        tables.iter().all(|table| table.width() <= width).then_some((tables, *names))
    });
    let (tables, used) = fitting.unwrap_or_else(|| {
        (singles.iter().map(|columns| lay_out(table, columns, &names.code, contenders)).collect(), &names.code)
    });
    let rendered: Vec<String> = tables.into_iter().map(|table| table.render(width, color)).collect();
    rendered.join("\n") + &legend(table, used, contenders, meaning, width)
}

/// What stores are called in fields.
pub(crate) struct Names {
    full: BTreeMap<String, String>,
    /// First words, with the class where that is part of the name.
    pub(crate) short: BTreeMap<String, String>,
    code: BTreeMap<String, String>,
}

impl Names {
    /// The names of everyone in a table.
    pub(crate) fn of(table: &Table, contenders: &Contenders) -> Self {
        let full: BTreeMap<String, String> =
            table.present.iter().map(|key| (key.clone(), contenders.title(key))).collect();
        let first_word = |title: &str| title.split(' ').next().unwrap_or(title).to_owned();
        let shared = |word: &str| full.values().filter(|title| first_word(title) == word).count() > 1;
        // A class behind the name, as in `Berkeley DB (none)`, must not get lost: its first letters stay.
        let class = |title: &str| {
            let class = title.rsplit_once(" (").map_or("", |(_, class)| class.trim_end_matches(')'));
            let known = bakeoff_protocol::Durability::ALL.iter().any(|each| each.name() == class);
            if known { format!("({})", &class[..2]) } else { String::new() }
        };
        let short = full.iter().map(|(key, title)| {
            let word = first_word(title);
            (key.clone(), if shared(&word) { title.clone() } else { word + &class(title) })
        });
        let short = short.collect();
        let code = full.keys().enumerate().map(|(index, key)| (key.clone(), format!("S{}", index + 1))).collect();
        Self { full, short, code }
    }
}

fn lay_out(table: &Table, columns: &[Column], names: &BTreeMap<String, String>, contenders: &Contenders) -> TextTable {
    let mut layout = TextTable::new(vec![Side::Left; columns.len() + 2]);
    let mut data = vec![Text::default(), Text::plain("values")];
    let mut records = vec![Text::default(), Text::plain("records")];
    for (index, column) in columns.iter().enumerate() {
        let repeated = index > 0 && columns[index - 1].data == column.data;
        data.push(Text::plain(if repeated { String::new() } else { printable(&column.data) }));
        // A publication may not say how many.
        records.push(Text::plain(if column.records == 0 { String::new() } else { format_count(column.records) }));
    }
    layout.row(data);
    layout.row(records);
    // A publication may not say how long either, and then says nothing of the data.
    let says_sizes = columns.iter().any(|column| !column.data.is_empty());
    for measure in &table.measures {
        layout.rule();
        let mut label = measure_label(measure);
        for size in table.sizes() {
            if let Some(cells) = row(table, measure, size, columns, names, contenders) {
                let sizes =
                    if size == (0, 0) && !says_sizes { String::new() } else { format_size_range(size.0, size.1) };
                let mut line = vec![Text::plain(std::mem::take(&mut label)), Text::plain(sizes)];
                line.extend(cells);
                layout.row(line);
            }
        }
    }
    layout
}

/// The fields of a row; `None` if the measure was taken for no such size in any column.
fn row(
    table: &Table,
    measure: &Measure,
    size: Size,
    columns: &[Column],
    names: &BTreeMap<String, String>,
    contenders: &Contenders,
) -> Option<Vec<Text>> {
    let fields: Vec<Option<&Field>> =
        columns.iter().map(|column| table.fields.get(&(measure.clone(), size, column.clone()))).collect();
    fields.iter().any(Option::is_some).then(|| {
        let cell =
            |field: &Option<&Field>| field.map_or_else(Text::default, |field| cell(measure, field, names, contenders));
        fields.iter().map(cell).collect()
    })
}

/// What stands in a field.
fn cell(measure: &Measure, field: &Field, names: &BTreeMap<String, String>, contenders: &Contenders) -> Text {
    match &field.ranking {
        Some(ranking) => best(measure, ranking, names, contenders),
        None if !field.failed.is_empty() => Text::plain("failed"),
        None if !field.unranked.is_empty() => Text::plain("not ranked"),
        None => Text::plain("n/a"),
    }
}

fn best(measure: &Measure, ranking: &Ranking, names: &BTreeMap<String, String>, contenders: &Contenders) -> Text {
    let text = if ranking.tied.len() >= NAMES_MAX && ranking.tied.len() == ranking.order.len() {
        Text::plain(format!("all {} tied", ranking.tied.len()))
    } else {
        first(&ranking.tied, names, contenders)
    };
    let doubt = if ranking.verdict == Verdict::Unproven { "?" } else { "" };
    let figure = ranking.order.first().map_or_else(String::new, |place| figure(measure, place.mean));
    text.and(format!("{doubt} {figure}"), Style::new())
}

/// The stores that share the first place, as many as are named.
fn first(tied: &[String], names: &BTreeMap<String, String>, contenders: &Contenders) -> Text {
    let mut text = Text::default();
    for (index, key) in tied.iter().take(NAMES_MAX).enumerate() {
        if index > 0 {
            text = text.and(" = ", Style::new());
        }
        let style = contenders.get(key).map_or_else(Style::new, |contender| crate::colours::style(contender.slot));
        text = text.and(names.get(key).unwrap_or(key), style);
    }
    let more = tied.len().saturating_sub(NAMES_MAX);
    if more > 0 { text.and(format!(" +{more}"), Style::new()) } else { text }
}

/// A figure in the unit of its measure.
pub(crate) fn figure(measure: &Measure, value: f64) -> String {
    match measure {
        Measure::Time { .. } => time(value),
        Measure::Space => percent(value),
        Measure::Memory => bytes(value),
    }
}

/// A measure's label.
pub(crate) fn measure_label(measure: &Measure) -> String {
    measure.label()
}

/// What the abbreviations and marks that were used mean.
fn legend(
    table: &Table,
    names: &BTreeMap<String, String>,
    contenders: &Contenders,
    meaning: &str,
    width: usize,
) -> String {
    let mut words: Vec<String> = Vec::new();
    let rankings: Vec<&Ranking> = table.fields.values().filter_map(|field| field.ranking.as_ref()).collect();
    let best: BTreeSet<&String> = rankings.iter().flat_map(|ranking| &ranking.tied).collect();
    for key in best {
        let title = contenders.title(key);
        if names.get(key) != Some(&title) {
            words.push(format!("{}: {title}", names.get(key).unwrap_or(key)));
        }
    }
    if rankings.iter().any(|ranking| ranking.verdict == Verdict::Tie) {
        words.push("A = B, tied: cannot be told apart (95 % confidence); the figure is the first one's".to_owned());
    }
    if rankings.iter().any(|ranking| ranking.verdict == Verdict::Unproven) {
        words.push("?: first by its figure, not proven".to_owned());
    }
    if table
        .fields
        .values()
        .any(|field| field.ranking.is_none() && field.failed.is_empty() && field.unranked.is_empty())
    {
        words.push("n/a: not offered, or could not be read".to_owned());
    }
    words.push(meaning.to_owned());
    paragraph(&words.join(" · "), width, "", "")
}
