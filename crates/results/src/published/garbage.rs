//! Allocation and garbage collection of a Java program, as printed by JMH's profiler `gc` in a publication, compared
//! with a run.

use std::collections::BTreeMap;

use bakeoff_protocol::PhaseResult;
use bakeoff_stats::mean;

use super::placed::{circumstances_of, scaled, workload};
use super::{Figure, Kind, Published};
use crate::circumstances::Circumstances;
use crate::figures::per_operation;
use crate::run::Run;
use crate::verdict::{Column, Size};
use crate::winners::{is_same_workload, matching};

/// JMH prints bytes in these.
const MEBIBYTE: f64 = (1 << 20) as f64;

/// A phase of a store: circumstances, workload, store, and the phase's name.
type Place<'a> = (Circumstances, Size, Column, &'a str, &'a str);

/// A phase of a store for which a publication has such figures.
pub struct Garbage<'a> {
    /// Its circumstances.
    pub circumstances: Circumstances,
    /// The store's name.
    pub store: &'a str,
    /// The phase.
    pub phase: &'a str,
    /// Its figures, in the order of the publication.
    pub lines: Vec<Line<'a>>,
}

/// A figure, published and measured.
pub struct Line<'a> {
    /// Its name in JMH.
    pub name: &'a str,
    /// As published. `None` if it was not printed.
    pub then: Option<f64>,
    /// The mean of the run's rounds. `None` if it is not measured here.
    pub now: Option<f64>,
    /// The unit of both.
    pub unit: &'a str,
}

/// The figures that both a run and a publication have.
pub fn of<'a>(run: &'a Run, published: &'a Published) -> Vec<Garbage<'a>> {
    let garbage = published.figures.iter().filter(|figure| figure.measure == Kind::Garbage);
    let theirs: Vec<(Circumstances, &Figure)> = garbage.map(|figure| (circumstances_of(figure), figure)).collect();
    if theirs.is_empty() {
        return Vec::new();
    }
    let both = collected(run).into_iter().map(|((circumstances, size, column, store, phase), rounds)| {
        let is_same = |figure: &&Figure| {
            let (their_size, their_column) = workload(figure, |records| scaled(records, run.record.suite.scale));
            figure.store.as_deref() == Some(store)
                && figure.phase.as_deref() == Some(phase)
                && is_same_workload((their_size, &their_column), (size, &column))
        };
        let theirs = theirs.iter().map(|(circumstances, figure)| (circumstances, *figure));
        let figures: Vec<&Figure> = matching(&circumstances, theirs).filter(is_same).collect();
        Garbage { circumstances, store, phase, lines: lines(&figures, &rounds) }
    });
    both.filter(|of| !of.lines.is_empty()).collect()
}

/// The rounds of every phase with counted collections, in cells that never failed.
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

/// A line for each figure, and one for the mean time per collection.
fn lines<'a>(figures: &[&'a Figure], rounds: &[&PhaseResult]) -> Vec<Line<'a>> {
    let line = |figure: &&'a Figure| {
        let name = figure.parameters.as_deref().unwrap_or_default();
        Line { name, then: figure.mean, now: now(name, rounds), unit: &figure.unit }
    };
    let mut lines: Vec<Line> = figures.iter().map(line).collect();
    let named = |name: &str| lines.iter().rfind(|line| line.name == name);
    let each =
        |ms: Option<f64>, count: Option<f64>| ms.zip(count.filter(|count| *count > 0.0)).map(|(ms, count)| ms / count);
    if let (Some(ms), Some(count)) = (named("gc.time"), named("gc.count")) {
        let (then, now) = (each(ms.then, count.then), each(ms.now, count.now));
        lines.push(Line { name: "gc.time / gc.count", then, now, unit: "ms" });
    }
    lines
}

/// The mean over rounds of JMH's figure `name`, in its unit. `None` if it is not measured here.
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
