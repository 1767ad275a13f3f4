//! How long a search for the highest rate will take: from its closed loop, which says how fast the store is at most and what a probe
//! takes beside its operations.

use bakeoff_stats::Bracket;

use crate::find_rate::{RateBound, RateSearch};
use crate::results::CellRound;

/// The part of the closed loop's rate up to which a bound is expected to hold, as long as nothing else is known.
const EXPECTED_PART: f64 = 0.8;

/// How a store did when each operation began as the one before ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedLoop {
    /// Operations a second.
    pub per_second: f64,
    /// What the cell took beside these operations: starting, loading, checking.
    beside_ns: f64,
}

/// The rounds that decide, if all say the same.
fn rounds_to_decide(rounds: u32) -> u32 {
    rounds / 2 + 1
}

impl RateSearch {
    /// How the store did in the closed loop; `None` before that was measured.
    pub fn closed_loop(&self, cells: &[CellRound]) -> Option<ClosedLoop> {
        let round = cells.iter().find(|round| round.is_ok() && round.end.cell == self.closed_cell)?;
        let phase = round.phases.iter().map(|phase| &phase.result).find(|phase| phase.phase == self.phase)?;
        let timed_ns = phase.timed_ns.max(1) as f64;
        let beside_ns = (round.end.process_ns as f64 - timed_ns).max(0.0);
        Some(ClosedLoop { per_second: self.operations as f64 * 1e9 / timed_ns, beside_ns })
    }

    /// What one round at a rate takes, nanoseconds; `None` before the closed loop was measured.
    pub fn round_ns(&self, rate: u64, cells: &[CellRound]) -> Option<f64> {
        let closed = self.closed_loop(cells)?;
        Some(closed.beside_ns + self.operations as f64 * 1e9 / closed.per_second.min(rate.max(1) as f64))
    }

    /// What is left of the search if each rate gets so many rounds: rates, and nanoseconds.
    pub fn left(&self, bound: &RateBound, cells: &[CellRound], rounds: u32) -> Option<(u32, f64)> {
        let tried = self.tried(bound, cells, rounds);
        let Bracket { held, failed } = Bracket::of(&tried);
        let expected = (self.closed_loop(cells)?.per_second * EXPECTED_PART) as u64;
        let limit = expected.min(failed.map_or(u64::MAX, |failed| failed - 1)).max(held.unwrap_or(0));
        let rates = self.bisection().rest(&tried, limit);
        let ns: f64 = rates.iter().filter_map(|&rate| self.round_ns(rate, cells)).sum();
        Some((u32::try_from(rates.len()).unwrap_or(u32::MAX), ns * f64::from(rounds_to_decide(rounds))))
    }
}

/// The most rounds a rate, up to `rounds`, with which these searches end within the time left; 1 if none do. With what they will take, nanoseconds.
pub fn rounds_within(
    searches: &[&RateSearch],
    bound: &RateBound,
    cells: &[CellRound],
    rounds: u32,
    left_ns: Option<f64>,
) -> (u32, f64) {
    let takes = |rounds| searches.iter().filter_map(|search| search.left(bound, cells, rounds)).map(|(_, ns)| ns).sum();
    let all = (1..=rounds).rev().map(|rounds| (rounds, takes(rounds)));
    let fits = |(_, ns): &(u32, f64)| left_ns.is_none_or(|left| *ns <= left);
    all.clone().find(fits).unwrap_or_else(|| (1, takes(1)))
}
