//! A plan: workloads, the cells that share them, and the skips.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, Profile, Settings};
use bakeoff_tape::{Estimate, Workload};
use bakeoff_text::format_size;

use crate::axes::Conditions;
use crate::disturbance::Disturbance;
use crate::plan::identity::cell_id;
use crate::plan::skip::{Skip, SkipReason};

/// Estimated size of an operation with a key of 32 bytes.
const TAPE_BYTES_PER_OPERATION: u64 = 64;

/// Estimated size of the video that serves as background load.
const VIDEO_BYTES: u64 = 54 << 20;

/// The cells to measure.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Workloads in a fixed order, each with at least one cell.
    pub workloads: Vec<WorkloadPlan>,
    /// What is skipped. A reason that holds for many cells appears once.
    pub skipped: Vec<Skip>,
}

/// Cells that replay the same tapes and are compared with each other.
#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    /// What determines the tapes.
    pub workload: Workload,
    /// How they are replayed.
    pub conditions: Conditions,
    /// The suite's variant, if it has several.
    pub variant: Option<String>,
    /// One for each store.
    pub cells: Vec<Cell>,
    /// Its estimated size.
    pub estimate: Estimate,
    /// Estimated maximum disk space of a store in this workload, including its compacted copy.
    pub disk_bytes: u64,
}

/// One store with one setting of every axis.
#[derive(Clone, Debug)]
pub struct Cell {
    /// 16 hex digits: a hash of everything that defines the cell. It is the same on every machine and in every run.
    pub id: String,
    /// Its value on every axis.
    pub axes: Axes,
    /// Settings besides the store's defaults: those from the suite, and the store's shares of the memory. Sizes are
    /// integers.
    pub settings: Settings,
    /// The settings among them that are shares of the memory.
    pub memory_settings: Settings,
}

impl Plan {
    /// The same cells, profiled. They are marked and have other ids, since their times are not measurements. Skips
    /// stores for which `can` returns false.
    pub fn profile(&mut self, profile: Profile, can: impl Fn(&str) -> bool) {
        self.leave_out(|axes| !can(&axes.store), &SkipReason::ProfileNotOffered { profile });
        for workload in &mut self.workloads {
            for cell in &mut workload.cells {
                cell.axes.profile = Some(profile);
                cell.id = cell_id(&workload.workload, &cell.axes, &cell.settings);
            }
        }
    }

    /// Skips the stores whose drivers do not answer.
    pub fn skip_unresponsive<'a>(&mut self, lost: impl Iterator<Item = (&'a String, &'a String)>) {
        let skip = |(store, why): (&String, &String)| {
            Skip::of_store(store.clone(), SkipReason::UnresponsiveDriver { why: why.clone() })
        };
        self.skipped.extend(lost.map(skip));
    }

    /// Skips cells that end with a kill, for stores for which `can` returns false.
    pub fn skip_killed(&mut self, can: impl Fn(&str) -> bool) {
        self.leave_out(|axes| axes.killed && !can(&axes.store), &SkipReason::KillNotOffered);
    }

    /// Skips cells of power cuts, for stores for which `can` returns false.
    pub fn skip_cut(&mut self, can: impl Fn(&str) -> bool) {
        self.leave_out(|axes| axes.cut && !can(&axes.store), &SkipReason::CutNotOffered);
    }

    /// Removes unfit cells, and notes the reason once for each store.
    fn leave_out(&mut self, is_unfit: impl Fn(&Axes) -> bool, why: &SkipReason) {
        let mut unfit = BTreeSet::new();
        for workload in &mut self.workloads {
            for cell in workload.cells.extract_if(.., |cell| is_unfit(&cell.axes)) {
                unfit.insert(cell.axes.store);
            }
        }
        self.workloads.retain(|workload| !workload.cells.is_empty());
        self.skipped.extend(unfit.into_iter().map(|store| Skip::of_store(store, why.clone())));
    }

    /// Skips everything that needs a memory limit, which cannot be set here because of `why`.
    pub fn skip_limited(&mut self, why: &str) {
        let limits = self
            .workloads
            .iter()
            .filter_map(|workload| workload.conditions.memory_limit_bytes)
            .collect::<BTreeSet<_>>();
        self.workloads.retain(|workload| workload.conditions.memory_limit_bytes.is_none());
        self.skipped.extend(limits.into_iter().map(|bytes| Skip {
            store: None,
            what: format!("memory-limit {}", format_size(bytes)),
            why: SkipReason::MemoryLimitNotPossible { why: why.to_owned() },
        }));
    }

    /// Estimated peak disk space of a run: the largest store, all tapes and their values, and the video. Workloads with
    /// the same values share them.
    pub fn disk_bytes_max(&self) -> u64 {
        let stores = self.workloads.iter().map(|workload| workload.disk_bytes);
        let pools: BTreeMap<_, _> = self
            .workloads
            .iter()
            .map(|plan| &plan.workload)
            .filter(|workload| workload.import.is_none())
            .map(|workload| (workload.pool_name(), workload.pool_bytes))
            .collect();
        let tapes = self
            .workloads
            .iter()
            .map(|plan| tapes_bytes(&plan.workload, &plan.estimate).saturating_sub(plan.workload.pool_bytes));
        let tapes = tapes.chain(pools.into_values()).fold(0, u64::saturating_add);
        let plays = self.workloads.iter().any(|workload| workload.conditions.disturbance == Disturbance::Video);
        stores.max().unwrap_or(0).saturating_add(tapes).saturating_add(if plays { VIDEO_BYTES } else { 0 })
    }
}

/// The size of a workload's tapes and their values. Zero if they exist already.
pub(crate) fn tapes_bytes(workload: &Workload, estimate: &Estimate) -> u64 {
    if workload.import.is_some() {
        return 0;
    }
    estimate.operations.saturating_mul(TAPE_BYTES_PER_OPERATION).saturating_add(workload.pool_bytes)
}
