//! Every store's figures in every workload: rate, typical mean and its range over rounds, percentiles, maximum.

use std::collections::BTreeMap;

use bakeoff_protocol::{Axes, Latency, PhaseResult, SizeResult, ValueSizeRange};
use bakeoff_stats::{Rounds, median};

use crate::cell_rounds::phase_order;
use crate::circumstances::Circumstances;
use crate::contender::{Contender, Contenders};
use crate::figures::{Measure, asked_per_second, is_per_entry, is_told, timings};
use crate::run::Run;
use crate::verdict::{Column, Size};

/// A timed measure of a workload, in display order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimedPlace {
    /// The circumstances.
    pub circumstances: Circumstances,
    /// The phase's place among all phases.
    order: usize,
    /// The measure.
    pub measure: Measure,
    /// Whether rate and mean are per entry of a scan.
    pub per_entry: bool,
    /// Operations per second that were due, in an open loop.
    pub asked_per_second: Option<u64>,
    /// Smallest and largest value.
    pub size: Size,
    /// Data and number of records.
    pub column: Column,
    /// The range of value sizes, if the figures are only for these. Figures for all sizes come first.
    pub sizes: Option<ValueSizeRange>,
}

impl TimedPlace {
    /// The place of the same operations on values of all sizes.
    pub fn of_all_sizes(&self) -> Self {
        Self { sizes: None, ..self.clone() }
    }
}

/// One store's figures there, over all rounds of a cell that never failed.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreFigures<'a> {
    /// The store.
    pub contender: &'a Contender,
    /// Whether it is ranked there.
    pub ranked: bool,
    /// Operations per second (entries for scans), of the typical round.
    pub per_second: Option<f64>,
    /// The mean time, of the typical round.
    pub mean_ns: Option<f64>,
    /// The lowest and the highest mean. `None` with a single round.
    pub range_ns: Option<(f64, f64)>,
    /// p50, p99 and p99.9: medians over rounds.
    pub percentiles: [Percentile; 3],
    /// The maximum of all rounds.
    pub max_ns: Option<u64>,
}

/// A percentile of latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Percentile {
    /// Nanoseconds.
    Ns(f64),
    /// Too few operations lie beyond it.
    TooFew,
    /// Operations were not timed individually.
    Unknown,
}

/// p50, p99 and p99.9, as medians over rounds. `operations` has the number of operations in each round.
pub(crate) fn percentiles(rounds: &[&Latency], operations: &[u64]) -> [Percentile; 3] {
    let percentile = |share: f64, of: fn(&Latency) -> u64| {
        let values: Vec<f64> = rounds.iter().map(|latency| of(latency) as f64).collect();
        match median(&values) {
            Some(_) if !is_told(share, operations) => Percentile::TooFew,
            Some(median) => Percentile::Ns(median),
            None => Percentile::Unknown,
        }
    };
    [
        percentile(0.5, |latency| latency.latency_ns_p50),
        percentile(0.99, |latency| latency.latency_ns_p99),
        percentile(0.999, |latency| latency.latency_ns_p999),
    ]
}

/// The rounds of one store in one place.
struct Gathered<'a> {
    contender: &'a Contender,
    ranked: bool,
    means_ns: Rounds,
    rates: Rounds,
    latencies: Vec<&'a Latency>,
    /// The number of operations in each round.
    operations: Vec<u64>,
    max_ns: Option<u64>,
}

/// Every place with the figures of its stores, the smallest mean first.
pub fn store_figures<'a>(run: &'a Run, contenders: &'a Contenders) -> BTreeMap<TimedPlace, Vec<StoreFigures<'a>>> {
    let order = phase_order(&run.cells);
    let mut places: BTreeMap<TimedPlace, BTreeMap<&str, Gathered>> = BTreeMap::new();
    for cell in run.counted() {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes) else { continue };
        for line in &cell.phases {
            let phase = &line.result.phase;
            for timing in timings(&line.result) {
                let operation = timing.mixed.then(|| timing.operation.to_owned());
                let place = TimedPlace {
                    measure: Measure::Time { phase: phase.clone(), operation },
                    per_entry: is_per_entry(timing.operation),
                    asked_per_second: asked_per_second(line).map(|rate| rate.round() as u64),
                    ..place(axes, order.iter().position(|name| name == phase).unwrap_or(order.len()))
                };
                for of in by_size(&line.result, timing.operation) {
                    let place = TimedPlace { sizes: Some(of.sizes), ..place.clone() };
                    let figures = places.entry(place).or_default().entry(&contender.key);
                    let figures = figures.or_insert_with(|| Gathered::new(contender, axes));
                    let part = of.operations as f64 / timing.operations.max(1) as f64;
                    let (mean_ns, latency) = (of.latency.latency_ns_mean as f64, Some(&of.latency));
                    let max_ns = Some(of.latency.latency_ns_max);
                    figures.add(cell.end.round, (mean_ns, timing.per_second * part), (latency, of.operations), max_ns);
                }
                let figures = places.entry(place).or_default().entry(&contender.key);
                let figures = figures.or_insert_with(|| Gathered::new(contender, axes));
                let latency = (timing.latency, timing.operations);
                figures.add(cell.end.round, (timing.mean_ns, timing.per_second), latency, timing.max_ns);
            }
        }
    }
    add_unknown(&mut places);
    let figures = |stores: BTreeMap<&str, Gathered<'a>>| {
        let mut figures: Vec<StoreFigures> = stores.into_values().map(Gathered::figures).collect();
        figures.sort_by(|a, b| a.mean_ns.unwrap_or(0.0).total_cmp(&b.mean_ns.unwrap_or(0.0)));
        figures
    };
    places.into_iter().map(|(place, stores)| (place, figures(stores))).collect()
}

/// Whether any phase has latencies by value size.
pub fn reports_sizes(run: &Run) -> bool {
    let phases = run.cells.iter().flat_map(|cell| &cell.phases);
    phases.flat_map(|line| &line.result.operations).any(|of| !of.by_size.is_empty())
}

/// The times of a kind of operation in a phase, by value size.
fn by_size<'a>(result: &'a PhaseResult, operation: &str) -> &'a [SizeResult] {
    result.operations.iter().find(|of| of.operation == operation).map_or(&[], |of| &of.by_size)
}

/// Adds a line without figures for stores whose drivers do not distinguish sizes, if other drivers do.
fn add_unknown<'a>(places: &mut BTreeMap<TimedPlace, BTreeMap<&'a str, Gathered<'a>>>) {
    let of_sizes: Vec<TimedPlace> = places.keys().filter(|place| place.sizes.is_some()).cloned().collect();
    for place in of_sizes {
        let Some(whole) = places.get(&place.of_all_sizes()) else { continue };
        let unknown = |of: &Gathered<'a>| Gathered { ranked: of.ranked, ..Gathered::unknown(of.contender) };
        let all: Vec<_> = whole.iter().map(|(key, of)| (*key, unknown(of))).collect();
        let there = places.entry(place).or_default();
        for (key, unknown) in all {
            there.entry(key).or_insert(unknown);
        }
    }
}

/// The place of the whole phase with this index.
fn place(axes: &Axes, order: usize) -> TimedPlace {
    TimedPlace {
        circumstances: Circumstances::of(axes),
        order,
        measure: Measure::Time { phase: String::new(), operation: None },
        per_entry: false,
        asked_per_second: None,
        size: (axes.value_bytes_min, axes.value_bytes_max),
        column: Column { data: axes.data.clone(), records: axes.records },
        sizes: None,
    }
}

impl<'a> Gathered<'a> {
    fn new(contender: &'a Contender, axes: &Axes) -> Self {
        Self { ranked: contender.ranked && axes.profile.is_none(), ..Self::unknown(contender) }
    }

    /// No figures.
    fn unknown(contender: &'a Contender) -> Self {
        let (means_ns, rates) = (Rounds::default(), Rounds::default());
        Self { contender, ranked: false, means_ns, rates, latencies: Vec::new(), operations: Vec::new(), max_ns: None }
    }

    /// Adds a round: mean time and rate, latencies and their number of operations, the maximum.
    fn add(
        &mut self,
        round: u32,
        (mean_ns, per_second): (f64, f64),
        (latency, operations): (Option<&'a Latency>, u64),
        max_ns: Option<u64>,
    ) {
        self.means_ns.add(round, mean_ns);
        self.rates.add(round, per_second);
        self.latencies.extend(latency);
        self.operations.extend(latency.map(|_| operations));
        self.max_ns = self.max_ns.max(max_ns);
    }

    fn figures(self) -> StoreFigures<'a> {
        StoreFigures {
            contender: self.contender,
            ranked: self.ranked,
            per_second: self.rates.centre(),
            mean_ns: self.means_ns.centre(),
            range_ns: self.means_ns.range().filter(|_| self.means_ns.len() > 1),
            percentiles: percentiles(&self.latencies, &self.operations),
            max_ns: self.max_ns,
        }
    }
}
