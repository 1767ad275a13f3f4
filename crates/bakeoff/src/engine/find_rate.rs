//! The highest rate of an open loop that keeps a bound on latency, for each store of each workload.
//!
//! A probe is a cell at a rate, with rounds until most of them have decided whether the bound holds there; what to try next follows
//! from the results alone, so a search that was cut short goes on where it ended. Stores take turns, so that all of them meet the
//! same disturbances and a budget ends them at about the same width.

use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_report::{RateBound, RateFacts, RateSearch, rounds_of};
use bakeoff_suite::{OpenPhase, WorkloadPlan, format_count, offered};

use crate::engine::progress::Display;
use crate::engine::run::{Ended, Run, Tapes, workload_words};
use crate::engine::setup::Setup;

/// How long the open loop may last, seconds: rates at which it would be shorter or longer are not tried. In less than the first
/// hardly anything shows of what a store does in the background.
const PHASE_S: (f64, f64) = (0.1, 30.0);

/// What is looked for, before anything is measured.
///
/// # Errors
/// The bound is none, a workload has no rate or several, or too few operations for the percentile.
pub(crate) fn facts(setup: &Setup, bound: &str) -> Result<RateFacts> {
    let bound: RateBound = bound.parse().map_err(|why| anyhow::anyhow!("--find-rate: {why}"))?;
    let mut searches = Vec::new();
    for workload in &setup.plan.workloads {
        let phase = open_phase(workload)?;
        if phase.operations < bound.operations_min() {
            bail!(
                "--find-rate {bound}: the phase `{}` has {} operations, too few to tell {}: give it at least {}",
                phase.name,
                format_count(phase.operations),
                bound.percentile,
                format_count(bound.operations_min())
            );
        }
        let spec = workload.workload.phases.iter().find(|spec| spec.name == phase.name);
        for cell in &workload.cells {
            let capabilities = &setup.store(&cell.axes.store)?.capabilities;
            // A store that cannot do the phase has no rate in it: the plan's cells say so.
            if spec.is_some_and(|spec| offered(spec, capabilities).is_ok()) {
                searches.push(search(workload, &phase, &cell.axes.store));
            }
        }
    }
    if searches.is_empty() {
        bail!(
            "--find-rate {bound}: no store can do the phase that has a rate: `bakeoff stores NAME` says what each can do"
        );
    }
    Ok(RateFacts { bound, searches })
}

/// The phase of a workload that has a rate.
pub(crate) fn open_phase(workload: &WorkloadPlan) -> Result<OpenPhase> {
    workload.open_phase().map_err(|why| anyhow::anyhow!("--find-rate: {}: {why}", workload_words(workload)))
}

fn search(workload: &WorkloadPlan, phase: &OpenPhase, store: &str) -> RateSearch {
    let at_length = |seconds: f64| (phase.operations as f64 / seconds).max(1.0);
    let (lowest, highest) = (at_length(PHASE_S.1).ceil() as u64, at_length(PHASE_S.0) as u64);
    RateSearch {
        store: store.to_owned(),
        workload: workload_words(workload),
        phase: phase.name.clone(),
        operations: phase.operations,
        lowest_per_second: lowest,
        start_per_second: (phase.per_second.round() as u64).clamp(lowest, highest.max(lowest)),
        highest_per_second: highest.max(lowest),
        probes: Default::default(),
        cut_short: false,
    }
}

/// A workload whose highest rates are looked for.
struct Searched<'a> {
    workload: &'a WorkloadPlan,
    phase: OpenPhase,
    tapes: Tapes,
    /// When its time is over, since the run began.
    until: Option<Duration>,
}

impl Run<'_> {
    /// Looks for the highest rate of every store in every workload, and keeps how it went in `run.json`.
    pub(crate) fn find_rates(mut self, mut facts: RateFacts) -> Result<Ended> {
        self.file.finished = None;
        let mut display = Display::new();
        let workloads = &self.setup.plan.workloads;
        facts.searches.iter_mut().for_each(|search| search.cut_short = true);
        for (index, workload) in workloads.iter().enumerate() {
            let phase = open_phase(workload)?;
            let Some(tapes) = self.tapes(index, &mut display)? else { break };
            // Each workload has an equal part of the time that is left.
            let (now, parts) = (self.begin.elapsed(), u32::try_from(workloads.len() - index).unwrap_or(u32::MAX));
            let until = self.budget_to_measure().map(|budget| now + budget.saturating_sub(now) / parts);
            self.find_rates_of(&Searched { workload, phase, tapes, until }, &mut facts, &mut display)?;
        }
        display.finish();
        self.file.find_rate = Some(facts);
        self.end(Vec::new())
    }

    /// Searches one workload, a probe of each store in turn, until all searches are over or the time is.
    fn find_rates_of(&mut self, of: &Searched<'_>, facts: &mut RateFacts, display: &mut Display) -> Result<()> {
        let words = workload_words(of.workload);
        loop {
            let mut probed = false;
            for place in 0..facts.searches.len() {
                if facts.searches[place].workload != words {
                    continue;
                }
                match self.next_rate(facts, place) {
                    None => facts.searches[place].cut_short = false,
                    Some(rate) if self.probe(of, facts, (place, rate), display)? => probed = true,
                    Some(_) => return Ok(()),
                }
            }
            if !probed {
                return Ok(());
            }
        }
    }

    /// The rate that a search tries next; `None` if it is over.
    fn next_rate(&self, facts: &RateFacts, place: usize) -> Option<u64> {
        let (search, measured) = (&facts.searches[place], rounds_of(self.results.lines()));
        let tried = search.tried(&facts.bound, &measured, self.setup.suite.rounds());
        search.bisection().next(&tried).filter(|_| search.failed_at(&measured).is_none())
    }

    /// Measures a store at a rate, until most rounds have decided or one failed. False if the time ended before, or the user stopped it.
    fn probe(
        &mut self,
        of: &Searched<'_>,
        facts: &mut RateFacts,
        (place, rate): (usize, u64),
        display: &mut Display,
    ) -> Result<bool> {
        let workload = of.workload.at_rate(&of.phase, rate);
        let store = &facts.searches[place].store;
        let Some(cell) = workload.cells.iter().find(|cell| cell.axes.store == *store) else { return Ok(false) };
        facts.searches[place].probes.insert(cell.id.clone(), rate);
        // As it stands, so that a run that is killed can be read, and its cells be asked for by hand.
        self.file.find_rate = Some(facts.clone());
        self.file.write(self.directory.path())?;
        let schedule = Duration::from_secs_f64(of.phase.operations as f64 / rate as f64);
        for round in 1..=self.setup.suite.rounds() {
            if self.next_rate(facts, place) != Some(rate) {
                break;
            }
            if self.is_cell_done(cell, round) {
                continue;
            }
            let is_over = of.until.is_some_and(|until| self.begin.elapsed() + schedule >= until);
            if self.interrupt.requested() || is_over || !self.cell(&workload, cell, &of.tapes, round, display)? {
                if self.results.status(&cell.id, 1).is_none() {
                    facts.searches[place].probes.remove(&cell.id);
                }
                return Ok(false);
            }
        }
        // Asked again for ever, otherwise.
        if self.next_rate(facts, place) == Some(rate) {
            bail!(
                "the cell {} at {rate}/s has all its rounds, and they do not tell whether the bound holds: its driver reports no open \
                 loop, or no latencies",
                cell.id
            );
        }
        Ok(true)
    }
}
