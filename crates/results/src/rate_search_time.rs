//! Estimates the duration of a search for the highest rate from its closed loop. That loop shows the store's maximum
//! rate and the overhead of a probe. The time is a range while the highest rate that holds is unknown.

use std::collections::BTreeMap;

use bakeoff_stats::Bracket;

use crate::cell_rounds::CellRound;
use crate::rate_search::{RateBound, RateSearch, Votes};

/// The store's result in a closed loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedLoop {
    /// Operations per second.
    pub per_second: f64,
    /// The cell's time besides these operations: starting, loading, checking.
    beside_ns: f64,
}

/// The remaining time of a search, nanoseconds: minimum and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Left {
    /// If the limit is where the search finishes soonest.
    pub least_ns: f64,
    /// If the limit is where the search takes longest.
    pub most_ns: f64,
}

impl Left {
    /// Both searches, one after the other.
    pub fn and(self, other: Self) -> Self {
        Self { least_ns: self.least_ns + other.least_ns, most_ns: self.most_ns + other.most_ns }
    }
}

impl RateSearch {
    /// The result of the closed loop. `None` before it was measured.
    pub fn closed_loop(&self, cells: &[CellRound]) -> Option<ClosedLoop> {
        let round = cells.iter().find(|round| round.is_ok() && round.end.cell == self.closed_cell)?;
        let phase = round.phases.iter().map(|phase| &phase.result).find(|phase| phase.phase == self.phase)?;
        let timed_ns = phase.timed_ns.max(1) as f64;
        let beside_ns = (round.end.process_ns as f64 - timed_ns).max(0.0);
        Some(ClosedLoop { per_second: self.operations as f64 * 1e9 / timed_ns, beside_ns })
    }

    /// The time of one round at a rate, nanoseconds. `None` before the closed loop was measured.
    pub fn round_ns(&self, rate: u64, cells: &[CellRound]) -> Option<f64> {
        let closed = self.closed_loop(cells)?;
        let alone =
            |rate: u64| closed.beside_ns + self.operations as f64 * 1e9 / closed.per_second.min(rate.max(1) as f64);
        // A store may be slower in an open loop than in a closed one. The factor comes from the rounds so far.
        let rates = |round: &CellRound| self.probes.get(&round.end.cell).map(|rate| alone(*rate));
        let known = cells.iter().filter_map(|round| Some((round.end.process_ns as f64, rates(round)?)));
        let (took, expected) = known.fold((0.0, 0.0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
        Some(alone(rate) * if expected > 0.0 { took / expected } else { 1.0 })
    }

    /// The remaining time of the search, with `rounds` rounds at its ends. `None` before the closed loop was measured.
    pub fn left(&self, bound: &RateBound, cells: &[CellRound], rounds: u32) -> Option<Left> {
        let tried = self.tried(bound, cells);
        let Bracket { held, failed } = Bracket::of(&tried);
        // Hardly any store is faster in an open loop than in a closed one, whose rate starts the search.
        let highest = failed.map_or(self.start_per_second.max(held.unwrap_or(0)), |failed| failed.saturating_sub(1));
        let lowest = held.unwrap_or(self.lowest_per_second.saturating_sub(1)).min(highest);
        let halves = std::iter::successors(Some(highest), |limit| (*limit > lowest).then(|| (limit / 2).max(lowest)));
        let times: Option<Vec<f64>> =
            halves.map(|limit| self.left_with(limit, (&tried, &self.votes(bound, cells)), cells, rounds)).collect();
        let times = times?;
        let least_ns = times.iter().copied().fold(f64::INFINITY, f64::min);
        Some(Left { least_ns, most_ns: times.into_iter().fold(0.0, f64::max) })
    }

    /// The remaining time if every rate up to `limit` holds. A rate that holds takes one round, other rates two, and
    /// the ends as many as a decision needs.
    fn left_with(
        &self,
        limit: u64,
        (tried, votes): (&BTreeMap<u64, bool>, &BTreeMap<u64, Votes>),
        cells: &[CellRound],
        rounds: u32,
    ) -> Option<f64> {
        let mut all = tried.clone();
        let rest = self.bisection().rest(tried, limit);
        all.extend(rest.iter().map(|&rate| (rate, rate <= limit)));
        let Bracket { held, failed } = Bracket::of(&all);
        let ends = [held, failed].into_iter().flatten().filter(|rate| tried.contains_key(rate));
        let mut ns = 0.0;
        for rate in rest.iter().copied().chain(ends) {
            let least = if all[&rate] { 1 } else { 2 };
            let decide = if all[&rate] { rounds / 2 + 1 } else { rounds.div_ceil(2) };
            let wanted = if Some(rate) == held || Some(rate) == failed { decide.max(least) } else { least };
            let had = votes.get(&rate).map_or(0, |votes| if all[&rate] { votes.holding } else { votes.failing });
            ns += self.round_ns(rate, cells)? * f64::from(wanted.saturating_sub(had));
        }
        Some(ns)
    }
}
