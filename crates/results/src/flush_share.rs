//! The share of flushes in write time. All stores on a device wait for flushes alike.
//!
//! If a flush takes a thousand times as long as the rest of a write, stores that flush every write hardly differ. Other
//! properties decide then, and a ranking should state so.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, OperationResult, StoreDescription};
use bakeoff_stats::median;

use crate::cell_rounds::CellRound;
use crate::circumstances::Circumstances;
use crate::figures::COMMIT;
use crate::run::Run;

/// From this share on, flushes count as most of a write.
pub const MOST: f64 = 0.5;

/// The share of flushes in write time.
#[derive(Clone, Debug, PartialEq)]
pub struct FlushShare {
    /// The time of a flush right before the cells, nanoseconds: 4 KiB were appended to a file.
    pub flush_ns: f64,
    /// The time of one flush per acknowledgement, as a share of write time (0 to 1), for a typical store that flushes.
    /// It is a lower limit, since a store may need several flushes.
    pub share: f64,
    /// Names of the stores that flush each write before acknowledging it.
    pub flushing: Vec<String>,
    /// Names of the other stores.
    pub others: Vec<String>,
}

impl FlushShare {
    /// Whether every measured store waits for flushes, so that writes can hardly differ.
    pub fn is_of_all(&self) -> bool {
        self.others.is_empty()
    }
}

/// The share of flushes in the time of individual writes in these rounds. `None` if fewer than two stores flush their
/// writes, or if the share is below [`MOST`].
pub fn flush_share<'a>(run: &Run, cells: impl Iterator<Item = &'a CellRound>) -> Option<FlushShare> {
    gather(run, cells, |_| ()).remove(&()).and_then(|writes| share(&writes))
}

/// The same for each of the run's circumstances.
pub(crate) fn flush_shares(run: &Run) -> BTreeMap<Circumstances, FlushShare> {
    let all = gather(run, run.cells.iter(), Circumstances::of).into_iter();
    all.filter_map(|(circumstances, writes)| Some((circumstances, share(&writes)?))).collect()
}

/// The writes of each ranked store, grouped by some of the axes.
fn gather<'a, K: Ord>(
    run: &Run,
    cells: impl Iterator<Item = &'a CellRound>,
    key: impl Fn(&Axes) -> K,
) -> BTreeMap<K, BTreeMap<&'a str, Writes>> {
    let ranked: BTreeSet<&str> =
        run.stores().iter().filter(|store| is_ranked(store)).map(|store| store.name.as_str()).collect();
    let mut all: BTreeMap<K, BTreeMap<&str, Writes>> = BTreeMap::new();
    for cell in cells.filter(|cell| cell.is_ok() && ranked.contains(cell.end.axes.store.as_str())) {
        let axes = &cell.end.axes;
        all.entry(key(axes)).or_default().entry(&axes.store).or_default().add(cell);
    }
    all
}

fn share(all: &BTreeMap<&str, Writes>) -> Option<FlushShare> {
    let with_writes = || all.iter().filter(|(_, writes)| writes.ns > 0.0);
    let named = |is_flushed: bool| {
        let names = with_writes().filter(|(_, writes)| (writes.flushed_ns > 0.0) == is_flushed);
        names.map(|(name, _)| (*name).to_owned()).collect()
    };
    let (flushing, others): (Vec<String>, Vec<String>) = (named(true), named(false));
    let shares: Vec<f64> = flushing.iter().map(|name| all[name.as_str()].share()).collect();
    let flushes: Vec<f64> = with_writes().flat_map(|(_, writes)| writes.flush_ns.iter().copied()).collect();
    let share = median(&shares).filter(|share| shares.len() > 1 && *share >= MOST)?.min(1.0);
    Some(FlushShare { flush_ns: median(&flushes)?, share, flushing, others })
}

fn is_ranked(store: &StoreDescription) -> bool {
    store.capabilities.keeps_data && !store.test_only
}

/// A store's individually timed writes.
#[derive(Clone, Debug, Default)]
struct Writes {
    /// Their total time.
    ns: f64,
    /// The time of one flush per acknowledgement.
    flushed_ns: f64,
    /// The flush time of each round.
    flush_ns: Vec<f64>,
}

impl Writes {
    fn add(&mut self, cell: &CellRound) {
        let flush_ns = cell.end.flush_ns.map(|ns| ns as f64);
        self.flush_ns.extend(flush_ns);
        for phase in &cell.phases {
            let operations = &phase.result.operations;
            let is_batched = operations.iter().any(|of| of.operation == COMMIT);
            for of in operations.iter().filter(|of| is_write(of) && of.latency.is_some()) {
                // In a batch, only the commit is acknowledged.
                let acknowledged = if !is_batched || of.operation == COMMIT { of.operations } else { 0 };
                self.ns += of.timed_ns.unwrap_or(0) as f64;
                self.flushed_ns += acknowledged as f64 * flush_ns.unwrap_or(0.0);
            }
        }
    }

    fn share(&self) -> f64 {
        self.flushed_ns / self.ns
    }
}

fn is_write(of: &OperationResult) -> bool {
    matches!(of.operation.as_str(), "insert" | "update" | "upsert" | "delete" | "commit")
}
