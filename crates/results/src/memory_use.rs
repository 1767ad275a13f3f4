//! How stores used the given memory, and the page cache that they used in addition.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{CellEnd, MemorySplit, Settings};

use crate::cell_rounds::CellRound;
use crate::memory_held::{MemoryHeld, memory_held};
use crate::run::Run;

/// Settings within this fraction of the given amount count as equal to it: division rounds.
const ROUNDING: f64 = 0.01;

/// Memory in a run, over all rounds that ended well.
#[derive(Clone, Debug, Default)]
pub struct MemoryUses<'a> {
    /// The given amounts, bytes.
    pub given_bytes: BTreeSet<u64>,
    /// The memory limits of cells, bytes.
    pub limit_bytes: BTreeSet<u64>,
    /// Each store's use, by its name.
    pub by_store: BTreeMap<&'a str, MemoryUse>,
}

/// One store's use of memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryUse {
    /// The settings that the memory became, fewest threads first.
    pub became: Vec<Became>,
    /// The memory it held, in the cell with the highest ratio to the given amount. `None` if no cell shows it.
    pub held: Option<MemoryHeld>,
    /// The maximum of its files' pages in the page cache at closing, bytes.
    pub page_cache_bytes: Option<u64>,
    /// The peak of a cell with a memory limit, bytes.
    pub peak_bytes: Option<u64>,
}

/// Settings that the memory became.
#[derive(Clone, Debug, PartialEq)]
pub struct Became {
    /// The settings. Empty if the page cache gets the memory, or if the suite sets them.
    pub settings: Settings,
    /// Their sum, bytes, if it differs from the given amount.
    pub other_bytes: Option<u64>,
    /// The numbers of threads with these settings.
    pub threads: BTreeSet<u32>,
}

impl<'a> MemoryUses<'a> {
    /// The memory of a run. `None` unless its suite gives stores memory, or limits it.
    pub fn of(run: &'a Run) -> Option<Self> {
        let mut uses = Self::default();
        for cell in run.cells.iter().filter(|cell| cell.is_ok()) {
            let axes = &cell.end.axes;
            uses.given_bytes.extend(axes.memory_bytes);
            uses.limit_bytes.extend(axes.memory_limit_bytes);
            uses.by_store.entry(&axes.store).or_default().add(cell, run);
        }
        for of in uses.by_store.values_mut() {
            let order = |of: &Became| (of.threads.first().copied(), serde_json::to_string(&of.settings).ok());
            of.became.sort_by_cached_key(order);
        }
        (!uses.given_bytes.is_empty() || !uses.limit_bytes.is_empty()).then_some(uses)
    }
}

impl MemoryUse {
    /// Whether some settings have another sum than the given amount.
    pub fn is_other(&self) -> bool {
        self.became.iter().any(|became| became.other_bytes.is_some())
    }

    fn add(&mut self, cell: &CellRound, run: &Run) {
        let end = &cell.end;
        let store = run.store(&end.axes.store);
        let held = [self.held, memory_held(cell, store)].into_iter().flatten();
        self.held = held.max_by(|a, b| a.part().total_cmp(&b.part()));
        if let Some(memory_bytes) = end.axes.memory_bytes {
            let split = store.and_then(|store| store.memory.as_ref());
            let other_bytes = split.and_then(|split| other_bytes(split, memory_bytes, end));
            let is_same = |of: &&mut Became| of.settings == end.memory_settings && of.other_bytes == other_bytes;
            match self.became.iter_mut().find(is_same) {
                Some(of) => _ = of.threads.insert(end.axes.threads),
                None => self.became.push(Became {
                    settings: end.memory_settings.clone(),
                    other_bytes,
                    threads: BTreeSet::from([end.axes.threads]),
                }),
            }
        }
        let page_cache_bytes = end.finished.as_ref().and_then(|finished| finished.page_cache_bytes);
        self.page_cache_bytes = self.page_cache_bytes.max(page_cache_bytes);
        self.peak_bytes = self.peak_bytes.max(end.memory_peak_bytes);
    }
}

/// The sum of a cell's settings, if it differs from the given amount.
fn other_bytes(split: &MemorySplit, memory_bytes: u64, end: &CellEnd) -> Option<u64> {
    if split.shares.is_empty() {
        return None;
    }
    let mut settings = end.axes.settings.clone();
    settings.extend(end.memory_settings.clone());
    let taken_bytes = split.taken_bytes(&settings, end.axes.threads);
    (taken_bytes.abs_diff(memory_bytes) as f64 > memory_bytes as f64 * ROUNDING).then_some(taken_bytes)
}
