//! What a Java program allocated and what was collected of it, as JMH's profiler `gc` printed it in a publication, beside what a run measured.

use std::collections::BTreeMap;

use bakeoff_protocol::PhaseResult;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::figures::per_operation;
use bakeoff_results::run::Run;
use bakeoff_results::verdict::{Column, Size};
use bakeoff_results::winners::{is_same_workload, matching};
use bakeoff_stats::mean;
use bakeoff_text::{digits, or_dash};

use crate::document::{Block, Cell, Column as Heading, Section, SectionId, Table};
use crate::published::report::{circumstances_of, scaled, workload};
use crate::published::{Figure, Kind, Published};

/// JMH prints bytes in these.
const MEBIBYTE: f64 = (1 << 20) as f64;

const WHAT: &str = "By JMH's names (-prof gc). Then they were of a measurement with a collector of its time, whose parts of the heap have its names; now of the phase, with \
    the collector that the JVM chooses: rates are by the time of the operations, churn by that of the whole phase. Counts and times are sums over \
    all that was measured, so that only a collection's mean time can be set beside another. Means of all rounds.";

/// A phase of a store: under which circumstances, on which workload, of which store, and its name.
type Place<'a> = (Circumstances, Size, Column, &'a str, &'a str);

/// The section; `None` unless the publication has such figures of phases that the run has too.
pub(crate) fn section(run: &Run, published: &Published) -> Option<Section> {
    let garbage = published.figures.iter().filter(|figure| figure.measure == Kind::Garbage);
    let theirs: Vec<(Circumstances, &Figure)> = garbage.map(|figure| (circumstances_of(figure), figure)).collect();
    if theirs.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for (place, phases) in collected(run) {
        let (circumstances, size, column, store, phase) = &place;
        let is_same = |figure: &&Figure| {
            let (their_size, their_column) = workload(figure, |records| scaled(records, run.record.suite.scale));
            figure.store.as_deref() == Some(store)
                && figure.phase.as_deref() == Some(phase)
                && is_same_workload((their_size, &their_column), (*size, column))
        };
        let theirs = theirs.iter().map(|(circumstances, figure)| (circumstances, *figure));
        let figures: Vec<&Figure> = matching(circumstances, theirs).filter(is_same).collect();
        if figures.is_empty() {
            continue;
        }
        let variant = circumstances.variant().map_or_else(String::new, |variant| format!(" · variant {variant}"));
        let threads = circumstances.threads();
        let threads = if threads == 1 { String::new() } else { format!(", {threads} threads") };
        let heading = format!("{phase} · {store}{variant}{threads}");
        blocks.extend([Block::heading(1, heading), Block::Table(table(&figures, &phases))]);
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::paragraph(WHAT));
    }
    Section::titled(SectionId::Garbage, "Garbage, then and now", blocks)
}

/// The rounds of every phase in which collections were counted, in cells that never failed.
fn collected(run: &Run) -> BTreeMap<Place<'_>, Vec<&PhaseResult>> {
    let mut all: BTreeMap<Place, Vec<&PhaseResult>> = BTreeMap::new();
    for cell in run.counted() {
        let axes = &cell.end.axes;
        let size = (axes.value_bytes_min, axes.value_bytes_max);
        for result in cell.phases.iter().map(|line| &line.result) {
            let column = Column { data: axes.data.clone(), records: axes.records };
            let place = (Circumstances::of(axes), size, column, axes.store.as_str(), result.phase.as_str());
            all.entry(place).or_default().push(result);
        }
    }
    all.retain(|_, phases| phases.iter().any(|phase| phase.resources.gc_collections.is_some()));
    all
}

/// A row for each figure, and one for the mean time of a collection.
fn table(figures: &[&Figure], phases: &[&PhaseResult]) -> Table {
    let mut table =
        Table::new(2, vec![Heading::left(""), Heading::right("then"), Heading::right("now"), Heading::left("")]);
    let mut row = |name: &str, then: Option<f64>, now: Option<f64>, unit: &str| {
        let cells = [name.to_owned(), or_dash(then, digits), or_dash(now, digits), unit.to_owned()];
        table.row(cells.map(Cell::from).into());
    };
    let mut then = BTreeMap::new();
    for figure in figures {
        let name = figure.parameters.as_deref().unwrap_or_default();
        row(name, figure.mean, now(name, phases), &figure.unit);
        then.insert(name, figure.mean);
    }
    let each =
        |ms: Option<f64>, count: Option<f64>| ms.zip(count.filter(|count| *count > 0.0)).map(|(ms, count)| ms / count);
    if let (Some(ms), Some(count)) = (then.get("gc.time"), then.get("gc.count")) {
        row("gc.time / gc.count", each(*ms, *count), each(now("gc.time", phases), now("gc.count", phases)), "ms");
    }
    table
}

/// The mean over rounds of what JMH calls so, in its unit; `None` for what is not measured here.
fn now(name: &str, phases: &[&PhaseResult]) -> Option<f64> {
    let figures: Vec<f64> = phases.iter().filter_map(|phase| figure(name, phase)).collect();
    mean(&figures)
}

fn figure(name: &str, phase: &PhaseResult) -> Option<f64> {
    let of = &phase.resources;
    let number = |of: Option<u64>| of.map(|number| number as f64);
    let rate = |bytes: f64, ns: u64| (ns > 0).then(|| bytes / MEBIBYTE / (ns as f64 / 1e9));
    match name {
        "gc.count" => number(of.gc_collections),
        "gc.time" => number(of.gc_ns).map(|ns| ns / 1e6),
        "gc.alloc.rate" => rate(number(of.allocated_bytes)?, phase.timed_ns),
        "gc.alloc.rate.norm" => per_operation(phase, number(of.allocated_bytes)?),
        _ => {
            let pool = name.strip_prefix("gc.churn.")?;
            let by_operation = pool.strip_suffix(".norm");
            let bytes = number(match by_operation.unwrap_or(pool) {
                pool if pool.contains("Eden") => of.gc_churn_eden_bytes,
                pool if pool.contains("Survivor") => of.gc_churn_survivor_bytes,
                _ => of.gc_churn_other_bytes,
            })?;
            if by_operation.is_some() { per_operation(phase, bytes) } else { rate(bytes, phase.wall_ns) }
        }
    }
}
