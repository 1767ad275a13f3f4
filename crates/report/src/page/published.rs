//! A publication's figures as the page shows them beside ours. The script finds those of the chosen workload.

use bakeoff_text::{format_count, format_size_range};
use serde::Serialize;

use crate::published::report::{contenders, key};
use crate::published::{Kind, Published};

/// A publication, as the page has it.
#[derive(Serialize)]
pub(crate) struct PublishedFacts<'a> {
    title: String,
    url: &'a str,
    notes: &'a [String],
    hardware: &'a std::collections::BTreeMap<String, String>,
    figures: Vec<PublishedFigure<'a>>,
}

/// One figure, with its place in our words.
#[derive(Serialize)]
struct PublishedFigure<'a> {
    /// Of our measures.
    measure: &'static str,
    phase: Option<&'a str>,
    variant: Option<&'a str>,
    disturbance: Option<&'a str>,
    hardware: &'a str,
    data: Option<&'a str>,
    records: Option<String>,
    value_bytes: Option<String>,
    threads: u32,
    /// Our name for the store; absent where we have none.
    store: Option<&'a str>,
    title: String,
    value: f64,
}

/// What the page shows of a publication: every figure that one of our measures stands for.
pub(crate) fn facts(published: &Published) -> PublishedFacts<'_> {
    let titles = contenders(published);
    let figures = published
        .figures
        .iter()
        .filter_map(|of| {
            Some(PublishedFigure {
                measure: measure(of.measure)?,
                phase: of.phase.as_deref().filter(|_| matches!(of.measure, Kind::Time | Kind::Rate)),
                variant: of.variant.as_deref(),
                disturbance: of.disturbance.as_deref(),
                hardware: &of.hardware,
                data: of.data.as_deref(),
                records: of.records.map(format_count),
                value_bytes: of.value_bytes_min.zip(of.value_bytes_max).map(|(min, max)| format_size_range(min, max)),
                threads: of.threads.unwrap_or(1),
                store: of.store.as_deref(),
                title: titles.title(&key(published, of)),
                value: of.value(&published.facts)? * of.keys_counted(&published.facts),
            })
        })
        .collect();
    let of = &published.facts;
    PublishedFacts {
        title: format!("{} ({}, {})", of.title, of.authors, of.year),
        url: &of.url,
        notes: &of.notes,
        hardware: &of.hardware,
        figures,
    }
}

/// The measure of ours that stands for theirs.
fn measure(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Time | Kind::Rate => Some("time_ns_mean"),
        Kind::SpaceEfficiency | Kind::Size => Some("space_efficiency"),
        Kind::PeakMemory => Some("rss_peak_above_baseline_bytes"),
        Kind::Garbage => None,
    }
}
