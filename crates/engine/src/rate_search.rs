//! The highest rate of an open loop that keeps a bound on latency, for each store of each workload.
//!
//! First each store does the phase in a closed loop, once. The search begins at that rate, which also bounds its time.
//! A probe is a cell at a rate. It ends after a round that holds, and a failed round is repeated. When all searches
//! have ended, these get further rounds, until they stand or the search goes on. The next probe follows from the
//! results alone, so an interrupted search goes on where it ended. Stores take turns, so that all of them meet the same
//! disturbances and a budget ends them at about the same width.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_results::rate_search::{RateFacts, RateSearch};
use bakeoff_results::rate_search_time::Left;
use bakeoff_stats::Bracket;
use bakeoff_suite::{OpenPhase, WorkloadPlan};
use bakeoff_text::format_duration;

use crate::mode::Mode;
use crate::plan::step::{Replay, Step, open_phase};
use crate::state::{Ended, RunState};
use crate::surroundings::progress::Display;

/// A run that looks for the highest rate of every store in every workload.
pub(crate) struct RateSearches {
    facts: RateFacts,
    /// The workload that is searched.
    searched: Option<Searched>,
    /// The one after it.
    next: usize,
}

/// The workload of the current searches.
struct Searched {
    /// Index into the plan's workloads.
    workload: usize,
    phase: OpenPhase,
    /// Where its searches are among all.
    places: Vec<usize>,
    /// When its time is over, since the run began.
    until: Option<Duration>,
    /// Searches whose closed loops are not measured yet.
    closing: VecDeque<usize>,
    probes: Probes,
}

/// Rates to try, one of each store in turn.
struct Probes {
    /// Searches and rates of this turn that are still to come.
    pending: VecDeque<(usize, u64)>,
    /// The search that is tried now.
    current: usize,
    /// Whether something was measured in this turn; `None` before the first.
    measured: Option<bool>,
    /// Whether some limit is not enclosed by two rates yet.
    is_open: bool,
}

impl Searched {
    /// The rest of its time.
    fn left(&self, run: &RunState<'_>) -> Option<Duration> {
        Some(self.until?.saturating_sub(run.begin.elapsed()))
    }
}

impl RateSearches {
    /// Begins, or goes on where a search was cut short.
    pub(crate) fn new(run: &mut RunState<'_>, mut facts: RateFacts) -> Self {
        run.file.finished = None;
        facts.searches.iter_mut().for_each(|search| search.cut_short = true);
        Self { facts, searched: None, next: 0 }
    }

    /// Begins to search the next workload; `None` if there is none, or its tapes cannot be made in time.
    fn begin(&mut self, run: &mut RunState<'_>, display: &mut Display) -> Result<Option<Searched>> {
        let workloads = &run.setup.plan.workloads;
        let Some(plan) = workloads.get(self.next) else { return Ok(None) };
        let (workload, phase) = (self.next, open_phase(plan)?);
        if run.tapes(workload, display)?.is_none() {
            self.next = workloads.len();
            return Ok(None);
        }
        // Each workload has an equal part of the time that is left.
        let (now, parts) = (run.begin.elapsed(), u32::try_from(workloads.len() - workload).unwrap_or(u32::MAX));
        let until = run.budget_to_measure().map(|budget| now + budget.saturating_sub(now) / parts);
        self.next += 1;
        let id = plan.id();
        let searches = self.facts.searches.iter().enumerate();
        let places: Vec<usize> =
            searches.filter(|(_, search)| search.workload_id == id).map(|(place, _)| place).collect();
        let closing = places.iter().copied().collect();
        let probes = Probes { pending: VecDeque::new(), current: 0, measured: None, is_open: true };
        Ok(Some(Searched { workload, phase, places, until, closing, probes }))
    }

    /// The next closed loop: with each operation begun as the one before has ended, every store is measured once, and its search begins at that
    /// rate. `Err` if the user stopped it or the time ended before.
    fn next_closed(&mut self, run: &RunState<'_>, of: &mut Searched) -> Result<Option<Step>, Over> {
        let closed = run.setup.plan.workloads[of.workload].closed(&of.phase);
        while let Some(&place) = of.closing.front() {
            let is_of_search = |cell: &bakeoff_suite::Cell| cell.id == self.facts.searches[place].closed_cell;
            let Some(index) = closed.cells.iter().position(is_of_search) else {
                of.closing.pop_front();
                continue;
            };
            if !run.is_cell_done(&closed.cells[index], 1) {
                let is_over = of.left(run).is_some_and(|left| left.is_zero());
                if run.is_interrupted() || is_over {
                    return Err(Over);
                }
                return Ok(Some(Step { workload: of.workload, round: 1, cells: vec![index], replay: Replay::Closed }));
            }
            self.start_at_closed(run, place);
            of.closing.pop_front();
        }
        Ok(None)
    }

    /// Begins a search at the rate of its closed loop, if that is known.
    fn start_at_closed(&mut self, run: &RunState<'_>, place: usize) {
        let search = &mut self.facts.searches[place];
        if let Some(known) = search.closed_loop(run.rounds()) {
            let rate = known.per_second.round() as u64;
            search.start_per_second = rate.clamp(search.lowest_per_second, search.highest_per_second);
        }
    }

    /// The next probe of a store at a rate; `None` when all searches of the workload are over, or the time is.
    fn next_probe(&mut self, run: &mut RunState<'_>, of: &mut Searched) -> Result<Option<Step>> {
        loop {
            if run.is_interrupted() {
                of.probes.pending.clear();
            }
            while let Some((place, rate)) = of.probes.pending.pop_front() {
                if let Some(step) = self.probe(run, of, place, rate)? {
                    of.probes.current = place;
                    return Ok(Some(step));
                }
            }
            if !self.end_turn(run, of) {
                return Ok(None);
            }
            self.begin_turn(run, of);
        }
    }

    /// Takes account of a turn that is over. False if the searches are over with it.
    fn end_turn(&mut self, run: &RunState<'_>, of: &mut Searched) -> bool {
        let Some(measured) = of.probes.measured else {
            let why = ", the longer the further the limits lie below the closed loop's rates";
            self.report_left(run, of, "The whole search", why);
            return true;
        };
        if !measured || run.is_interrupted() {
            for &place in &of.places {
                self.facts.searches[place].cut_short = self.next_rate(run, place).is_some();
            }
            return false;
        }
        // Between two ends it is known how long the rest takes.
        if of.probes.is_open && of.places.iter().all(|&place| self.is_bracketed(run, place)) {
            of.probes.is_open = false;
            self.report_left(run, of, "The rest of the search", "");
        }
        true
    }

    /// Finds the rates to try next for each search. Where all have ended, these get further rounds until they stand.
    fn begin_turn(&mut self, run: &RunState<'_>, of: &mut Searched) {
        of.probes.measured = Some(false);
        for &place in &of.places {
            let next = self.next_rate(run, place);
            self.facts.searches[place].cut_short = next.is_some();
            of.probes.pending.extend(next.map(|rate| (place, rate)));
        }
        if of.probes.pending.is_empty() {
            let unsure = of.places.iter().filter_map(|&place| Some((place, self.unsure_end(run, place)?)));
            of.probes.pending.extend(unsure);
        }
    }

    /// One more round of a store at a rate, noted in `run.json`; `None` if there is no time for it, or the user stopped it.
    fn probe(&mut self, run: &mut RunState<'_>, of: &Searched, place: usize, rate: u64) -> Result<Option<Step>> {
        let workload = run.setup.plan.workloads[of.workload].at_rate(&of.phase, rate);
        let search = &mut self.facts.searches[place];
        let Some(index) = cell_of(&workload, search) else { return Ok(None) };
        let cell = &workload.cells[index];
        let takes = Duration::from_nanos(search.round_ns(rate, run.rounds()).unwrap_or_default() as u64);
        search.probes.insert(cell.id.clone(), rate);
        // In its current state, so that a killed run can be read, and its cells can be run by hand.
        run.file.find_rate = Some(self.facts.clone());
        run.write_file()?;
        if run.is_interrupted() || of.left(run).is_some_and(|left| takes > left) {
            self.forget_unmeasured(run, place, &cell.id);
            return Ok(None);
        }
        let round = self.rounds_at(run, place, rate) + 1;
        Ok(Some(Step { workload: of.workload, round, cells: vec![index], replay: Replay::AtRate(rate) }))
    }

    /// A rate at which no round of the cell ended was not tried.
    fn forget_unmeasured(&mut self, run: &RunState<'_>, place: usize, cell: &str) {
        if run.results.status(cell, 1).is_none() {
            self.facts.searches[place].probes.remove(cell);
        }
    }

    /// Takes account of a probe.
    fn probed(&mut self, run: &RunState<'_>, of: &mut Searched, step: &Step, rate: u64, whole: bool) -> Result<()> {
        let (place, workload) = (of.probes.current, step.replayed(&run.setup.plan)?);
        let id = &workload.cells[step.cells[0]].id;
        if !whole {
            self.forget_unmeasured(run, place, id);
            return Ok(());
        }
        // Asked again for ever, otherwise.
        if self.rounds_at(run, place, rate) < step.round && !run.results.has_failed(id) {
            bail!(
                "the cell {id} at {rate}/s does not tell whether the bound holds: its driver reports no open loop, or no latencies. \
                 Leave its store out with --stores"
            );
        }
        of.probes.measured = Some(true);
        Ok(())
    }

    /// The rest of the searches of a workload; `None` before their closed loops were measured.
    fn left(&self, run: &RunState<'_>, of: &Searched) -> Option<Left> {
        let (measured, rounds) = (run.rounds(), run.setup.suite.rounds());
        let left = |&place: &usize| match &self.facts.searches[place] {
            search if search.failed_at(measured).is_some() => Some(Left::default()),
            search => search.left(&self.facts.bound, measured, rounds),
        };
        of.places.iter().map(left).try_fold(Left::default(), |sum, left| Some(sum.and(left?)))
    }

    /// The time left, for the display: nothing while the most is over twice the least.
    fn predicted(&self, run: &RunState<'_>, of: &Searched) -> Option<Duration> {
        let left = self.left(run, of).filter(|left| left.most_ns <= left.least_ns * 2.0)?;
        let expected = Duration::from_nanos(left.most_ns as u64);
        Some(of.left(run).map_or(expected, |budget| expected.min(budget)))
    }

    /// Reports between which times the search will take, and whether the budget suffices.
    fn report_left(&self, run: &RunState<'_>, of: &Searched, what: &str, why: &str) {
        let Some(left) = self.left(run, of) else { return };
        let time = |ns: f64| format_duration(Duration::from_secs((ns / 1e9).ceil() as u64));
        let (least, most) = (time(left.least_ns), time(left.most_ns));
        let takes = if least == most { format!("about {most}") } else { format!("{least} to {most}{why}") };
        let but = of.left(run).map(|budget| (time(budget.as_nanos() as f64), budget.as_nanos() as f64));
        let but = match but {
            Some((budget, ns)) if ns < left.least_ns => {
                format!("; the budget leaves {budget}, so it will be cut short")
            }
            Some((budget, ns)) if ns < left.most_ns => format!("; the budget leaves {budget}, which may cut it short"),
            _ => String::new(),
        };
        let workload = &run.setup.plan.workloads[of.workload];
        run.setup.reporter.report(&format!("{what} of {workload} takes {takes}{but}"));
    }

    fn next_rate(&self, run: &RunState<'_>, place: usize) -> Option<u64> {
        self.facts.searches[place].next_rate(&self.facts.bound, run.rounds())
    }

    fn unsure_end(&self, run: &RunState<'_>, place: usize) -> Option<u64> {
        self.facts.searches[place].unsure_end(&self.facts.bound, run.rounds(), run.setup.suite.rounds())
    }

    fn rounds_at(&self, run: &RunState<'_>, place: usize, rate: u64) -> u32 {
        self.facts.searches[place].rounds_at(rate, &self.facts.bound, run.rounds())
    }

    /// Whether the limit of a search is bracketed, or out of reach.
    fn is_bracketed(&self, run: &RunState<'_>, place: usize) -> bool {
        let bracket = Bracket::of(&self.facts.searches[place].tried(&self.facts.bound, run.rounds()));
        (bracket.held.is_some() && bracket.failed.is_some()) || self.next_rate(run, place).is_none()
    }
}

/// That a workload's searches are over before they ended.
struct Over;

/// The cell of a search in its workload.
fn cell_of(workload: &WorkloadPlan, search: &RateSearch) -> Option<usize> {
    workload.cells.iter().position(|cell| cell.axes.store == search.store)
}

impl Mode for RateSearches {
    fn next(&mut self, run: &mut RunState<'_>, display: &mut Display) -> Result<Option<Step>> {
        loop {
            let mut of = match self.searched.take() {
                Some(of) => of,
                None => match self.begin(run, display)? {
                    Some(of) => of,
                    None => return Ok(None),
                },
            };
            let step = match self.next_closed(run, &mut of) {
                Ok(Some(step)) => Some(step),
                Ok(None) => self.next_probe(run, &mut of)?,
                Err(Over) => None,
            };
            if step.is_some() {
                self.searched = Some(of);
                return Ok(step);
            }
        }
    }

    fn before_cell(&self, run: &RunState<'_>, step: &Step, _: usize, display: &mut Display) {
        if let (Some(of), Replay::AtRate(_)) = (&self.searched, step.replay) {
            display.predict(self.predicted(run, of).map(Into::into), true);
        }
    }

    fn after_step(&mut self, run: &mut RunState<'_>, step: Step, whole: bool, _: &mut Display) -> Result<()> {
        let Some(mut of) = self.searched.take() else { return Ok(()) };
        match step.replay {
            Replay::AtRate(rate) => self.probed(run, &mut of, &step, rate, whole)?,
            // Without its closed loop no search begins.
            _ if !whole => return Ok(()),
            _ => {}
        }
        self.searched = Some(of);
        Ok(())
    }

    fn end(self: Box<Self>, mut run: RunState<'_>) -> Result<Ended> {
        run.file.find_rate = Some(self.facts);
        run.end(Vec::new())
    }
}
