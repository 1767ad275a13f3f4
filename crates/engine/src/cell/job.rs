//! A cell with everything that is needed to run it, and the request that its driver gets.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bakeoff_protocol::{Crash, PROTOCOL_VERSION, Request, StoreDescription};
use bakeoff_suite::{Cell, WarmUpLimit, WorkloadPlan};
use bakeoff_tape::{Recording, Seal};

use crate::cell::request::{Phases, data_hints, phase_request, value_sizes, warm_up_request};
use crate::drivers::discovery::Driver;
use crate::place::cgroup::MemoryGroups;
use crate::place::made_media::NewFileSystem;
use crate::place::names::TEMPORARY;

/// What a cell's power cuts need besides what every cell does.
#[derive(Clone, Copy)]
pub(crate) struct CutJob<'a> {
    pub(crate) file_system: &'a NewFileSystem,
    /// Cuts in a round, besides those of controls.
    pub(crate) cuts: u32,
    /// The suite's seed.
    pub(crate) seed: u64,
}

/// A cell with everything needed to run it.
pub(crate) struct CellJob<'a> {
    pub(crate) workload: &'a WorkloadPlan,
    pub(crate) cell: &'a Cell,
    pub(crate) store: &'a StoreDescription,
    pub(crate) driver: &'a Driver,
    /// Our directory on the medium, for what a disturbance needs.
    pub(crate) scratch: &'a Path,
    /// The directory of files that cells share: tapes, and files for a disturbance.
    pub(crate) shared: &'a Path,
    pub(crate) recording: &'a Recording,
    /// What tells whether a driver changed a file that it shares with others; `None` by hand.
    pub(crate) seal: Option<&'a Seal>,
    /// How far to warm up drivers that want it, and with what.
    pub(crate) warm_up: Option<(WarmUpLimit, &'a Recording)>,
    /// Whether stores that can make a compacted copy of themselves do.
    pub(crate) compacted_copy: bool,
    pub(crate) timeout: Duration,
    /// What the limit comes from, for people.
    pub(crate) timeout_from: &'static str,
    /// When the cell is abandoned, if the run has a budget.
    pub(crate) deadline: Option<Instant>,
    pub(crate) memory_bytes_max: Option<u64>,
    /// Where the cell's memory can be limited.
    pub(crate) groups: Option<&'a MemoryGroups>,
    /// How the power is cut, if it is to be.
    pub(crate) cut: Option<CutJob<'a>>,
    /// The command that shows a failure again.
    pub(crate) again: String,
}

impl<'a> CellJob<'a> {
    /// The phases, sorted by what the store offers.
    pub(crate) fn phases(&self) -> Phases<'a> {
        Phases::of(&self.workload.workload, self.recording, &self.store.capabilities)
    }

    /// The request to the driver, for the store's files in `directory`.
    pub(crate) fn request(&self, round: u32, directory: PathBuf) -> Request {
        let value_sizes = value_sizes(&self.workload.workload);
        Request {
            compacted_copy: self.is_copied().then(|| directory.with_file_name(TEMPORARY).join("compacted-copy")),
            protocol: PROTOCOL_VERSION,
            cell: self.cell.id.clone(),
            round,
            store: self.cell.axes.store.clone(),
            durability: self.cell.axes.durability,
            settings: self.cell.settings.clone(),
            directory,
            pool: self.recording.pool.clone(),
            hints: data_hints(&self.recording.hints, self.workload.workload.lanes),
            phases: self.phases().asked.iter().map(|(spec, tape)| phase_request(spec, tape, &value_sizes)).collect(),
            warm_up: self.warm_up(),
            verify: self.can_list().then(|| self.recording.verify.clone()),
            crash: self.cell.axes.killed.then_some(Crash::Die),
            acknowledged: None,
            inventory: None,
            profile: None,
        }
    }

    /// Whether the store must make a compacted copy of itself.
    pub(crate) fn is_copied(&self) -> bool {
        self.compacted_copy && self.store.capabilities.compacted_copy && !self.cell.axes.killed
    }

    fn warm_up(&self) -> Option<bakeoff_protocol::WarmUp> {
        let (limit, recording) = self.warm_up.filter(|_| self.driver.description.warms_up)?;
        warm_up_request(limit, recording, &self.phases(), self.workload.workload.lanes)
    }

    /// Whether the store can show everything in it, so that its content can be compared at the end.
    pub(crate) fn can_list(&self) -> bool {
        let capabilities = &self.store.capabilities;
        capabilities.scan_any_order || capabilities.scan_ordered
    }
}
