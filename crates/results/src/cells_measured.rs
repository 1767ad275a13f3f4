//! How much of a run was measured: cells, rounds, checked answers, and whether the rounds suffice for a proof.

use std::collections::BTreeMap;

use crate::pick::ROUNDS_PROOF;
use crate::run::Run;

/// The cells of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellsMeasured {
    /// The number of rounds of each cell that never failed, in the order of ids.
    pub rounds: Vec<u32>,
    /// Cells that failed in some round.
    pub failed: usize,
    /// Planned cells without a round.
    pub left: usize,
    /// Answers checked in rounds that did not fail. All were right.
    pub answers_checked: u64,
    /// Entries compared after reopening.
    pub entries_compared: u64,
    /// The requested number of rounds. `None` if unknown.
    asked: Option<u32>,
    /// Whether the run compares stores. Picks, rate searches, profiles and power cuts have their own kinds of answer.
    compares: bool,
}

/// Cells with too few rounds for a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewRounds {
    /// Which cells have too few.
    pub which: Few,
    /// The number of cells that never failed.
    pub all: usize,
    /// Whether fewer rounds were requested than a proof needs, so that time is not the only cause.
    pub asked_for_few: bool,
}

/// The cells with too few rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Few {
    /// All cells have one round.
    AllOnce,
    /// This number of cells has one round.
    Once(usize),
    /// No cell has one round, and this number has two.
    Twice(usize),
}

impl CellsMeasured {
    /// Counts the cells of a run.
    pub fn of(run: &Run) -> Self {
        let mut cells: BTreeMap<&str, (u32, bool)> = BTreeMap::new();
        for cell in &run.cells {
            let (rounds, failed) = cells.entry(&cell.end.cell).or_default();
            (*rounds, *failed) = (*rounds + 1, *failed || !cell.is_ok());
        }
        let failed = cells.values().filter(|(_, failed)| *failed).count();
        let phases = run.cells.iter().filter(|cell| cell.is_ok()).flat_map(|cell| &cell.phases);
        let entries = run.cells.iter().filter_map(|cell| cell.end.verified.as_ref()).map(|verified| verified.entries);
        Self {
            left: run.record.cells.len().saturating_sub(cells.len()),
            rounds: cells.into_values().filter(|(_, failed)| !failed).map(|(rounds, _)| rounds).collect(),
            failed,
            answers_checked: phases.map(|phase| phase.result.answers_checked).fold(0, u64::saturating_add),
            entries_compared: entries.fold(0, u64::saturating_add),
            asked: run.record.rounds,
            compares: run.cells.iter().all(|cell| cell.end.power_cuts.is_none())
                && run.pick().is_none()
                && run.record.map.is_none()
                && run.find_rate().is_none()
                && run.profile().is_none(),
        }
    }

    /// The cells with fewer rounds than a proof needs. `None` if all have enough, and for runs that do not compare
    /// stores.
    pub fn few_rounds(&self) -> Option<FewRounds> {
        let with_at_most = |most: usize| self.rounds.iter().filter(|rounds| **rounds as usize <= most).count();
        let (once, few, all) = (with_at_most(1), with_at_most(ROUNDS_PROOF - 1), self.rounds.len());
        let which = match (once, few) {
            _ if !self.compares => return None,
            (_, 0) => return None,
            (0, few) => Few::Twice(few),
            (once, _) if once == all => Few::AllOnce,
            (once, _) => Few::Once(once),
        };
        Some(FewRounds { which, all, asked_for_few: (self.asked.unwrap_or(0) as usize) < ROUNDS_PROOF })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_are_enough() {
        let few = |rounds: &[u32], asked| {
            let cells = CellsMeasured { rounds: rounds.to_vec(), asked, compares: true, ..CellsMeasured::default() };
            cells.few_rounds().map(|few| (few.which, few.all, few.asked_for_few))
        };
        assert_eq!([few(&[], None), few(&[3, 5], Some(1))], [None; 2]);
        assert_eq!(few(&[1, 1], Some(1)), Some((Few::AllOnce, 2, true)));
        assert_eq!(few(&[1, 2, 3], Some(3)), Some((Few::Once(1), 3, false)));
        assert_eq!(few(&[2, 3, 2], None), Some((Few::Twice(2), 3, true)));
    }
}
