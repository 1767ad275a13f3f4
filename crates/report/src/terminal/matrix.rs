//! A matrix as text, at most as wide as the terminal: whole if it fits, else with shorter names, else one data type after the other,
//! else as many columns at a time as fit.

use std::collections::BTreeSet;

use anstyle::Style;
use bakeoff_stats::Verdict;
use bakeoff_text::{Side, Text, TextTable, paragraph};

use crate::colours::style;
use crate::document::{Matrix, MatrixField, MatrixRow, MatrixStore};

/// Names of tied stores in a field; the others are counted.
const NAMES_MAX: usize = 3;

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
    let whole: Vec<usize> = (0..of.columns.len()).collect();
    let types: Vec<Vec<usize>> =
        whole.chunk_by(|a, b| of.columns[*a].data == of.columns[*b].data).map(<[usize]>::to_vec).collect();
    let mut attempts = vec![(vec![whole.clone()], Naming::Title)];
    let widest = types.iter().map(Vec::len).max().unwrap_or(1);
    // Parts of equal length read better than a full row and a rest.
    for parts in 1..=widest {
        let split: Vec<Vec<usize>> =
            types.iter().flat_map(|columns| columns.chunks(columns.len().div_ceil(parts))).map(<[_]>::to_vec).collect();
        attempts.push((split.clone(), Naming::Title));
        attempts.push((split, Naming::Short));
    }
    let fitting = attempts.iter().find_map(|(parts, naming)| {
        let tables: Vec<TextTable> = parts.iter().map(|columns| lay_out(of, columns, *naming)).collect();
        tables.iter().all(|table| table.width() <= width).then_some((tables, *naming))
    });
    let (tables, used) = fitting
        .unwrap_or_else(|| (whole.iter().map(|column| lay_out(of, &[*column], Naming::Code)).collect(), Naming::Code));
    let rendered: Vec<String> = tables.into_iter().map(|table| table.render(width, color)).collect();
    rendered.join("\n") + &legend(of, used, width)
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
fn lay_out(of: &Matrix, columns: &[usize], naming: Naming) -> TextTable {
    let mut layout = TextTable::new(vec![Side::Left; columns.len() + 2]);
    let mut data = vec![Text::default(), Text::plain("values")];
    let mut records = vec![Text::default(), Text::plain("records")];
    for (index, column) in columns.iter().enumerate() {
        let column = &of.columns[*column];
        let repeated = index > 0 && of.columns[columns[index - 1]].data == column.data;
        data.push(Text::plain(if repeated { "" } else { &column.data }));
        records.push(Text::plain(&column.records));
    }
    layout.row(data);
    layout.row(records);
    let says_data = columns.iter().any(|column| !of.columns[*column].data.is_empty());
    // A measure has its rule even where none of its rows has a field in these columns.
    for measure in &of.measures {
        layout.rule();
        let mut label = measure.name.as_str();
        for MatrixRow { sizes, has_sizes, fields } in &measure.rows {
            let sizes = if *has_sizes || says_data { sizes } else { "" };
            if columns.iter().all(|column| fields[*column].is_none()) {
                continue;
            }
            let mut line = vec![Text::plain(std::mem::take(&mut label)), Text::plain(sizes)];
            line.extend(columns.iter().map(|column| field(of, fields[*column].as_ref(), naming)));
            layout.row(line);
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
            let doubt = if *verdict == Verdict::Unproven { "?" } else { "" };
            text.and(format!("{doubt} {figure}"), Style::new())
        }
        Some(MatrixField::Failed) => Text::plain("failed"),
        Some(MatrixField::NotRanked) => Text::plain("not ranked"),
        Some(MatrixField::NotOffered) => Text::plain("n/a"),
        None => Text::default(),
    }
}

/// The stores that share the first place, as many as are named.
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
    let ranked = |wanted: Verdict| {
        of.fields().any(|field| matches!(field, MatrixField::Ranked { verdict, .. } if *verdict == wanted))
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
    if ranked(Verdict::Tie) {
        parts.push("A = B, tied: cannot be told apart (95 % confidence); the figure is the first one's".to_owned());
    }
    if ranked(Verdict::Unproven) {
        parts.push("?: first by its figure, not proven".to_owned());
    }
    if of.fields().any(|field| *field == MatrixField::NotOffered) {
        parts.push("n/a: not offered, or could not be read".to_owned());
    }
    parts.push(of.meaning.to_plain());
    paragraph(&parts.join(" · "), width, "", "")
}
