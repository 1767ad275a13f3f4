//! The highest rate of an open loop within a bound on latency: the question of `bakeoff run --find-rate`, and the
//! outcome of each round. `rate_results` has the results.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use bakeoff_stats::{Bisection, Bracket};
use bakeoff_text::printable;
use serde::{Deserialize, Serialize};

use crate::cell_rounds::CellRound;
use crate::figures::{operations_to_tell, quantile};

/// A store kept up if its last answer came within this multiple of the schedule's length. A store that is slower than
/// the schedule falls behind more and more. A short phase may hide that from its percentiles.
const KEPT_UP_WITHIN: f64 = 1.05;

/// Percentiles that can be bounded: name and share of the operations.
const PERCENTILES: [(&str, f64); 5] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999), ("max", 1.0)];

/// Units of a bound's time.
const UNITS: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

/// The maximum time of a bound, nanoseconds: an hour.
const BELOW_NS_MAX: f64 = 3.6e12;

/// A bound on latency: `p99<2ms`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateBound {
    /// `p50`, `p90`, `p99`, `p999` or `max`, over all operations of the phase.
    pub percentile: String,
    /// The limit.
    pub below_ns: u64,
}

impl FromStr for RateBound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shown = printable(text);
        let example = "write a percentile and a time, such as p99<2ms";
        let (percentile, time) = text.split_once('<').ok_or_else(|| format!("`{shown}` is not a bound: {example}"))?;
        let percentile = percentile.trim();
        if !PERCENTILES.iter().any(|(name, _)| *name == percentile) {
            let names = PERCENTILES.map(|(name, _)| name).join(", ");
            return Err(format!("unknown percentile `{}`: use {names}", printable(percentile)));
        }
        let time = time.trim();
        let unit_at = time.find(|letter: char| letter.is_alphabetic()).unwrap_or(time.len());
        let (number, unit) = time.split_at(unit_at);
        let scale = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
        let below_ns = number.trim().parse::<f64>().ok().zip(scale).map(|(number, scale)| number * scale);
        let below_ns = below_ns
            .ok_or_else(|| format!("`{}` is not a time with a unit (ns, us, ms or s): {example}", printable(time)))?;
        if !(1.0..=BELOW_NS_MAX).contains(&below_ns) {
            return Err(format!("the time `{}` is out of range: give 1ns to 3600s", printable(time)));
        }
        Ok(Self { percentile: percentile.to_owned(), below_ns: below_ns as u64 })
    }
}

impl fmt::Display for RateBound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.below_ns as f64;
        let units = [("s", 1e9), ("ms", 1e6), ("us", 1e3)];
        let (unit, scale) = units.into_iter().find(|(_, scale)| ns >= *scale).unwrap_or(("ns", 1.0));
        write!(formatter, "{}<{}{unit}", self.percentile, ns / scale)
    }
}

impl RateBound {
    /// The share of operations below the percentile.
    fn share(&self) -> f64 {
        PERCENTILES.iter().find(|(name, _)| *name == self.percentile).map_or(1.0, |(_, share)| *share)
    }

    /// The fewest operations with which a round supports this percentile.
    pub fn operations_min(&self) -> u64 {
        if self.share() < 1.0 { operations_to_tell(self.share()) } else { 1 }
    }
}

/// The outcome of one round at a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outcome {
    /// The bounded percentile.
    latency_ns: u64,
    /// Whether the last answer came about when the schedule ended.
    kept_up: bool,
}

impl Outcome {
    /// The outcome from the round's open loop. `None` if it has none, or an unreadable one.
    fn of(round: &CellRound, bound: &RateBound) -> Option<Self> {
        let phase = round.phases.iter().map(|phase| &phase.result).find(|phase| phase.open_loop.is_some())?;
        let due_ns = phase.open_loop.as_ref()?.due_ns as f64;
        let kept_up = phase.timed_ns as f64 <= due_ns * KEPT_UP_WITHIN + bound.below_ns as f64;
        Some(Self { latency_ns: quantile(phase, bound.share())?, kept_up })
    }

    fn holds(self, bound: &RateBound) -> bool {
        self.kept_up && self.latency_ns < bound.below_ns
    }
}

/// The search for one store's highest rate in one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateSearch {
    /// The store's name.
    pub store: String,
    /// The workload's id.
    pub workload_id: String,
    /// The workload, for people.
    pub workload: String,
    /// The phase that is an open loop.
    pub phase: String,
    /// The number of operations on its schedule.
    pub operations: u64,
    /// The cell with a closed loop. Empty in runs of versions that measured none.
    #[serde(default)]
    pub closed_cell: String,
    /// The minimum rate of the search, operations per second.
    pub lowest_per_second: u64,
    /// The first rate to try: that of the closed loop, once it is known.
    pub start_per_second: u64,
    /// The maximum rate of the search.
    pub highest_per_second: u64,
    /// Cells with their rates.
    pub probes: BTreeMap<String, u64>,
    /// Whether the budget or the user ended it.
    pub cut_short: bool,
}

impl RateSearch {
    /// The bisection over rates.
    pub fn bisection(&self) -> Bisection {
        let (lowest, start, highest) = (self.lowest_per_second, self.start_per_second, self.highest_per_second);
        Bisection { lowest, start, highest }
    }

    /// The rates with a known outcome.
    pub fn tried(&self, bound: &RateBound, cells: &[CellRound]) -> BTreeMap<u64, bool> {
        self.votes(bound, cells).into_iter().filter_map(|(rate, votes)| Some((rate, votes.verdict()?))).collect()
    }

    /// The rate to try next. `None` if the search is finished, or a cell failed.
    pub fn next_rate(&self, bound: &RateBound, cells: &[CellRound]) -> Option<u64> {
        let next = self.bisection().next(&self.tried(bound, cells))?;
        self.failed_at(cells).is_none().then_some(next)
    }

    /// An end of the bracket whose outcome could still change with up to `rounds` rounds. `None` if both ends are
    /// decided, or a cell failed.
    pub fn unsure_end(&self, bound: &RateBound, cells: &[CellRound], rounds: u32) -> Option<u64> {
        let votes = self.votes(bound, cells);
        let Bracket { held, failed } = Bracket::of(&self.tried(bound, cells));
        let unsure = |rate: &u64| votes.get(rate).is_none_or(|votes| !votes.is_decided(rounds));
        [held, failed].into_iter().flatten().find(unsure).filter(|_| self.failed_at(cells).is_none())
    }

    /// The number of rounds at a rate.
    pub fn rounds_at(&self, rate: u64, bound: &RateBound, cells: &[CellRound]) -> u32 {
        self.votes(bound, cells).get(&rate).map_or(0, |votes| votes.holding + votes.failing)
    }

    pub(crate) fn votes(&self, bound: &RateBound, cells: &[CellRound]) -> BTreeMap<u64, Votes> {
        let votes = |cell: &String| {
            let outcomes = self.outcomes(bound, cells, cell);
            let holding = outcomes.iter().filter(|outcome| outcome.holds(bound)).count() as u32;
            Votes { holding, failing: outcomes.len() as u32 - holding }
        };
        self.probes.iter().map(|(cell, rate)| (*rate, votes(cell))).collect()
    }

    /// Where a cell failed, if one did. The search ends there.
    pub fn failed_at(&self, cells: &[CellRound]) -> Option<FailedAt> {
        let of = |cell: &String| match self.probes.get(cell) {
            Some(rate) => Some(FailedAt::Rate(*rate)),
            None => (*cell == self.closed_cell).then_some(FailedAt::ClosedLoop),
        };
        cells.iter().filter(|round| !round.is_ok()).find_map(|round| of(&round.end.cell))
    }

    fn outcomes(&self, bound: &RateBound, cells: &[CellRound], cell: &str) -> Vec<Outcome> {
        let of_cell = cells.iter().filter(|round| round.is_ok() && round.end.cell == cell);
        of_cell.filter_map(|round| Outcome::of(round, bound)).collect()
    }

    /// The bounded percentile at a rate, as median over its rounds. With an even number, the higher of the two middle
    /// values counts. So the median is below the bound if the rate holds. At a failed rate it is below only if the
    /// store fell behind.
    pub fn at(&self, rate: u64, bound: &RateBound, cells: &[CellRound]) -> Option<f64> {
        let (cell, _) = self.probes.iter().find(|(_, tried)| **tried == rate)?;
        let mut latencies: Vec<u64> =
            self.outcomes(bound, cells, cell).iter().map(|outcome| outcome.latency_ns).collect();
        latencies.sort_unstable();
        latencies.get(latencies.len() / 2).map(|ns| *ns as f64)
    }
}

/// Where a cell of a search failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedAt {
    /// At this rate, operations per second.
    Rate(u64),
    /// In the closed loop.
    ClosedLoop,
}

/// The number of rounds at a rate that held the bound, and that failed it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Votes {
    pub(crate) holding: u32,
    pub(crate) failing: u32,
}

impl Votes {
    /// Whether most rounds held the bound. A single failure may be a disturbance, so it needs another round.
    fn verdict(self) -> Option<bool> {
        let Self { holding, failing } = self;
        let doubtful = failing == 1 && holding < 2;
        (holding + failing > 0 && !doubtful).then_some(holding > failing)
    }

    /// Whether further rounds, up to this number in total, cannot change the outcome.
    fn is_decided(self, rounds: u32) -> bool {
        self.holding * 2 > rounds || self.failing * 2 >= rounds
    }
}

/// The question and course of a search for the highest rates, as `run.json` stores them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateFacts {
    /// The bound on latency.
    pub bound: RateBound,
    /// One for each store and workload.
    pub searches: Vec<RateSearch>,
}

impl RateFacts {
    /// The bound, for a sentence: `p99 below 2.00 ms`.
    pub fn label(&self) -> String {
        format!("{} below {}", self.bound.percentile, bakeoff_text::time(self.bound.below_ns as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_as_people_write_them_and_shown_so() {
        for (text, percentile, below_ns, shown) in [
            ("p99<2ms", "p99", 2_000_000, "p99<2ms"),
            (" p50 < 1.5 us ", "p50", 1_500, "p50<1.5us"),
            ("max<1s", "max", 1_000_000_000, "max<1s"),
            ("p999<250µs", "p999", 250_000, "p999<250us"),
            ("p90<40ns", "p90", 40, "p90<40ns"),
        ] {
            let bound: RateBound = text.parse().unwrap();
            assert_eq!((bound.percentile.as_str(), bound.below_ns), (percentile, below_ns), "{text}");
            assert_eq!(bound.to_string(), shown);
            assert_eq!(shown.parse(), Ok(bound));
        }
    }

    #[test]
    fn bounds_that_are_none_say_what_would_be_one() {
        for (text, words) in [
            ("", "is not a bound"),
            ("2ms", "is not a bound"),
            ("p99>2ms", "is not a bound"),
            ("p98<2ms", "unknown percentile `p98`: use p50, p90, p99, p999, max"),
            ("p99<=2ms", "is not a time"),
            ("p99<2", "is not a time"),
            ("p99<ms", "is not a time"),
            ("p99<2min", "is not a time"),
            ("p99<-2ms", "out of range"),
            ("p99<0ms", "out of range"),
            ("p99<0.1ns", "out of range"),
            ("p99<1e300s", "is not a time"),
            ("p99<99999s", "out of range"),
            ("p99<NaNms", "is not a time"),
            ("p\u{1b}99<2ms", "unknown percentile `p\\u{1b}99`"),
        ] {
            let told = text.parse::<RateBound>().unwrap_err();
            assert!(told.contains(words), "{text}: {told}");
        }
    }

    #[test]
    fn a_percentile_needs_operations_beyond_it() {
        let least = |text: &str| text.parse::<RateBound>().unwrap().operations_min();
        assert_eq!(["p50<1s", "p90<1s", "p99<1s", "p999<1s", "max<1s"].map(least), [20, 100, 1_000, 10_000, 1]);
    }

    #[test]
    fn most_rounds_decide_and_a_failure_is_tried_again() {
        let verdict = |holding, failing| Votes { holding, failing }.verdict();
        assert_eq!([(0, 0), (0, 1), (1, 1)].map(|(yes, no)| verdict(yes, no)), [None; 3]);
        assert_eq!([(1, 0), (2, 1), (3, 2)].map(|(yes, no)| verdict(yes, no)), [Some(true); 3]);
        assert_eq!([(0, 2), (1, 2), (2, 2)].map(|(yes, no)| verdict(yes, no)), [Some(false); 3]);
    }

    #[test]
    fn an_end_stands_when_the_rounds_to_come_cannot_change_it() {
        let decided = |holding, failing| Votes { holding, failing }.is_decided(3);
        assert_eq!([(0, 0), (1, 0), (1, 1)].map(|(yes, no)| decided(yes, no)), [false; 3]);
        assert_eq!([(2, 0), (2, 1), (0, 2), (1, 2)].map(|(yes, no)| decided(yes, no)), [true; 4]);
    }
}
