//! Rounds of cells: what is measured at once, and how it ended.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use bakeoff_protocol::{CellEnd, CellStatus, PhaseLine};

/// One cell's round that ended, well or not, with the phases it measured.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRound {
    /// How it ended.
    pub end: CellEnd,
    /// Its phases, in the order in which they ran.
    pub phases: Vec<PhaseLine>,
}

impl CellRound {
    /// Whether everything was measured, every answer right and the content verified.
    pub fn is_ok(&self) -> bool {
        self.end.status == CellStatus::Ok
    }
}

/// Ids of the cells that failed in some round: none of their figures count, the good rounds' neither.
pub(crate) fn failed_cells<R: Borrow<CellRound>>(cells: &[R]) -> BTreeSet<&str> {
    cells.iter().map(Borrow::borrow).filter(|cell| !cell.is_ok()).map(|cell| cell.end.cell.as_str()).collect()
}

/// The names of all phases in the order in which they ran: as in the round that has most, the others' behind.
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
