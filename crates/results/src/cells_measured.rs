//! How much of a run was measured: cells, their rounds, checked answers; and whether there are rounds enough to prove anything.

use std::collections::BTreeMap;

use crate::pick::ROUNDS_PROOF;
use crate::run::Run;

/// The cells of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellsMeasured {
    /// The rounds of each cell that never failed, in the order of their ids.
    pub rounds: Vec<u32>,
    /// Cells that failed in some round.
    pub failed: usize,
    /// Planned cells without a round.
    pub left: usize,
    /// Answers that were checked in rounds that did not fail: all of them were right.
    pub answers_checked: u64,
    /// Entries that were compared after opening again.
    pub entries_compared: u64,
    /// The rounds that were asked for; `None` if that is not known.
    asked: Option<u32>,
    /// Whether the run compares stores: a pick, a search for the highest rate and a profile have answers of their own.
    compares: bool,
}

/// Which cells have too few rounds for anything to be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewRounds {
    /// Who has too few.
    pub which: Few,
    /// All cells that never failed.
    pub all: usize,
    /// Whether fewer rounds were asked for than a proof takes, so that it was not the time alone.
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
    /// Those of a run.
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
            compares: run.pick().is_none()
                && run.record.map.is_none()
                && run.find_rate().is_none()
                && run.profile().is_none(),
        }
    }

    /// Which cells have fewer rounds than a proof takes; `None` if all have enough, and of a run that does not compare stores.
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
