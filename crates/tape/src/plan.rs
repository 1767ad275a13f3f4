//! What a workload inserts, lane by lane, before anything is drawn.

use crate::key::key_bytes_needed;
use crate::model::RECORDS_MAX;
use crate::random::{Purpose, Stream};
use crate::turnover::{Alive, Turns};
use crate::validate::validate;
use crate::{KeyForm, KeyMaker, Operation, PhaseSpec, TapeError, Workload};

/// The kinds of operation of a phase, drawn by their weights.
#[derive(Clone)]
pub(crate) struct Kinds {
    /// The sum of the weights up to and with this kind.
    sums: Vec<(f64, Operation)>,
    stream: Stream,
    /// Where inserts and deletes take turns, whichever of the two is drawn.
    turns: Option<Turns>,
}

impl Kinds {
    /// The kinds of one lane of a phase that was validated.
    pub(crate) fn new(workload: &Workload, phase: &PhaseSpec, lane: u32, turns: Option<Turns>) -> Self {
        let mut sum = 0.0;
        let weights = phase.mix.iter().filter(|(_, weight)| **weight > 0.0);
        let sums = weights.map(|(operation, weight)| {
            sum += weight;
            (sum, *operation)
        });
        Self { sums: sums.collect(), stream: Stream::new(workload.seed, &phase.name, lane, Purpose::Kind), turns }
    }

    #[inline]
    pub(crate) fn draw(&mut self) -> Operation {
        let (total, last) = self.sums[self.sums.len() - 1];
        if self.sums.len() == 1 {
            return last;
        }
        let at = self.stream.unit() * total;
        let drawn = self.sums.iter().find(|(sum, _)| at < *sum).map_or(last, |(_, operation)| *operation);
        match (&mut self.turns, drawn) {
            (Some(turns), Operation::Insert | Operation::Delete) => turns.next(),
            _ => drawn,
        }
    }

    /// How many of the first `operations` are inserts, and how many records a lane then has and had at most.
    fn count(mut self, operations: u64, mut alive: Alive) -> (u64, Alive) {
        let changes = |operation: &Operation| matches!(operation, Operation::Insert | Operation::Delete);
        let mut inserts = 0;
        match self.sums.as_slice() {
            sums if !sums.iter().any(|(_, operation)| changes(operation)) => {}
            [(_, Operation::Insert)] => {
                inserts = operations;
                alive = Alive::new(alive.now + inserts);
            }
            [_] => alive.now = alive.now.saturating_sub(operations),
            _ => {
                for _ in 0..operations {
                    let drawn = self.draw();
                    inserts += u64::from(drawn == Operation::Insert);
                    alive.change(drawn);
                }
            }
        }
        (inserts, alive)
    }
}

/// One lane's part of a phase.
#[derive(Clone, Debug)]
pub(crate) struct LanePlan {
    pub(crate) operations: u64,
    pub(crate) inserts: u64,
    /// The index of the lane's first insert; the others follow at the distance of the number of lanes.
    pub(crate) first_insert: u64,
    /// By how many records it may grow during the phase, at most.
    pub(crate) grows: u64,
    /// How inserts and deletes take turns, if they do.
    pub(crate) turns: Option<Turns>,
}

/// Facts about one phase before it is recorded.
pub(crate) struct PhasePlan {
    pub(crate) lanes: Vec<LanePlan>,
    /// All indexes are below this when the phase ends.
    pub(crate) index_end: u64,
}

/// Facts about the phases of a workload before they are recorded.
pub(crate) struct Plan {
    pub(crate) phases: Vec<PhasePlan>,
    pub(crate) index_end: u64,
}

impl Plan {
    /// Checks a workload, and counts what its phases insert.
    pub(crate) fn new(workload: &Workload) -> Result<Self, TapeError> {
        validate(workload)?;
        let mut plan = Self { phases: Vec::new(), index_end: 0 };
        // Records of each lane.
        let mut alive = vec![0; workload.lanes as usize];
        for phase in &workload.phases {
            let of_lane = |(lane, alive)| plan_lane(workload, phase, (lane, alive), plan.index_end);
            let lanes: Vec<_> = (0..).zip(&mut alive).map(of_lane).collect();
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
        let asks_missing = workload.phases.iter().any(|phase| phase.missing > 0.0);
        let spare = u64::from(workload.key == KeyForm::Integer && asks_missing);
        let most = KeyMaker::of(workload).count();
        if plan.index_end.saturating_add(spare) > most {
            let needed = key_bytes_needed(workload.key, plan.index_end + spare);
            let expected =
                format!("{needed} bytes at least for {} records: keys this short name {most}", plan.index_end);
            return Err(TapeError::workload("key_bytes", workload.key_name(), expected));
        }
        Ok(plan)
    }
}

/// The part of a lane that has `alive` records. `alive` becomes the number that the phase leaves.
fn plan_lane(workload: &Workload, phase: &PhaseSpec, (lane, alive): (u32, &mut u64), index_end: u64) -> LanePlan {
    let (lane_number, lanes) = (u64::from(lane), u64::from(workload.lanes));
    let phase = &phase.of_lane(lane, workload.lanes, workload.records);
    let operations = phase.drawn(workload.records);
    let turns = Turns::of(phase, operations, *alive);
    let kinds = Kinds::new(workload, phase, lane, turns.clone());
    let (inserts, after) = kinds.count(operations, Alive::new(*alive));
    let grows = if turns.is_some() { after.most - *alive } else { inserts };
    if !phase.restore {
        *alive = after.now;
    }
    LanePlan {
        operations,
        inserts,
        first_insert: index_end + (lane_number + lanes - index_end % lanes) % lanes,
        grows,
        turns,
    }
}
