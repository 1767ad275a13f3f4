//! The plan of a search for the highest rates: its goal, and the least time that it takes.

use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_results::rate_search::{RateBound, RateFacts, RateSearch};
use bakeoff_suite::{Cell, OpenPhase, WorkloadPlan, offered};
use bakeoff_text::{counted, format_count, format_duration};

use crate::plan::estimate::{FLUSHES_OF_A_WRITE_MIN, estimates};
use crate::plan::setup::Setup;
use crate::plan::step::open_phase;

/// How long the open loop may last, seconds. Rates at which it would be shorter or longer are not tried. Below the
/// first, a store's background work hardly shows.
const PHASE_S: (f64, f64) = (0.1, 30.0);

/// The plan of the search, before anything is measured.
///
/// # Errors
/// The bound is none, a workload has no rate or several, or too few operations for the percentile.
pub fn plan_rates(setup: &Setup, bound: &str) -> Result<RateFacts> {
    let bound: RateBound = bound.parse().map_err(|why| anyhow::anyhow!("--find-rate: {why}"))?;
    let mut searches = Vec::new();
    for workload in &setup.plan.workloads {
        let phase = open_phase(workload)?;
        if phase.operations < bound.operations_min() {
            bail!(
                "--find-rate {bound}: the phase `{}` has {}, too few to tell {}: give it at least {}",
                phase.name,
                counted(phase.operations, "operation"),
                bound.percentile,
                format_count(bound.operations_min())
            );
        }
        let spec = workload.workload.phases.iter().find(|spec| spec.name == phase.name);
        for cell in &workload.closed(&phase).cells {
            let capabilities = &setup.store(&cell.axes.store)?.capabilities;
            // A store that cannot do the phase has no rate in it: the plan's cells say so.
            if spec.is_some_and(|spec| offered(spec, capabilities).is_ok()) {
                searches.push(search(workload, &phase, cell));
            }
        }
    }
    if searches.is_empty() {
        bail!(
            "--find-rate {bound}: no store can do the phase that has a rate: `{} stores NAME` says what each can do",
            bakeoff_text::program()
        );
    }
    Ok(RateFacts { bound, searches })
}

/// Rates that a search tries at least, about: the first, one a doubling or halving away, and four between these two.
const RATES_LEAST: u32 = 6;

/// What the searches take at least, roughly, nothing being known of this machine yet: until each store was tried at one rate, and until all
/// are over.
pub fn expected_rate_times(setup: &Setup, facts: &RateFacts) -> (Duration, Duration) {
    let (mut least_ns, mut all_ns) = (0.0, 0.0);
    for workload in &setup.plan.workloads {
        let Ok(phase) = workload.open_phase() else { continue };
        let id = workload.id();
        let searched =
            |store: &str| facts.searches.iter().any(|search| search.store == store && search.workload_id == id);
        for (_, closed_ns) in estimates(setup, &workload.closed(&phase), FLUSHES_OF_A_WRITE_MIN)
            .into_iter()
            .filter(|(store, _)| searched(store))
        {
            let round_ns = closed_ns + PHASE_S.0 * 1e9;
            least_ns += closed_ns + round_ns;
            all_ns += closed_ns + round_ns * f64::from(RATES_LEAST + setup.suite.rounds() / 2 * 2);
        }
    }
    let seconds = |ns: f64| Duration::from_secs((ns / 1e9).ceil() as u64);
    (seconds(least_ns), seconds(all_ns))
}

/// Refuses a budget that is too small to try every store at one rate.
///
/// # Errors
/// It is too short, with the necessary one.
pub fn check_rate_budget(setup: &Setup, facts: &RateFacts, budget: Duration) -> Result<()> {
    let (least, all) = expected_rate_times(setup, facts);
    if budget < least {
        bail!(
            "--budget {} is too short for --find-rate: to try each store once, in a closed loop and at one rate, takes about {}, and the \
             whole search at least {}; give more, or ask for less with --stores or fewer operations",
            format_duration(budget),
            format_duration(least),
            format_duration(all)
        );
    }
    Ok(())
}

fn search(workload: &WorkloadPlan, phase: &OpenPhase, cell: &Cell) -> RateSearch {
    let at_length = |seconds: f64| (phase.operations as f64 / seconds).max(1.0);
    let (lowest, highest) = (at_length(PHASE_S.1).ceil() as u64, at_length(PHASE_S.0) as u64);
    RateSearch {
        store: cell.axes.store.clone(),
        workload_id: workload.id(),
        workload: workload.to_string(),
        phase: phase.name.clone(),
        operations: phase.operations,
        closed_cell: cell.id.clone(),
        lowest_per_second: lowest,
        start_per_second: (phase.per_second.round() as u64).clamp(lowest, highest.max(lowest)),
        highest_per_second: highest.max(lowest),
        probes: Default::default(),
        cut_short: false,
    }
}
