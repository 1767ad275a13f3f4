//! The highest rate of an open loop that keeps a bound on latency, for each store of each workload.
//!
//! First each store does the phase in a closed loop, once: the search begins at that rate, and between which times it will take follows
//! from it. A probe is a cell at a rate, of which a round that holds suffices and one that fails is followed by another. When all searches
//! have come to their ends, these get further rounds, until they stand or the search goes on. What to try next follows from the results
//! alone, so a search that was cut short goes on where it ended. Stores take turns, so that all of them meet the same disturbances and a
//! budget ends them at about the same width.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bakeoff_results::cell_rounds::rounds_of;
use bakeoff_results::rate_search::{RateBound, RateFacts, RateSearch};
use bakeoff_results::rate_search_time::Left;
use bakeoff_stats::Bracket;
use bakeoff_suite::{Cell, OpenPhase, WorkloadPlan, offered};
use bakeoff_text::{counted, format_count, format_duration};

use crate::engine::estimate::{FLUSHES_OF_A_WRITE_MIN, estimates};
use crate::engine::progress::Display;
use crate::engine::run::{Ended, Run, Tapes};
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
            "--find-rate {bound}: no store can do the phase that has a rate: `bakeoff stores NAME` says what each can do"
        );
    }
    Ok(RateFacts { bound, searches })
}

/// The phase of a workload that has a rate.
pub(crate) fn open_phase(workload: &WorkloadPlan) -> Result<OpenPhase> {
    workload.open_phase().map_err(|why| anyhow::anyhow!("--find-rate: {workload}: {why}"))
}

/// Rates that a search tries at least, about: the first, one a doubling or halving away, and four between these two.
const RATES_LEAST: u32 = 6;

/// What the searches take at least, roughly, nothing being known of this machine yet: until each store was tried at one rate, and until all
/// are over.
pub(crate) fn expected(setup: &Setup, facts: &RateFacts) -> (Duration, Duration) {
    let (mut least_ns, mut all_ns) = (0.0, 0.0);
    for workload in &setup.plan.workloads {
        let Ok(phase) = workload.open_phase() else { continue };
        let searched = |store: &str| {
            facts.searches.iter().any(|search| search.store == store && search.workload == workload.to_string())
        };
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

/// Refuses a budget in which not every store could be tried at one rate.
///
/// # Errors
/// It is too short: what it would have to be.
pub(crate) fn check_budget(setup: &Setup, facts: &RateFacts, budget: Duration) -> Result<()> {
    let (least, all) = expected(setup, facts);
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

/// A workload whose highest rates are looked for.
struct Searched<'a> {
    workload: &'a WorkloadPlan,
    phase: OpenPhase,
    tapes: Tapes,
    /// When its time is over, since the run began.
    until: Option<Duration>,
}

impl Searched<'_> {
    /// What is left of its time.
    fn left(&self, begin: Instant) -> Option<Duration> {
        Some(self.until?.saturating_sub(begin.elapsed()))
    }
}

impl Run<'_> {
    /// Looks for the highest rate of every store in every workload, and keeps how it went in `run.json`.
    pub(crate) fn find_rates(mut self, mut facts: RateFacts) -> Result<Ended> {
        self.file.finished = None;
        let mut display = Display::new(self.setup.reporter);
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
        let words = of.workload.to_string();
        let places: Vec<usize> =
            (0..facts.searches.len()).filter(|place| facts.searches[*place].workload == words).collect();
        if !self.close_loops(of, facts, &places, display)? {
            return Ok(());
        }
        self.tell_left(
            of,
            facts,
            &places,
            "The whole search",
            ", the longer the further the limits lie below the closed loop's rates",
        );
        let mut is_open = true;
        loop {
            let mut probes: Vec<(usize, u64)> = Vec::new();
            for &place in &places {
                let next = self.next_rate(facts, place);
                facts.searches[place].cut_short = next.is_some();
                probes.extend(next.map(|rate| (place, rate)));
            }
            if probes.is_empty() {
                probes.extend(places.iter().filter_map(|&place| Some((place, self.unsure_end(facts, place)?))));
            }
            let mut probed = false;
            for (place, rate) in probes {
                display.predict(self.predicted(of, facts, &places).map(Into::into), true);
                probed |= self.probe(of, facts, (place, rate), display)?;
                if self.interrupt.requested() {
                    break;
                }
            }
            if !probed || self.interrupt.requested() {
                places
                    .iter()
                    .for_each(|&place| facts.searches[place].cut_short = self.next_rate(facts, place).is_some());
                return Ok(());
            }
            // Between two ends it is known how long the rest takes.
            if is_open && places.iter().all(|&place| self.is_bracketed(facts, place)) {
                is_open = false;
                self.tell_left(of, facts, &places, "The rest of the search", "");
            }
        }
    }

    /// Measures every store once with each operation begun as the one before has ended, and begins its search at that rate. False if the user
    /// stopped it or the time ended before.
    fn close_loops(
        &mut self,
        of: &Searched<'_>,
        facts: &mut RateFacts,
        places: &[usize],
        display: &mut Display,
    ) -> Result<bool> {
        let closed = of.workload.closed(&of.phase);
        for &place in places {
            let search = &mut facts.searches[place];
            let Some(cell) = closed.cells.iter().find(|cell| cell.id == search.closed_cell) else { continue };
            if !self.is_cell_done(cell, 1) {
                let is_over = of.left(self.begin).is_some_and(|left| left.is_zero());
                if self.interrupt.requested() || is_over || !self.cell(&closed, cell, &of.tapes, 1, display)? {
                    return Ok(false);
                }
            }
            if let Some(known) = search.closed_loop(&rounds_of(self.results.lines())) {
                let rate = known.per_second.round() as u64;
                search.start_per_second = rate.clamp(search.lowest_per_second, search.highest_per_second);
            }
        }
        Ok(true)
    }

    /// What is left of these searches; `None` before their closed loops were measured.
    fn left(&self, facts: &RateFacts, places: &[usize]) -> Option<Left> {
        let measured = rounds_of(self.results.lines());
        let rounds = self.setup.suite.rounds();
        let of = |&place: &usize| match &facts.searches[place] {
            search if search.failed_at(&measured).is_some() => Some(Left::default()),
            search => search.left(&facts.bound, &measured, rounds),
        };
        places.iter().map(of).try_fold(Left::default(), |sum, left| Some(sum.and(left?)))
    }

    /// What is left, for the display: nothing while that may be one time or the double of it.
    fn predicted(&self, of: &Searched<'_>, facts: &RateFacts, places: &[usize]) -> Option<Duration> {
        let left = self.left(facts, places).filter(|left| left.most_ns <= left.least_ns * 2.0)?;
        let expected = Duration::from_nanos(left.most_ns as u64);
        Some(of.left(self.begin).map_or(expected, |budget| expected.min(budget)))
    }

    /// Says between which times the search will take, and whether the budget suffices.
    fn tell_left(&self, of: &Searched<'_>, facts: &RateFacts, places: &[usize], what: &str, why: &str) {
        let Some(left) = self.left(facts, places) else { return };
        let time = |ns: f64| format_duration(Duration::from_secs((ns / 1e9).ceil() as u64));
        let (least, most) = (time(left.least_ns), time(left.most_ns));
        let takes = if least == most { format!("about {most}") } else { format!("{least} to {most}{why}") };
        let but = of.left(self.begin).map(|budget| (time(budget.as_nanos() as f64), budget.as_nanos() as f64));
        let but = match but {
            Some((budget, ns)) if ns < left.least_ns => {
                format!("; the budget leaves {budget}, so it will be cut short")
            }
            Some((budget, ns)) if ns < left.most_ns => format!("; the budget leaves {budget}, which may cut it short"),
            _ => String::new(),
        };
        self.setup.reporter.report(&format!("{what} of {} takes {takes}{but}", of.workload));
    }

    fn next_rate(&self, facts: &RateFacts, place: usize) -> Option<u64> {
        facts.searches[place].next_rate(&facts.bound, &rounds_of(self.results.lines()))
    }

    fn unsure_end(&self, facts: &RateFacts, place: usize) -> Option<u64> {
        let rounds = self.setup.suite.rounds();
        facts.searches[place].unsure_end(&facts.bound, &rounds_of(self.results.lines()), rounds)
    }

    /// Whether it is known where the limit of a search lies, or that it has none in reach.
    fn is_bracketed(&self, facts: &RateFacts, place: usize) -> bool {
        let bracket = Bracket::of(&facts.searches[place].tried(&facts.bound, &rounds_of(self.results.lines())));
        (bracket.held.is_some() && bracket.failed.is_some()) || self.next_rate(facts, place).is_none()
    }

    /// Measures a store at a rate for one more round. False if there is no time for it, or the user stopped it.
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
        let round_ns = facts.searches[place].round_ns(rate, &rounds_of(self.results.lines())).unwrap_or_default();
        let takes = Duration::from_nanos(round_ns as u64);
        facts.searches[place].probes.insert(cell.id.clone(), rate);
        // As it stands, so that a run that is killed can be read, and its cells be asked for by hand.
        self.file.find_rate = Some(facts.clone());
        self.file.write(self.directory.path())?;
        let rounds_known = |run: &Self, facts: &RateFacts| {
            facts.searches[place].rounds_at(rate, &facts.bound, &rounds_of(run.results.lines()))
        };
        let round = rounds_known(self, facts) + 1;
        let is_over = of.left(self.begin).is_some_and(|left| takes > left);
        if self.interrupt.requested() || is_over || !self.cell(&workload, cell, &of.tapes, round, display)? {
            if self.results.status(&cell.id, 1).is_none() {
                facts.searches[place].probes.remove(&cell.id);
            }
            return Ok(false);
        }
        // Asked again for ever, otherwise.
        if rounds_known(self, facts) < round && !self.results.has_failed(&cell.id) {
            bail!(
                "the cell {} at {rate}/s does not tell whether the bound holds: its driver reports no open loop, or no latencies",
                cell.id
            );
        }
        Ok(true)
    }
}
