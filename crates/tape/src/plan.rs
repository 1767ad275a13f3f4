//! What a workload inserts, lane by lane, before anything is drawn.

use crate::model::RECORDS_MAX;
use crate::random::{Purpose, Stream};
use crate::validate::validate;
use crate::{KeyForm, Operation, PhaseSpec, TapeError, Workload};

/// The kinds of operation of a phase, drawn by their weights.
#[derive(Clone)]
pub(crate) struct Kinds {
    /// The sum of the weights up to and with this kind.
    sums: Vec<(f64, Operation)>,
    stream: Stream,
}

impl Kinds {
    /// The kinds of one lane of a phase that was validated.
    pub(crate) fn new(workload: &Workload, phase: &PhaseSpec, lane: u32) -> Self {
        let mut sum = 0.0;
        let weights = phase.mix.iter().filter(|(_, weight)| **weight > 0.0);
        let sums = weights.map(|(operation, weight)| {
            sum += weight;
            (sum, *operation)
        });
        Self { sums: sums.collect(), stream: Stream::new(workload.seed, &phase.name, lane, Purpose::Kind) }
    }

    #[inline]
    pub(crate) fn draw(&mut self) -> Operation {
        let (total, last) = self.sums[self.sums.len() - 1];
        if self.sums.len() == 1 {
            return last;
        }
        let at = self.stream.unit() * total;
        self.sums.iter().find(|(sum, _)| at < *sum).map_or(last, |(_, operation)| *operation)
    }

    /// How many of the first `operations` are inserts.
    fn count_inserts(mut self, operations: u64) -> u64 {
        match self.sums.as_slice() {
            [(_, only)] => {
                if *only == Operation::Insert {
                    operations
                } else {
                    0
                }
            }
            sums if sums.iter().all(|(_, operation)| *operation != Operation::Insert) => 0,
            _ => (0..operations).filter(|_| self.draw() == Operation::Insert).count() as u64,
        }
    }
}

/// One lane's part of a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanePlan {
    pub(crate) operations: u64,
    pub(crate) inserts: u64,
    /// The index of the lane's first insert; the others follow at the distance of the number of lanes.
    pub(crate) first_insert: u64,
}

/// One phase, as far as it is known beforehand.
pub(crate) struct PhasePlan {
    pub(crate) lanes: Vec<LanePlan>,
    /// All indexes are below this when the phase ends.
    pub(crate) index_end: u64,
}

/// The phases of a workload, as far as they are known beforehand.
pub(crate) struct Plan {
    pub(crate) phases: Vec<PhasePlan>,
    pub(crate) index_end: u64,
}

impl Plan {
    /// Checks a workload, and counts what its phases insert.
    pub(crate) fn new(workload: &Workload) -> Result<Self, TapeError> {
        validate(workload)?;
        let mut plan = Self { phases: Vec::new(), index_end: 0 };
        for phase in &workload.phases {
            let lanes: Vec<_> =
                (0..workload.lanes).map(|lane| plan_lane(workload, phase, lane, plan.index_end)).collect();
            let step = u64::from(workload.lanes);
            let ends = lanes.iter().filter(|lane| lane.inserts > 0);
            let index_end = ends.map(|lane| lane.first_insert + (lane.inserts - 1) * step + 1).max();
            plan.index_end = index_end.unwrap_or(0).max(plan.index_end);
            plan.phases.push(PhasePlan { lanes, index_end: plan.index_end });
            let most = if workload.key == KeyForm::Directory { workload.records } else { RECORDS_MAX };
            if plan.index_end > most {
                let expected = format!("at most {most}: use fewer records or fewer insert operations");
                let what = format!("phase `{}`: records inserted so far", phase.name);
                return Err(TapeError::workload(what, plan.index_end, expected));
            }
        }
        Ok(plan)
    }
}

fn plan_lane(workload: &Workload, phase: &PhaseSpec, lane: u32, index_end: u64) -> LanePlan {
    let (lane_number, lanes) = (u64::from(lane), u64::from(workload.lanes));
    let total = phase.operations.unwrap_or(workload.records);
    let operations = total / lanes + u64::from(lane_number < total % lanes);
    LanePlan {
        operations,
        inserts: Kinds::new(workload, phase, lane).count_inserts(operations),
        first_insert: index_end + (lane_number + lanes - index_end % lanes) % lanes,
    }
}
