//! Rounds of cells: the unit of measuring, and how each ended.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use bakeoff_protocol::{CellEnd, CellStatus, PhaseLine};

/// A cell's round that ended, successfully or not, with its phases.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRound {
    /// How it ended.
    pub end: CellEnd,
    /// Its phases, in the order in which they ran.
    pub phases: Vec<PhaseLine>,
}

impl CellRound {
    /// Whether everything was measured, every answer was right, and the content was verified.
    pub fn is_ok(&self) -> bool {
        self.end.status == CellStatus::Ok
    }
}

/// Ids of cells that failed in some round. Their good rounds do not count either.
pub(crate) fn failed_cells<R: Borrow<CellRound>>(cells: &[R]) -> BTreeSet<&str> {
    cells.iter().map(Borrow::borrow).filter(|cell| !cell.is_ok()).map(|cell| cell.end.cell.as_str()).collect()
}

/// The names of all phases in order of execution: the order of the round with the most phases, then the others.
pub fn phase_order<R: Borrow<CellRound>>(cells: &[R]) -> Vec<&str> {
    let mut rounds: Vec<&CellRound> = cells.iter().map(Borrow::borrow).collect();
    rounds.sort_by_key(|cell| std::cmp::Reverse(cell.phases.len()));
    let mut order = Vec::new();
    for phase in rounds.iter().flat_map(|cell| &cell.phases) {
        if !order.contains(&phase.result.phase.as_str()) {
            order.push(phase.result.phase.as_str());
        }
    }
    order
}
