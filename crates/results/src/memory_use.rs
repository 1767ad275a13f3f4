//! What became of the memory that every store was given, and how much of the page cache it used besides.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{CellEnd, MemorySplit, Settings};

use crate::cell_rounds::CellRound;
use crate::memory_held::{MemoryHeld, memory_held};
use crate::run::Run;

/// Settings that differ by at most this part of what was given come to it: dividing rounds.
const ROUNDING: f64 = 0.01;

/// Memory in a run, over all its rounds that ended well.
#[derive(Clone, Debug, Default)]
pub struct MemoryUses<'a> {
    /// The amounts that stores were given, bytes.
    pub given_bytes: BTreeSet<u64>,
    /// The limits that cells had, bytes.
    pub limit_bytes: BTreeSet<u64>,
    /// Each store's part, by its name.
    pub by_store: BTreeMap<&'a str, MemoryUse>,
}

/// One store's part.
#[derive(Clone, Debug, Default)]
pub struct MemoryUse {
    /// What the memory became, with the fewest threads first.
    pub became: Vec<Became>,
    /// What it held of what it was given, where it held most for that; `None` where no cell shows it.
    pub held: Option<MemoryHeld>,
    /// The most that its files had of the page cache when they were closed, bytes.
    pub page_cache_bytes: Option<u64>,
    /// The most that a cell with a limit took, bytes.
    pub peak_bytes: Option<u64>,
}

/// Settings that the memory became.
#[derive(Clone, Debug, PartialEq)]
pub struct Became {
    /// The settings; none if it is the page cache's, or the suite sets what would share it.
    pub settings: Settings,
    /// What they come to, bytes, where that is another amount than was given.
    pub other_bytes: Option<u64>,
    /// With how many threads.
    pub threads: BTreeSet<u32>,
}

impl<'a> MemoryUses<'a> {
    /// Those of a run; `None` unless its suite gives stores memory, or limits it.
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
    /// Whether some settings come to another amount than was given.
    pub fn is_other(&self) -> bool {
        self.became.iter().any(|became| became.other_bytes.is_some())
    }

    fn add(&mut self, cell: &CellRound, run: &Run) {
        let end = &cell.end;
        let store = run.stores().iter().find(|store| store.name == end.axes.store);
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

/// What a cell's settings come to, if that is another amount than was given.
fn other_bytes(split: &MemorySplit, memory_bytes: u64, end: &CellEnd) -> Option<u64> {
    if split.shares.is_empty() {
        return None;
    }
    let mut settings = end.axes.settings.clone();
    settings.extend(end.memory_settings.clone());
    let taken_bytes = split.taken_bytes(&settings, end.axes.threads);
    (taken_bytes.abs_diff(memory_bytes) as f64 > memory_bytes as f64 * ROUNDING).then_some(taken_bytes)
}
