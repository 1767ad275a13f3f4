//! Whether records last through a phase that deletes some, and inserts and deletes that take turns where they might not.

use crate::random::{Permutation, Stream};
use crate::{Operation, PhaseSpec};

/// The most of `operations` that can be expected to be of a kind with this share of them: six standard deviations above the mean.
pub fn drawn_max(share: f64, operations: u64) -> u64 {
    if share == 0.0 {
        return 0;
    }
    let mean = operations as f64 * share;
    let most = mean + 6.0 * (mean * (1.0 - share)).sqrt();
    (most.ceil() as u64).min(operations)
}

impl PhaseSpec {
    /// The part of the operations that are of this kind, on average.
    pub fn share(&self, operation: Operation) -> f64 {
        let total: f64 = self.mix.values().sum();
        self.mix.get(&operation).map_or(0.0, |weight| weight / total)
    }

    /// The fewest of its `alive` records that a lane still has after `operations` of this phase.
    ///
    /// # Errors
    /// They may run out: how many the phase may take away in all, and whether one must be left for its other operations.
    pub fn records_left(&self, operations: u64, alive: u64) -> Result<u64, RunsOut> {
        let deletes = if self.restore { 0 } else { drawn_max(self.share(Operation::Delete), operations) };
        let taken = match Turns::of(self, operations, alive) {
            Some(turns) => turns.taken_max(self, operations),
            None => deletes,
        };
        let finds = |operation| operation != Operation::Insert && operation != Operation::Delete && self.has(operation);
        let one_left = Operation::ALL.into_iter().any(finds);
        let needed = taken + u64::from(one_left);
        if needed > alive {
            return Err(RunsOut { taken, one_left });
        }
        let only_inserts = self.share(Operation::Insert) == 1.0 && !self.restore;
        Ok(alive - taken + if only_inserts { operations } else { 0 })
    }
}

/// A phase may take away more records than a lane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunsOut {
    /// Records that it may take away: its deletes, less the inserts that replace them.
    pub taken: u64,
    /// Whether its other operations need one more that is never deleted.
    pub one_left: bool,
}

/// Inserts and deletes of a lane that take turns. Among the first N of them, for every N, the inserts are the part that
/// the weights give, rounded up. So the number of records alive follows its mean, and inserts refill what deletes take.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    /// Inserts by inserts and deletes.
    insert_share: f64,
    /// Inserts and deletes so far.
    changes: u64,
    inserts: u64,
}

impl Turns {
    /// Turns where a lane inserts and deletes, and might run out of its `alive` records if each kind were drawn alone.
    pub(crate) fn of(phase: &PhaseSpec, operations: u64, alive: u64) -> Option<Self> {
        let (insert, delete) = (phase.share(Operation::Insert), phase.share(Operation::Delete));
        let both = insert > 0.0 && delete > 0.0 && !phase.restore;
        (both && drawn_max(delete, operations) >= alive).then(|| Self {
            insert_share: insert / (insert + delete),
            changes: 0,
            inserts: 0,
        })
    }

    /// Which of the two comes next.
    #[inline]
    pub(crate) fn next(&mut self) -> Operation {
        self.changes += 1;
        if (self.inserts as f64) < self.insert_share * self.changes as f64 {
            self.inserts += 1;
            Operation::Insert
        } else {
            Operation::Delete
        }
    }

    /// By how many records fewer there may be after `operations` of the phase.
    fn taken_max(&self, phase: &PhaseSpec, operations: u64) -> u64 {
        let changes = drawn_max(phase.share(Operation::Insert) + phase.share(Operation::Delete), operations);
        (changes as f64 * (1.0 - 2.0 * self.insert_share).max(0.0)).ceil() as u64
    }
}

/// Which record of a lane is replaced next, where each is replaced several times: once in each turnover, in a new
/// random order.
pub(crate) struct Turnovers {
    records: u64,
    /// Turnovers to begin with.
    left: u32,
    /// The index of the lane's first record, and between two.
    places: (u64, u64),
    stream: Stream,
    order: Permutation,
    /// Records of the turnover so far.
    done: u64,
}

impl Turnovers {
    pub(crate) fn new(records: u64, turnovers: u32, places: (u64, u64), mut stream: Stream) -> Self {
        let order = Permutation::new(records, &mut stream);
        Self { records, left: turnovers - 1, places, stream, order, done: 0 }
    }

    /// The index of the next record.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        if self.done == self.records {
            self.order = Permutation::new(self.records, &mut self.stream);
            self.left -= 1;
            self.done = 0;
        }
        let (first, step) = self.places;
        self.done += 1;
        first + self.order.apply(self.done - 1, self.records) * step
    }

    /// Whether the record that came last was of the last turnover.
    #[inline]
    pub(crate) fn is_last(&self) -> bool {
        self.left == 0
    }
}

/// How many records of a lane are alive, and were or will be at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alive {
    pub(crate) now: u64,
    pub(crate) most: u64,
}

impl Alive {
    pub(crate) fn new(now: u64) -> Self {
        Self { now, most: now }
    }

    /// One more, or one less.
    #[inline]
    pub(crate) fn change(&mut self, operation: Operation) {
        match operation {
            Operation::Insert => self.now += 1,
            Operation::Delete => self.now = self.now.saturating_sub(1),
            _ => {}
        }
        self.most = self.most.max(self.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(insert: f64, delete: f64, get: f64) -> PhaseSpec {
        PhaseSpec::new("log", [(Operation::Insert, insert), (Operation::Delete, delete), (Operation::Get, get)], None)
    }

    #[test]
    fn turns_follow_the_mean_and_never_take_more_than_was_said() {
        for (insert, delete) in [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (1.0, 9.0), (2_999.0, 3_000.0), (7.0, 6.0)] {
            let phase = phase(insert, delete, 0.0);
            let operations = 10_000;
            let mut turns = Turns::of(&phase, operations, 100).unwrap();
            let taken_max = turns.taken_max(&phase, operations) as i64;
            let mut more = 0_i64;
            for changes in 1..=operations {
                more += if turns.next() == Operation::Insert { 1 } else { -1 };
                let mean = changes as f64 * (insert - delete) / (insert + delete);
                assert!((more as f64 - mean).abs() <= 2.0, "{insert} to {delete}, {changes}: {more} of {mean}");
                assert!(more >= -taken_max, "{insert} to {delete}, {changes}: {more}, at most {taken_max} less");
            }
            assert!(insert < delete || taken_max == 0, "{insert} to {delete}: {taken_max}");
        }
    }

    #[test]
    fn inserts_refill_what_deletes_take_and_deletes_alone_run_out() {
        assert_eq!(phase(1.0, 1.0, 0.0).records_left(6_000, 100), Ok(100));
        assert_eq!(phase(1.0, 1.0, 1.0).records_left(1_000_000, 1), Ok(1));
        assert_eq!(phase(1.0, 1.0, 1.0).records_left(10, 0), Err(RunsOut { taken: 0, one_left: true }));
        assert_eq!(phase(0.0, 1.0, 0.0).records_left(100, 100), Ok(0));
        assert_eq!(phase(0.0, 1.0, 0.0).records_left(101, 100), Err(RunsOut { taken: 101, one_left: false }));
        assert_eq!(phase(1.0, 0.0, 0.0).records_left(50, 100), Ok(150));
        // A tenth of the operations are lost for good.
        let more_deletes = phase(45.0, 55.0, 0.0);
        assert_eq!(more_deletes.records_left(1_000, 1_000), Ok(1_000 - drawn_max(0.55, 1_000)), "no turns are needed");
        assert_eq!(more_deletes.records_left(1_000, 101), Ok(1));
        assert_eq!(more_deletes.records_left(1_000, 99), Err(RunsOut { taken: 100, one_left: false }));
        let restored = PhaseSpec { restore: true, ..phase(0.0, 1.0, 1.0) };
        assert_eq!(restored.records_left(1_000, 1), Ok(1));
    }
}
