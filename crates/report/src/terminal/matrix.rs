//! A matrix as text, at most as wide as the terminal. It is whole if it fits, else with shorter names, else one data
//! type after the other, else with as many columns at a time as fit.

use std::collections::BTreeSet;
use std::ops::Range;

use anstyle::Style;
use bakeoff_stats::{TIED_WITHIN, Verdict};
use bakeoff_text::{Side, Text, TextTable, paragraph};

use crate::colours::style;
use crate::document::{Matrix, MatrixColumn, MatrixField, MatrixRow, MatrixStore};

/// Names of tied stores in a field; the others are counted.
const NAMES_MAX: usize = 3;

/// Columns between two columns of a table.
const GAP: usize = 2;

/// What stores are called in fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// By their titles.
    Title,
    /// By first words.
    Short,
    /// By codes that only the legend explains.
    Code,
}

/// The matrix and its legend.
pub(crate) fn render(of: &Matrix, width: usize, color: bool) -> String {
    let (parts, naming) = fitting(of, width);
    let tables = parts.iter().map(|columns| lay_out(of, columns.clone(), naming).render(width, color));
    tables.collect::<Vec<_>>().join("\n") + &legend(of, naming, width)
}

/// The first division of the columns in which every part fits, and how stores are named there.
fn fitting(of: &Matrix, width: usize) -> (Vec<Range<usize>>, Naming) {
    let mut types: Vec<Range<usize>> = Vec::new();
    for (column, MatrixColumn { data, .. }) in of.columns.iter().enumerate() {
        match types.last_mut().filter(|columns| of.columns[columns.start].data == *data) {
            Some(columns) => columns.end = column + 1,
            None => types.push(column..column + 1),
        }
    }
    let [titles, shorts] = [Naming::Title, Naming::Short].map(|naming| Widths::new(of, naming));
    let whole = 0..of.columns.len();
    if titles.of(&whole) <= width {
        return (vec![whole], Naming::Title);
    }
    let widest = types.iter().map(Range::len).max().unwrap_or(1);
    // Parts of equal length read better than a full row and a rest.
    for parts in 1..=widest {
        let split = || types.iter().flat_map(|columns| chunks(columns, parts));
        for (widths, naming) in [(&titles, Naming::Title), (&shorts, Naming::Short)] {
            if split().all(|columns| widths.of(&columns) <= width) {
                return (split().collect(), naming);
            }
        }
    }
    (whole.map(|column| column..column + 1).collect(), Naming::Code)
}

/// Columns in `parts` parts of equal length, the last one shorter.
fn chunks(columns: &Range<usize>, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let (end, length) = (columns.end, columns.len().div_ceil(parts).max(1));
    columns.clone().step_by(length).map(move |start| start..(start + length).min(end))
}

/// How wide everything is, so that a way to part the columns is tried without laying it out.
struct Widths {
    /// All fields of the columns before each one, and their numbers of records.
    before: Vec<usize>,
    /// What the name of the data adds to each column that shows it.
    data_more: Vec<usize>,
    /// The first column of each data type.
    types: Vec<usize>,
    /// Each measure's name, and its rows.
    measures: Vec<(usize, Vec<RowWidths>)>,
}

/// How wide the sizes of a row are, and how many fields it has in the columns before each one.
struct RowWidths {
    sizes: usize,
    fields_before: Vec<usize>,
}

impl Widths {
    fn new(of: &Matrix, naming: Naming) -> Self {
        let width = |text: &str| Text::plain(text).width();
        let all = 0..of.columns.len();
        let rows = || of.measures.iter().flat_map(|measure| &measure.rows);
        let column = |at: usize| {
            let fields = rows().map(|row| field(of, row.fields[at].as_ref(), naming).width());
            fields.max().unwrap_or(0).max(width(&of.columns[at].records))
        };
        let each: Vec<usize> = all.clone().map(column).collect();
        let more = |at: usize| width(&of.columns[at].data).saturating_sub(each[at]);
        let row = |row: &MatrixRow| RowWidths {
            sizes: width(sizes(of, row, &all)),
            fields_before: sums(row.fields.iter().map(|field| usize::from(field.is_some()))),
        };
        let measures = of.measures.iter();
        Self {
            before: sums(each.iter().copied()),
            data_more: all.clone().map(more).collect(),
            types: all.clone().filter(|at| is_named(of, *at, &all)).collect(),
            measures: measures.map(|each| (width(&each.name), each.rows.iter().map(row).collect())).collect(),
        }
    }

    /// How wide a table of these columns is.
    fn of(&self, columns: &Range<usize>) -> usize {
        let (mut label, mut sizes) = (0, "records".len());
        for (name, rows) in &self.measures {
            let shown = rows.iter().filter(|row| row.fields_before[columns.end] > row.fields_before[columns.start]);
            for row in shown {
                (label, sizes) = (label.max(*name), sizes.max(row.sizes));
            }
        }
        let named =
            self.types.iter().filter(|at| columns.contains(at) && **at != columns.start).chain([&columns.start]);
        let data: usize = named.filter_map(|at| self.data_more.get(*at)).sum();
        label + sizes + self.before[columns.end] - self.before[columns.start] + data + GAP * (columns.len() + 1)
    }
}

/// The sum of all before each one, and of all.
fn sums(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let add = |sum: &mut usize, number: usize| {
        *sum += number;
        Some(*sum)
    };
    std::iter::once(0).chain(numbers.scan(0, add)).collect()
}

/// Whether a column shows the name of its data: the one before it has another, or is in another part.
fn is_named(of: &Matrix, column: usize, columns: &Range<usize>) -> bool {
    column == columns.start || of.columns[column - 1].data != of.columns[column].data
}

/// The sizes of a row, if the row or a part of the columns shows them.
fn sizes<'a>(of: &Matrix, row: &'a MatrixRow, columns: &Range<usize>) -> &'a str {
    let says_data = of.columns[columns.clone()].iter().any(|column| !column.data.is_empty());
    if row.has_sizes || says_data { &row.sizes } else { "" }
}

fn name(of: &Matrix, place: usize, naming: Naming) -> String {
    let MatrixStore { title, short, .. } = &of.stores[place];
    match naming {
        Naming::Title => title.clone(),
        Naming::Short => short.clone(),
        Naming::Code => format!("S{}", place + 1),
    }
}

/// A table of these columns.
fn lay_out(of: &Matrix, columns: Range<usize>, naming: Naming) -> TextTable {
    let mut layout = TextTable::new(vec![Side::Left; columns.len() + 2]);
    let data =
        columns.clone().map(|at| Text::plain(if is_named(of, at, &columns) { &of.columns[at].data } else { "" }));
    layout.row([Text::default(), Text::plain("values")].into_iter().chain(data).collect());
    let records = of.columns[columns.clone()].iter().map(|column| Text::plain(&column.records));
    layout.row([Text::default(), Text::plain("records")].into_iter().chain(records).collect());
    // A measure has its rule even where none of its rows has a field in these columns.
    for measure in &of.measures {
        layout.rule();
        let mut label = measure.name.as_str();
        for row in &measure.rows {
            let fields = &row.fields[columns.clone()];
            if fields.iter().any(Option::is_some) {
                let names = [std::mem::take(&mut label), sizes(of, row, &columns)].map(Text::plain);
                let fields = fields.iter().map(|each| field(of, each.as_ref(), naming));
                layout.row(names.into_iter().chain(fields).collect());
            }
        }
    }
    layout
}

fn field(of: &Matrix, field: Option<&MatrixField>, naming: Naming) -> Text {
    match field {
        Some(MatrixField::Ranked { first, ranked, verdict, figure }) => {
            let text = if first.len() >= NAMES_MAX && first.len() == *ranked {
                Text::plain(format!("all {} tied", first.len()))
            } else {
                best(of, first, naming)
            };
            let doubt = if is_open(*verdict) { "?" } else { "" };
            text.and(format!("{doubt} {figure}"), Style::new())
        }
        Some(MatrixField::Failed) => Text::plain("failed"),
        Some(MatrixField::NotRanked) => Text::plain("not ranked"),
        Some(MatrixField::NotOffered) => Text::plain("n/a"),
        None => Text::default(),
    }
}

/// Whether it is open who is best.
fn is_open(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Undecided | Verdict::Unproven)
}

/// The stores that share the first place, up to the number that are named.
fn best(of: &Matrix, first: &[usize], naming: Naming) -> Text {
    let mut text = Text::default();
    for (index, place) in first.iter().take(NAMES_MAX).enumerate() {
        if index > 0 {
            text = text.and(" = ", Style::new());
        }
        text = text.and(name(of, *place, naming), of.stores[*place].slot.map_or_else(Style::new, style));
    }
    let more = first.len().saturating_sub(NAMES_MAX);
    if more > 0 { text.and(format!(" +{more}"), Style::new()) } else { text }
}

/// What the abbreviations and marks that were used mean.
fn legend(of: &Matrix, naming: Naming, width: usize) -> String {
    let ranked = |is_wanted: fn(Verdict) -> bool| {
        of.fields().any(|field| matches!(field, MatrixField::Ranked { verdict, .. } if is_wanted(*verdict)))
    };
    let best: BTreeSet<usize> = of
        .fields()
        .filter_map(|field| match field {
            MatrixField::Ranked { first, .. } => Some(first),
            _ => None,
        })
        .flatten()
        .copied()
        .collect();
    let named = best.into_iter().map(|place| (name(of, place, naming), &of.stores[place].title));
    let mut parts: Vec<String> =
        named.filter(|(name, title)| name != *title).map(|(name, title)| format!("{name}: {title}")).collect();
    let is_tied = |field: &MatrixField| match field {
        MatrixField::Ranked { first, verdict, .. } => first.len() > 1 && *verdict != Verdict::Unproven,
        _ => false,
    };
    if of.fields().any(is_tied) {
        parts.push(format!("A = B, tied: within {TIED_WITHIN}×; the figure is the first one's"));
    }
    if ranked(is_open) {
        parts.push("?: first by its figure, not proven".to_owned());
    }
    if of.fields().any(|field| *field == MatrixField::NotOffered) {
        parts.push("n/a: not offered, or could not be read".to_owned());
    }
    parts.push(of.meaning.to_plain());
    paragraph(&parts.join(" · "), width, "", "")
}
