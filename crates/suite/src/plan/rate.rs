//! A planned workload at another rate: the same tapes, replayed faster or slower.

use bakeoff_protocol::Axes;
use bakeoff_tape::OpenLoop;

use crate::plan::cells::WorkloadPlan;
use crate::plan::identity::{cell_id, workload_id};

/// The phase of a workload that is an open loop.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenPhase {
    /// Its name.
    pub name: String,
    /// Operations on its schedule.
    pub operations: u64,
    /// Their average rate per second in the suite.
    pub per_second: f64,
    /// Its index among the phases.
    index: usize,
}

impl WorkloadPlan {
    /// The workload's id within a plan: 16 hex digits, the same for the same suite and options.
    pub fn id(&self) -> String {
        let usual = Axes::default();
        workload_id(&self.workload, self.cells.first().map_or(&usual, |cell| &cell.axes))
    }

    /// The only phase that is an open loop.
    ///
    /// # Errors
    /// There is none, or there are several: a message for people.
    pub fn open_phase(&self) -> Result<OpenPhase, String> {
        let workload = &self.workload;
        let open: Vec<OpenPhase> = workload
            .phases
            .iter()
            .enumerate()
            .filter_map(|(index, phase)| {
                let operations = phase.drawn(workload.records);
                let per_second = match phase.open_loop? {
                    OpenLoop::Poisson { per_second } | OpenLoop::Fixed { per_second } => per_second,
                    OpenLoop::Recorded { speed } => operations as f64 * speed / workload.import.as_ref()?.duration_s,
                };
                Some(OpenPhase { name: phase.name.clone(), operations, per_second, index })
            })
            .collect();
        match open.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err("no phase has a rate: each operation begins when the one before has ended. Give one phase of the suite a `rate`, \
                       such as rate = \"1k\"; or replay a tape that has times, with --speed 1"
                .to_owned()),
            several => {
                let names: Vec<_> = several.iter().map(|phase| phase.name.as_str()).collect();
                Err(format!(
                    "the phases {} have a `rate` each, and only one can be looked for: leave it out of the others",
                    names.join(", ")
                ))
            }
        }
    }

    /// The same workload with this phase as a closed loop: each operation starts when the previous one has ended. Its
    /// cells have other ids.
    pub fn closed(&self, phase: &OpenPhase) -> Self {
        let mut plan = self.clone();
        if let Some(spec) = plan.workload.phases.get_mut(phase.index) {
            spec.open_loop = None;
        }
        for cell in &mut plan.cells {
            cell.id = cell_id(&plan.workload, &cell.axes, &cell.settings);
        }
        plan
    }

    /// The same workload with this rate in the phase. Its cells have other ids, and their axes include the rate.
    pub fn at_rate(&self, phase: &OpenPhase, per_second: u64) -> Self {
        let mut plan = self.clone();
        if let Some(open_loop) = plan.workload.phases.get_mut(phase.index).and_then(|spec| spec.open_loop.as_mut()) {
            let speed = open_loop.speed() * per_second as f64 / phase.per_second;
            *open_loop = OpenLoop::Recorded { speed };
        }
        for cell in &mut plan.cells {
            cell.axes.rate_per_second = Some(per_second);
            cell.id = cell_id(&plan.workload, &cell.axes, &cell.settings);
        }
        plan
    }
}
