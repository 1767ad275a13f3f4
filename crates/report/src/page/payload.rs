//! What the page's script is given: figures and facts as compressed JSON, and every run's raw data.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use bakeoff_limits::join;
use bakeoff_protocol::CellEnd;
use bakeoff_results::citation::citation;
use bakeoff_results::contender::{Contenders, short_titles};
use bakeoff_results::contests::Contests;
use bakeoff_results::contests::curve::CURVE_SHARES;
use bakeoff_results::contests::measures::{ContestMeasure, MEASURES};
use bakeoff_results::published::Published;
use bakeoff_results::run::Run;
use bakeoff_stats::{TIED_WITHIN, WIDTH_MAX};
use bakeoff_text::printable;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use crate::colours::HEAT_ENDS;
use crate::error::ReportError;
use crate::page::axes::{Axis, on_axes};
use crate::page::figures::{ContestFigures, figures};
use crate::page::flame_graphs::{Graphs, graphs, unprofiled};
use crate::page::labelled::{Labelled, RankedRun};
use crate::page::links::{link, way};
use crate::page::over::{OverFigures, over};
use crate::page::published::{self, Beside, PublishedFacts};
use crate::page::race::{PickFigures, picks};
use crate::page::raw_table::RawTable;
use crate::page::run_differences::telling_labels;

/// What the script is given.
#[derive(Serialize)]
struct Payload<'a> {
    /// The version of this layout.
    format: u32,
    measures: &'a [ContestMeasure],
    axes: &'a [Axis],
    shares: &'a [f64],
    /// How many times worse than the best a field of the heatmap may be, for each of its colours but the last.
    heat: &'a [f64],
    /// Ratios up to this one are ties.
    tied_within: f64,
    /// An interval whose ends are further apart than this ratio says nothing.
    interval_width_max: f64,
    stores: Vec<StoreFacts<'a>>,
    runs: Vec<RunFacts<'a>>,
    contests: Vec<ContestFigures<'a>>,
    /// How stores compare over all workloads, for the circumstances of each run.
    over: Vec<OverFigures>,
    /// The pictures of picks.
    picks: Vec<PickFigures<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<PublishedFacts<'a>>,
}

#[derive(Serialize)]
struct StoreFacts<'a> {
    name: &'a str,
    title: &'a str,
    /// Its title where there is little room.
    short: String,
    /// Its colour and mark.
    slot: usize,
    ranked: bool,
}

#[derive(Serialize)]
struct RunFacts<'a> {
    label: &'a str,
    /// How it is cited.
    cite: String,
    /// What opened each cell, by its id.
    cells: BTreeMap<&'a str, CellFacts<'a>>,
}

#[derive(Serialize)]
struct CellFacts<'a> {
    version: &'a str,
    settings: &'a bakeoff_protocol::Settings,
    log: &'a str,
    /// The way to it from the page; absent if its name leads out of the run's directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_link: Option<String>,
    /// The command that does it again.
    again: String,
    /// Flame graphs of the same cell, where it was profiled in a run on this page.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    flame_graphs: &'a [(String, String)],
}

fn payload_stores(contenders: &Contenders) -> Vec<StoreFacts<'_>> {
    let all = contenders.titles();
    let short = short_titles(&all);
    let facts = all.into_iter().zip(short).map(|(each, short)| StoreFacts {
        name: &each.store,
        title: &each.title,
        short,
        slot: each.slot,
        ranked: each.ranked,
    });
    facts.collect()
}

/// What the script is given, as JSON.
fn payload(
    runs: &[Labelled],
    analysed: &[RankedRun],
    against: Option<&Published>,
    contenders: &Contenders,
    place: &Path,
) -> Result<Vec<u8>, ReportError> {
    let graphs = graphs(runs.iter().map(|(_, run)| *run), place);
    let analyses: Vec<_> = analysed.iter().map(|(_, of)| *of).collect();
    let contests = Contests::new(&analyses, contenders);
    let (axes, places) = on_axes(&contests.places, &telling_labels(runs));
    let beside = against.map(|published| Beside::new(published, &contests, analysed));
    let payload = Payload {
        format: 1,
        measures: &MEASURES,
        axes: &axes,
        shares: &CURVE_SHARES,
        heat: &HEAT_ENDS,
        tied_within: TIED_WITHIN,
        interval_width_max: WIDTH_MAX,
        stores: payload_stores(contenders),
        runs: runs.iter().map(|(label, run)| run_facts(label, run, &graphs, place)).collect(),
        contests: figures(&contests, &places, contenders, beside.as_ref()),
        over: over(contests.over_workloads(&analyses), &axes, &places, contenders),
        picks: picks(analysed, contenders),
        published: against.map(published::facts),
    };
    Ok(serde_json::to_vec(&payload)?)
}

fn run_facts<'a>(label: &'a str, run: &'a Run, graphs: &'a BTreeMap<String, Graphs>, place: &Path) -> RunFacts<'a> {
    let mut cells = BTreeMap::new();
    let prefix = way(place, &run.directory);
    let flame_graphs = |end: &CellEnd| -> &[(String, String)] {
        if graphs.is_empty() { &[] } else { graphs.get(&unprofiled(&end.axes)).map_or(&[], Vec::as_slice) }
    };
    for end in run.cells.iter().map(|cell| &cell.end) {
        if let Some(opened) = &end.opened {
            cells.entry(end.cell.as_str()).or_insert_with(|| CellFacts {
                version: &opened.version,
                settings: &opened.settings,
                log: &end.log,
                log_link: link(&prefix, &end.log),
                again: run.command_again(&end.cell, &end.axes.store),
                flame_graphs: flame_graphs(end),
            });
        }
    }
    RunFacts { label, cite: citation(run), cells }
}

/// The script elements that hold the payload, and every run's rows, which can be saved from the page.
pub(crate) fn data(
    runs: &[Labelled],
    analysed: &[RankedRun],
    against: Option<&Published>,
    contenders: &Contenders,
    place: &Path,
) -> Result<Markup, ReportError> {
    let raw = |(label, run): &Labelled| -> Result<Markup, ReportError> {
        let packed = packed(&serde_json::to_vec(&RawTable::of(run))?)?;
        Ok(html! { script.raw type="text/plain" data-run=(printable(label)) { (PreEscaped(packed)) } })
    };
    // Both take about as long.
    let (raw, payload) = join(
        || runs.iter().map(raw).collect::<Result<Vec<_>, _>>(),
        || payload(runs, analysed, against, contenders, place).and_then(|json| packed(&json)),
    );
    let (payload, raw) = (payload?, raw?);
    Ok(html! {
        script #data type="text/plain" { (PreEscaped(payload)) }
        @for each in raw { (each) }
    })
}

/// Compressed, in base64. So any content is safe in a script element.
fn packed(bytes: &[u8]) -> Result<String, ReportError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}
