//! Results of a search for the highest rates: for each workload its stores, best first, and how each search ended.

use std::cmp::Reverse;

use bakeoff_stats::Bracket;

use crate::rate_search::{FailedAt, RateFacts, RateSearch};
use crate::rate_search_time::Left;
use crate::run::Run;

/// Results of phases shorter than this are unreliable, seconds.
const SHORT_S: f64 = 1.0;

/// The result of one search.
pub struct RateResult<'a> {
    /// The search.
    pub search: &'a RateSearch,
    /// The highest rate that holds and the lowest rate that fails, if known.
    pub bracket: Bracket,
    /// How it ended.
    pub end: RateEnd,
    /// The rounds that the ends of the bracket rest on, each with its rate, if time was too short for all of them.
    /// Otherwise empty.
    pub unsure: Vec<(u64, u32)>,
    /// Whether the phase at the highest rate that holds was short.
    pub is_short: bool,
    /// The bounded percentile at the highest rate that holds, nanoseconds.
    pub held_ns: Option<f64>,
    /// The failure at the lowest rate that fails.
    pub failed: Option<RateFailed>,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateEnd {
    /// A cell failed there.
    Failed(FailedAt),
    /// The budget ended. The value is the remaining time of the search, if known.
    OutOfTime(Option<Left>),
    /// Even the highest allowed rate holds.
    HighestHeld(u64),
    /// Even the lowest allowed rate fails.
    LowestFailed(u64),
    /// Both ends were found.
    Found,
    /// It was interrupted.
    Unfinished,
}

/// Why a rate does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateFailed {
    /// The bounded percentile is this, nanoseconds.
    Latency(f64),
    /// Latencies were below the bound, but the store fell behind the schedule.
    FellBehind,
}

/// The results: for each workload, in the order of the searches, one per store, highest rate first.
pub fn rate_results<'a>(run: &Run, facts: &'a RateFacts) -> Vec<Vec<RateResult<'a>>> {
    let mut workloads: Vec<Vec<RateResult>> = Vec::new();
    for search in &facts.searches {
        let result = RateResult::new(run, facts, search);
        match workloads.iter_mut().find(|of| of[0].search.workload_id == search.workload_id) {
            Some(workload) => workload.push(result),
            None => workloads.push(vec![result]),
        }
    }
    for workload in &mut workloads {
        workload.sort_by_key(|of| Reverse((of.bracket.held, of.bracket.failed)));
    }
    workloads
}

impl<'a> RateResult<'a> {
    fn new(run: &Run, facts: &RateFacts, search: &'a RateSearch) -> Self {
        let (cells, bound) = (&run.cells, &facts.bound);
        let bracket = Bracket::of(&search.tried(bound, cells));
        let at = |rate: Option<u64>| search.at(rate?, bound, cells);
        let failed = at(bracket.failed).map(|ns| match ns < bound.below_ns as f64 {
            true => RateFailed::FellBehind,
            false => RateFailed::Latency(ns),
        });
        let rounds = run.record.rounds_wanted();
        let ends = || [bracket.held, bracket.failed].into_iter().flatten();
        let unsure = search.unsure_end(bound, cells, rounds).into_iter().flat_map(|_| ends());
        Self {
            search,
            bracket,
            end: end(run, facts, search, bracket),
            unsure: unsure.map(|rate| (rate, search.rounds_at(rate, bound, cells))).collect(),
            is_short: bracket.held.is_some_and(|held| (search.operations as f64) < SHORT_S * held as f64),
            held_ns: at(bracket.held),
            failed,
        }
    }
}

fn end(run: &Run, facts: &RateFacts, search: &RateSearch, bracket: Bracket) -> RateEnd {
    if let Some(at) = search.failed_at(&run.cells) {
        return RateEnd::Failed(at);
    }
    if search.cut_short && run.record.finished.is_some() {
        return RateEnd::OutOfTime(search.left(&facts.bound, &run.cells, run.record.rounds_wanted()));
    }
    match bracket {
        Bracket { held: Some(held), failed: None } if held >= search.highest_per_second => RateEnd::HighestHeld(held),
        Bracket { held: None, failed: Some(failed) } if failed <= search.lowest_per_second => {
            RateEnd::LowestFailed(failed)
        }
        bracket if bracket.is_closed() => RateEnd::Found,
        _ => RateEnd::Unfinished,
    }
}
