//! How much of the time of writes is a flush, which all stores on a device wait for alike.
//!
//! Stores that flush every write differ little where a flush takes a thousand times as long as all else they do. Then other things
//! decide, and a ranking should say so.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, OperationResult, StoreDescription};
use bakeoff_stats::median;

use crate::cell_rounds::CellRound;
use crate::circumstances::Circumstances;
use crate::figures::COMMIT;
use crate::run::Run;

/// A flush is most of a write from this part of its time on.
pub const MOST: f64 = 0.5;

/// What flushes are of the time of writes.
#[derive(Clone, Debug, PartialEq)]
pub struct FlushShare {
    /// What a flush took right before the cells, nanoseconds: of 4 KiB that were added to a file.
    pub flush_ns: f64,
    /// One flush for each acknowledgement, as part of the time of writes, 0 to 1: that of a typical store that flushes. A store may need more
    /// flushes than one, so it is at least this.
    pub share: f64,
    /// Names of the stores that flush each write before it is acknowledged.
    pub flushing: Vec<String>,
    /// Names of the others.
    pub others: Vec<String>,
}

impl FlushShare {
    /// Whether every store that was measured waits for flushes, so that they can hardly differ in writes.
    pub fn is_of_all(&self) -> bool {
        self.others.is_empty()
    }
}

/// What flushes are of the time of single writes in these rounds. `None` if fewer than two stores flush their writes, or if flushes are less than
/// [`MOST`] of that.
pub fn flush_share<'a>(run: &Run, cells: impl Iterator<Item = &'a CellRound>) -> Option<FlushShare> {
    gather(run, cells, |_| ()).remove(&()).and_then(|writes| share(&writes))
}

/// The same under each of the circumstances of a run.
pub(crate) fn flush_shares(run: &Run) -> BTreeMap<Circumstances, FlushShare> {
    let all = gather(run, run.cells.iter(), Circumstances::of).into_iter();
    all.filter_map(|(circumstances, writes)| Some((circumstances, share(&writes)?))).collect()
}

/// The writes of each ranked store, by a part of the axes of its cells.
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

/// The writes of a store that were timed one by one.
#[derive(Clone, Debug, Default)]
struct Writes {
    /// Time in them.
    ns: f64,
    /// The time of one flush for each acknowledgement.
    flushed_ns: f64,
    /// What a flush took in each round.
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
                // Of a batch the commit alone is acknowledged.
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
