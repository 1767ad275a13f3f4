//! A summary of the measured axes. It comes from the results: a suite would also name axes that options left out.

use std::collections::BTreeSet;

use bakeoff_protocol::{Axes, Axis, AxisValue, DURABILITY, Part, Role, THREADS, shown_axes};
use bakeoff_results::circumstances::value_label;
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, digits, format_count, format_size_range, listed, printable};

/// Values of an axis that are named one by one; of more, the ends.
const NAMED_MAX: usize = 4;

/// Stores, the range of sizes, counts and threads of a run, and the file systems that it was on; empty if nothing was measured.
pub(crate) fn scope(run: &Run) -> String {
    let axes: Vec<&Axes> = asked(run).collect();
    if axes.is_empty() {
        return String::new();
    }
    let [min, max] = [axes.iter().map(|of| of.value_bytes_min).min(), axes.iter().map(|of| of.value_bytes_max).max()];
    let mixtures: BTreeSet<Option<&str>> = axes.iter().map(|of| of.value_mixture.as_deref()).collect();
    let sizes = match mixtures.first().copied().flatten().filter(|_| mixtures.len() == 1) {
        Some(mixture) => mixture.to_owned(),
        None => format_size_range(min.unwrap_or_default(), max.unwrap_or_default()),
    };
    let media: BTreeSet<String> =
        run.record.media.values().filter_map(|medium| medium.file_system.as_deref().map(printable)).collect();
    let media = (!media.is_empty()).then(|| format!("on {}", listed_or_ends(&Vec::from_iter(media))));
    let threads = Some(threads(&axes)).filter(|of| of != "1 thread");
    let parts = [Some(stores(&axes)), Some(records(&axes, &sizes)), threads, media];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Stores, sizes, counts, data, classes, threads and all other axes of these runs; empty if nothing was measured.
pub(crate) fn measured(runs: &[&Run]) -> String {
    let axes: Vec<&Axes> = runs.iter().flat_map(|run| asked(run)).collect();
    if axes.is_empty() {
        return String::new();
    }
    let size = |of: &Axes| Some((of.value_bytes_min, of.value_bytes_max, of.value_mixture.clone()));
    let sizes =
        values(&axes, size, |(min, max, mixture)| mixture.clone().unwrap_or_else(|| format_size_range(*min, *max)));
    let data = values(&axes, |of| Some(of.data.clone()), Clone::clone);
    let class = |of: &Axes| Some(if of.unequal { None } else { Some(of.durability) });
    let classes = values(&axes, class, |class| class.map_or_else(|| "as set".to_owned(), |class| class.to_string()));
    let mut words = vec![
        stores(&axes),
        format!("{} of {} data", records(&axes, &listed_or_ends(&sizes)), listed_or_ends(&data)),
        format!("durability {}", listed_or_ends(&classes)),
        threads(&axes),
    ];
    words.extend(shown_axes().iter().filter_map(|axis| values_of(axis, &axes)));
    let scales = runs.iter().filter_map(|run| run.record.suite.scale);
    let scales: BTreeSet<String> = scales.map(|part| format!("{} %", digits(part * 100.0))).collect();
    words.extend((!scales.is_empty()).then(|| format!("scaled down to {}", listed_or_ends(&Vec::from_iter(scales)))));
    words.extend(combinations(&axes));
    words.extend(runs.iter().filter_map(|run| changes(run)));
    words.join(" · ")
}

fn stores(axes: &[&Axes]) -> String {
    counted(axes.iter().map(|of| of.store.as_str()).collect::<BTreeSet<_>>().len(), "store")
}

/// Values of these sizes, and how many records.
fn records(axes: &[&Axes], sizes: &str) -> String {
    let records = values(axes, |of| Some(of.records), |records| format_count(*records));
    let plural = if records == ["1"] { "" } else { "s" };
    format!("values of {sizes} × {} record{plural}", listed_or_ends(&records))
}

fn threads(axes: &[&Axes]) -> String {
    let threads = values(axes, |of| Some(of.threads), |threads| format_count(u64::from(*threads)));
    if threads == ["1"] { "1 thread".to_owned() } else { format!("{} threads", listed_or_ends(&threads)) }
}

/// The measured axes of a run. For a pick they are those of its asked need, since each change to that is separate.
fn asked(run: &Run) -> impl Iterator<Item = &Axes> {
    let is_pick = run.pick().is_some();
    let axes = run.cells.iter().map(|cell| &cell.end.axes);
    axes.filter(move |of| !is_pick || of.variant.as_deref() == Some(PICK_ASKED))
}

/// How many changes to the need of a pick were measured.
fn changes(run: &Run) -> Option<String> {
    let questions = &run.pick()?.questions;
    let variants: BTreeSet<&str> = run.cells.iter().filter_map(|cell| cell.end.axes.variant.as_deref()).collect();
    let measured = questions.iter().filter(|question| variants.contains(question.variant.as_str())).count();
    (!questions.is_empty()).then(|| format!("{measured} of {} to it measured", counted(questions.len(), "change")))
}

/// How many of the named combinations were measured, if not all: a reader would expect all of them.
fn combinations(axes: &[&Axes]) -> Option<String> {
    let named = || shown_axes().iter().filter(|axis| axis.part == Part::Field || !axis.plural.is_empty());
    let measured: BTreeSet<Vec<AxisValue>> =
        axes.iter().map(|of| named().map(|axis| axis.shared(of)).collect()).collect();
    let values = |axis: &Axis| axes.iter().map(|of| axis.shared(of)).collect::<BTreeSet<_>>().len();
    let named: usize = named().map(|axis| values(axis)).product();
    (measured.len() < named)
        .then(|| format!("{} of the {} combinations of these", measured.len(), format_count(named as u64)))
}

/// The values of an axis by which tables differ, if they are worth a word: `threads` and `durability` have theirs before.
fn values_of(axis: &Axis, axes: &[&Axes]) -> Option<String> {
    let is_named_before = [THREADS.name, DURABILITY.name].contains(&axis.name);
    if axis.part != Part::Table || axis.plural.is_empty() || is_named_before {
        return None;
    }
    let values: BTreeSet<AxisValue> = axes.iter().map(|of| axis.shared(of)).collect();
    let is_usual = axes.iter().all(|of| axis.is_usual(of));
    let label = |value: &AxisValue| if value.is_absent() { axis.none.to_owned() } else { value_label(value) };
    let labels: Vec<String> = values.iter().map(label).filter(|label| !label.is_empty()).collect();
    // The content of tapes is worth naming only if it differs.
    let is_told = labels.len() > 1 || axis.role == Role::Condition && !is_usual;
    is_told.then(|| format!("{} {}", axis.plural, listed_or_ends(&labels)))
}

/// Every value that occurs, in order, in words.
fn values<V: Ord>(axes: &[&Axes], value: impl Fn(&Axes) -> Option<V>, words: impl Fn(&V) -> String) -> Vec<String> {
    let all: BTreeSet<V> = axes.iter().filter_map(|of| value(of)).collect();
    all.iter().map(words).collect()
}

/// Every value by name, or of many the first, the last and the count.
fn listed_or_ends(all: &[String]) -> String {
    match all {
        [first, .., last] if all.len() > NAMED_MAX => format!("{first} to {last} ({} in all)", all.len()),
        _ => listed(all),
    }
}
