//! A unit of measurement: cells of one workload, in one round.

use std::borrow::Cow;

use anyhow::Result;
use bakeoff_suite::{OpenPhase, Plan, WorkloadPlan};

/// Cells of one workload in one round. They are compared, so they are measured close together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Index into the plan's workloads.
    pub(crate) workload: usize,
    /// From 1.
    pub(crate) round: u32,
    /// Indexes into the workload's cells, in the order to run them.
    pub(crate) cells: Vec<usize>,
    /// How its tapes are replayed.
    pub(crate) replay: Replay,
}

/// How the tapes of a workload are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replay {
    /// As the suite says.
    AsPlanned,
    /// The phase that has a rate in a closed loop: each operation begins when the one before has ended.
    Closed,
    /// The phase that has a rate at this one, operations a second.
    AtRate(u64),
}

impl Step {
    /// The workload with the cells that are measured.
    ///
    /// # Errors
    /// It is to be replayed at another rate and has none.
    pub(crate) fn replayed<'p>(&self, plan: &'p Plan) -> Result<Cow<'p, WorkloadPlan>> {
        let workload = &plan.workloads[self.workload];
        Ok(match self.replay {
            Replay::AsPlanned => Cow::Borrowed(workload),
            Replay::Closed => Cow::Owned(workload.closed(&open_phase(workload)?)),
            Replay::AtRate(rate) => Cow::Owned(workload.at_rate(&open_phase(workload)?, rate)),
        })
    }
}

/// The phase of a workload that has a rate.
///
/// # Errors
/// It has none, or several.
pub(crate) fn open_phase(workload: &WorkloadPlan) -> Result<OpenPhase> {
    workload.open_phase().map_err(|why| anyhow::anyhow!("--find-rate: {workload}: {why}"))
}
