//! A plan: workloads, the cells that share them, and what is left out.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, Profile, Settings};
use bakeoff_tape::{Estimate, Workload};
use bakeoff_text::format_size;

use crate::axes::Conditions;
use crate::disturbance::Disturbance;
use crate::plan::identity::cell_id;
use crate::plan::skip::{Skip, SkipReason};

/// Of a tape, with a key of 32 bytes.
const TAPE_BYTES_PER_OPERATION: u64 = 64;

/// What the video takes that is a disturbance, about.
const VIDEO_BYTES: u64 = 54 << 20;

/// What to measure, multiplied out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Workloads in a fixed order, each with at least one cell.
    pub workloads: Vec<WorkloadPlan>,
    /// What is left out; a reason that holds for many cells stands there once.
    pub skipped: Vec<Skip>,
}

/// Cells that replay the same tapes and are compared with each other.
#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    /// What determines the tapes.
    pub workload: Workload,
    /// How they are replayed.
    pub conditions: Conditions,
    /// The suite's variant, where it has several.
    pub variant: Option<String>,
    /// One for each store.
    pub cells: Vec<Cell>,
    /// How large it will be, about.
    pub estimate: Estimate,
    /// The most disk that a store of it takes, about, with the compacted copy of it if there is to be one.
    pub disk_bytes: u64,
}

/// One store with one setting of every axis.
#[derive(Clone, Debug)]
pub struct Cell {
    /// 16 hex digits: a hash of everything that defines the cell, the same wherever and however often it is measured.
    pub id: String,
    /// Where it stands on every axis.
    pub axes: Axes,
    /// What the store is opened with besides its defaults: the settings that the suite gives it, and its shares of the memory; sizes
    /// as integers.
    pub settings: Settings,
    /// Those of them that are shares of the memory that the suite gives every store.
    pub memory_settings: Settings,
}

impl Plan {
    /// The same cells, profiled: they say so and have ids of their own, since their figures are no measurement. Left out are those of stores
    /// that `can` says cannot be.
    pub fn profile(&mut self, profile: Profile, can: impl Fn(&str) -> bool) {
        self.leave_out(|axes| !can(&axes.store), &SkipReason::ProfileNotOffered { profile });
        for workload in &mut self.workloads {
            for cell in &mut workload.cells {
                cell.axes.profile = Some(profile);
                cell.id = cell_id(&workload.workload, &cell.axes, &cell.settings);
            }
        }
    }

    /// Says of stores that were left out why: their drivers do not answer.
    pub fn skip_unresponsive<'a>(&mut self, lost: impl Iterator<Item = (&'a String, &'a String)>) {
        let skip = |(store, why): (&String, &String)| {
            Skip::of_store(store.clone(), SkipReason::UnresponsiveDriver { why: why.clone() })
        };
        self.skipped.extend(lost.map(skip));
    }

    /// Leaves out the cells that are to be killed of those stores that `can` says cannot be.
    pub fn skip_killed(&mut self, can: impl Fn(&str) -> bool) {
        self.leave_out(|axes| axes.killed && !can(&axes.store), &SkipReason::KillNotOffered);
    }

    /// Leaves out cells, and says once for each store why.
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

    /// Leaves out whatever needs a limit on memory, which cannot be set for the reason given.
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

    /// The most disk that a run takes at a time, roughly: the largest store, and all tapes with the values on them, which workloads
    /// with the same values share; and the video.
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

/// What the tapes of a workload and the values on them take: nothing more if they are there already.
pub(crate) fn tapes_bytes(workload: &Workload, estimate: &Estimate) -> u64 {
    if workload.import.is_some() {
        return 0;
    }
    estimate.operations.saturating_mul(TAPE_BYTES_PER_OPERATION).saturating_add(workload.pool_bytes)
}
