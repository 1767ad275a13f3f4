//! Every store's figures in every workload: rate, typical mean and its range over rounds, percentiles, largest.

use std::collections::BTreeMap;

use bakeoff_protocol::{Axes, Latency};
use bakeoff_stats::{Rounds, median};

use crate::cell_rounds::phase_order;
use crate::circumstances::Circumstances;
use crate::contender::{Contender, Contenders};
use crate::figures::{Measure, asked_per_second, is_per_entry, is_told, timings};
use crate::run::Run;
use crate::verdict::{Column, Size};

/// A timed measure of a workload, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimedPlace {
    /// Under which circumstances.
    pub circumstances: Circumstances,
    /// The phase's place among all phases.
    order: usize,
    /// The measure.
    pub measure: Measure,
    /// Whether rate and mean are per entry of a scan.
    pub per_entry: bool,
    /// Operations a second that were due, if it was an open loop.
    pub asked_per_second: Option<u64>,
    /// Smallest and largest value.
    pub size: Size,
    /// Data and number of records.
    pub column: Column,
}

/// One store's figures there, over all rounds of a cell that never failed.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreFigures<'a> {
    /// The store.
    pub contender: &'a Contender,
    /// Whether it is ranked there.
    pub ranked: bool,
    /// Operations (for scans entries) a second, of the typical round.
    pub per_second: Option<f64>,
    /// The mean time, of the typical round.
    pub mean_ns: Option<f64>,
    /// The lowest and the highest mean; `None` of a single round.
    pub range_ns: Option<(f64, f64)>,
    /// p50, p99 and p99.9: medians over rounds.
    pub percentiles: [Percentile; 3],
    /// The largest of all rounds.
    pub max_ns: Option<u64>,
}

/// A percentile of latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Percentile {
    /// Nanoseconds.
    Ns(f64),
    /// Too few operations are beyond it.
    TooFew,
    /// Operations were not timed one by one.
    Unknown,
}

/// The rounds of one store in one place.
struct Gathered<'a> {
    contender: &'a Contender,
    ranked: bool,
    means_ns: Rounds,
    rates: Rounds,
    latencies: Vec<&'a Latency>,
    /// Of how many operations each of them is.
    operations: Vec<u64>,
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
                let of = places.entry(place).or_default().entry(&contender.key);
                let of = of.or_insert_with(|| Gathered::new(contender, axes));
                of.means_ns.add(cell.end.round, timing.mean_ns);
                of.rates.add(cell.end.round, timing.per_second);
                of.latencies.extend(timing.latency);
                of.operations.extend(timing.latency.map(|_| timing.operations));
            }
        }
    }
    let figures = |stores: BTreeMap<&str, Gathered<'a>>| {
        let mut figures: Vec<StoreFigures> = stores.into_values().map(Gathered::figures).collect();
        figures.sort_by(|a, b| a.mean_ns.unwrap_or(0.0).total_cmp(&b.mean_ns.unwrap_or(0.0)));
        figures
    };
    places.into_iter().map(|(place, stores)| (place, figures(stores))).collect()
}

/// Where the whole phase with this place among the phases is.
fn place(axes: &Axes, order: usize) -> TimedPlace {
    TimedPlace {
        circumstances: Circumstances::of(axes),
        order,
        measure: Measure::Time { phase: String::new(), operation: None },
        per_entry: false,
        asked_per_second: None,
        size: (axes.value_bytes_min, axes.value_bytes_max),
        column: Column { data: axes.data.clone(), records: axes.records },
    }
}

impl<'a> Gathered<'a> {
    fn new(contender: &'a Contender, axes: &Axes) -> Self {
        let ranked = contender.ranked && axes.profile.is_none();
        let (means_ns, rates) = (Rounds::default(), Rounds::default());
        Self { contender, ranked, means_ns, rates, latencies: Vec::new(), operations: Vec::new() }
    }

    fn figures(self) -> StoreFigures<'a> {
        let percentile = |share: f64, of: fn(&Latency) -> u64| {
            let values: Vec<f64> = self.latencies.iter().map(|latency| of(latency) as f64).collect();
            match median(&values) {
                Some(_) if !is_told(share, &self.operations) => Percentile::TooFew,
                Some(median) => Percentile::Ns(median),
                None => Percentile::Unknown,
            }
        };
        StoreFigures {
            contender: self.contender,
            ranked: self.ranked,
            per_second: self.rates.centre(),
            mean_ns: self.means_ns.centre(),
            range_ns: self.means_ns.range().filter(|_| self.means_ns.len() > 1),
            percentiles: [
                percentile(0.5, |latency| latency.latency_ns_p50),
                percentile(0.99, |latency| latency.latency_ns_p99),
                percentile(0.999, |latency| latency.latency_ns_p999),
            ],
            max_ns: self.latencies.iter().map(|latency| latency.latency_ns_max).max(),
        }
    }
}
