//! A map: small races at places of a plane, most of them where the winner changes, as long as the budget lasts.
//!
//! The next place follows from the results so far (`bakeoff_results::map_plane`), so an interrupted map goes on where
//! it was. The last part of the time goes to places without a clear winner.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Result;
use bakeoff_results::map_facts::{MapFacts, MapLeftOut, MapPoint};
use bakeoff_results::map_outcome::{add_sample, empty_plane, races};
use bakeoff_results::map_plane::Plane;
use bakeoff_results::map_race::{MAP_ROUNDS, MapRace};
use bakeoff_results::pick::of_variant;
use bakeoff_text::roughly;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mode::Mode;
use crate::plan::estimate::{FLUSHES_OF_A_WRITE_MIN, estimates_of_all};
use crate::plan::schedule::Costs;
use crate::plan::step::{Replay, Step};
use crate::state::{CellLimit, Ended, RunState};
use crate::surroundings::progress::Display;

/// First rounds that a place is expected to take in all: later ones have fewer stores.
const FIRST_ROUNDS: f64 = 2.0;

/// The part of the budget that one place may take.
const PLACE_PART: f64 = 0.2;

/// A map under way.
pub(crate) struct Map {
    facts: MapFacts,
    costs: Costs,
    random: Xoshiro256PlusPlus,
    plane: Plane,
    /// The workload of each measurable place.
    workloads: BTreeMap<MapPoint, usize>,
    /// Places that were begun in an earlier run and not done.
    begun: Vec<MapPoint>,
    current: Option<Current>,
    /// Places for which there was too little time, or where further rounds show nothing new.
    too_long: BTreeSet<MapPoint>,
}

/// The place that is measured now.
struct Current {
    at: MapPoint,
    /// The stores that take part.
    entered: Vec<String>,
    /// Rounds that it may have.
    most: u32,
    /// Whether it was done before, and has a further round.
    is_extra: bool,
    /// Whether it had a round since it was chosen.
    had_round: bool,
}

impl Map {
    /// Begins a map, or continues an interrupted one.
    ///
    /// # Errors
    /// `run.json` cannot be written.
    pub(crate) fn new(run: &mut RunState<'_>, facts: MapFacts) -> Result<Self> {
        let of_variant: BTreeMap<String, MapPoint> = facts.points().map(|at| (at.variant(), at)).collect();
        let planned = run.setup.plan.workloads.iter().enumerate();
        let place = |variant: Option<&String>| of_variant.get(variant?).copied();
        let workloads: BTreeMap<MapPoint, usize> =
            planned.filter_map(|(index, workload)| Some((place(workload.variant.as_ref())?, index))).collect();
        if run.file.finished.take().is_some() {
            run.write_file()?;
        }
        let mut map = Self {
            costs: Costs::new(estimates_of_all(run.setup, FLUSHES_OF_A_WRITE_MIN)),
            random: Xoshiro256PlusPlus::seed_from_u64(run.setup.suite.seed()),
            plane: empty_plane(&facts),
            workloads,
            begun: Vec::new(),
            current: None,
            too_long: BTreeSet::new(),
            facts: MapFacts { out_of_time: false, ..facts },
        };
        map.take_up(run);
        Ok(map)
    }

    /// Takes account of what earlier runs measured.
    fn take_up(&mut self, run: &RunState<'_>) {
        for round in run.rounds() {
            let Some(variant) = &round.end.axes.variant else { continue };
            let workloads = &run.setup.plan.workloads;
            let Some(workload) = workloads.iter().position(|each| each.variant.as_ref() == Some(variant)) else {
                continue;
            };
            let cell = workloads[workload].cells.iter().position(|cell| cell.id == round.end.cell);
            cell.into_iter().for_each(|cell| self.costs.saw(workload, cell, round.end.process_ns as f64));
        }
        for (at, race) in &races(run.rounds(), &self.facts) {
            add_sample(&mut self.plane, &self.facts, *at, race);
            self.begun.push(*at);
        }
    }

    /// The stores that a place has cells for, with what a round of each is expected to take, nanoseconds.
    fn planned(&self, run: &RunState<'_>, at: MapPoint) -> Vec<(String, f64)> {
        let Some(&workload) = self.workloads.get(&at) else { return Vec::new() };
        let cells = run.setup.plan.workloads[workload].cells.iter().enumerate();
        cells.map(|(index, cell)| (cell.axes.store.clone(), self.costs.predict_cell(workload, index))).collect()
    }

    /// Of those the ones that would take part: not clearly behind all around, and done in the time of a cell. With what that would take,
    /// nanoseconds.
    fn entering(&self, run: &RunState<'_>, at: MapPoint) -> (Vec<String>, f64) {
        let is_in_time = |expected: f64| expected <= run.setup.suite.timeout().as_nanos() as f64;
        let mut all = self.planned(run, at);
        all.retain(|(store, expected)| is_in_time(*expected) && !self.plane.is_beaten_around(at, store));
        let expected = all.iter().map(|(_, expected)| expected).sum();
        (all.into_iter().map(|(store, _)| store).collect(), expected)
    }

    /// Begins a place: notes which stores are left out as they would take too long.
    fn begin(&mut self, run: &RunState<'_>, at: MapPoint) -> Current {
        let (entered, _) = self.entering(run, at);
        let timeout = run.setup.suite.timeout();
        for (store, expected) in self.planned(run, at) {
            let expected = Duration::from_nanos(expected as u64);
            let is_known = self.facts.left_out.iter().any(|each| each.at == at && each.store == store);
            if expected > timeout && !self.plane.is_beaten_around(at, &store) && !is_known {
                let (expected, timeout) = (roughly(expected), bakeoff_text::format_duration(timeout));
                let why = format!("a round would take about {expected}, more than its part of the budget, {timeout}");
                self.facts.left_out.push(MapLeftOut { at, store, why });
            }
        }
        Current { at, entered, most: MAP_ROUNDS.0, is_extra: false, had_round: false }
    }

    /// The place to go on with or to begin; `None` if nothing is worth it, or there is no time for anything.
    fn choose(&mut self, run: &RunState<'_>) -> Option<Current> {
        if let Some(at) = self.begun.pop() {
            let current = self.begin(run, at);
            let race = self.race(run, at);
            let raced = || race.stores().into_iter().map(str::to_owned).collect();
            let entered = if race.rounds() > 1 { raced() } else { current.entered };
            return Some(Current { entered, ..current });
        }
        let left_ns = run.budget_left().unwrap_or(Duration::MAX).as_nanos() as f64;
        let most_ns = self.facts.budget().mul_f64(PLACE_PART).as_nanos() as f64;
        let expected: BTreeMap<MapPoint, (usize, f64)> = self
            .workloads
            .keys()
            .map(|at| {
                let (entered, first_ns) = self.entering(run, *at);
                (*at, (entered.len(), first_ns * FIRST_ROUNDS))
            })
            .collect();
        let fits =
            |at: &MapPoint| expected.get(at).is_some_and(|(stores, ns)| *stores > 0 && *ns <= left_ns.min(most_ns));
        let may_be = |at: MapPoint| fits(&at) && !self.too_long.contains(&at);
        let cost = |at: MapPoint| expected.get(&at).map_or(f64::MAX, |(_, ns)| *ns);
        if let Some(at) = self.plane.next(may_be, cost) {
            return Some(self.begin(run, at));
        }
        self.facts.out_of_time |= self.plane.next(|at| expected.contains_key(&at), cost).is_some();
        self.undecided(run)
    }

    /// A place without a clear winner, with the fewest rounds.
    fn undecided(&self, run: &RunState<'_>) -> Option<Current> {
        let races = races(run.rounds(), &self.facts);
        let open = races.iter().filter(|(at, race)| race.is_open(self.facts.optimize) && !self.too_long.contains(at));
        let (at, race) = open.min_by_key(|(_, race)| race.rounds())?;
        let entered = race.stores().into_iter().map(str::to_owned).collect();
        Some(Current { at: *at, entered, most: race.rounds() + 1, is_extra: true, had_round: false })
    }

    /// Leaves a place. If it had no round it is not chosen again.
    fn leave(&mut self, run: &mut RunState<'_>, done: &Current) -> Result<()> {
        if !done.had_round && done.is_extra {
            self.too_long.insert(done.at);
        }
        self.workloads.get(&done.at).map_or(Ok(()), |workload| run.forget_tapes(*workload))
    }

    fn race<'r>(&self, run: &'r RunState<'_>, at: MapPoint) -> MapRace<'r> {
        let variant = at.variant();
        MapRace::new(of_variant(run.rounds(), &variant).collect())
    }

    /// The next round of the place that is measured now; `None` if it needs no more, or there is no time.
    fn next_round(&mut self, run: &RunState<'_>) -> Option<Step> {
        let Current { at, entered, most, .. } = self.current.as_ref()?;
        let &workload = self.workloads.get(at)?;
        let (round, stores) = self.race(run, *at).next(entered, self.facts.optimize, *most)?;
        let cells = run.setup.plan.workloads[workload].cells.iter().enumerate();
        let mut cells: Vec<usize> =
            cells.filter(|(_, cell)| stores.contains(&cell.axes.store)).map(|(index, _)| index).collect();
        let expected: f64 = cells.iter().map(|cell| self.costs.predict_cell(workload, *cell)).sum();
        let is_short = run.budget_left().is_some_and(|left| expected > left.as_nanos() as f64);
        if is_short || cells.is_empty() {
            self.too_long.insert(*at);
            self.facts.out_of_time |= is_short;
            return None;
        }
        cells.shuffle(&mut self.random);
        Some(Step { workload, round, cells, replay: Replay::AsPlanned })
    }
}

impl Mode for Map {
    fn next(&mut self, run: &mut RunState<'_>, _: &mut Display) -> Result<Option<Step>> {
        while !run.must_stop() {
            if self.current.is_none() {
                self.current = self.choose(run);
            }
            if self.current.is_none() {
                return Ok(None);
            }
            let step = self.next_round(run);
            if let Some(current) = self.current.as_mut().filter(|_| step.is_some()) {
                current.had_round = true;
                return Ok(step);
            }
            if let Some(done) = self.current.take() {
                self.leave(run, &done)?;
            }
        }
        self.facts.out_of_time |= !run.is_interrupted();
        Ok(None)
    }

    /// A map goes on until nothing is worth it or its time is over.
    fn before_cell(&self, run: &RunState<'_>, _: &Step, _: usize, display: &mut Display) {
        display.predict(run.budget_left().map(Into::into), true);
    }

    fn after_cell(&mut self, step: &Step, cell: usize, took: Duration) {
        self.costs.saw(step.workload, cell, took.as_nanos() as f64);
    }

    fn after_step(&mut self, run: &mut RunState<'_>, step: Step, whole: bool, display: &mut Display) -> Result<()> {
        if whole {
            run.show_leaders(step.workload, display);
        }
        if let Some(at) = self.current.as_ref().map(|current| current.at) {
            let race = self.race(run, at);
            add_sample(&mut self.plane, &self.facts, at, &race);
        }
        Ok(())
    }

    fn end(self: Box<Self>, mut run: RunState<'_>) -> Result<Ended> {
        run.file.map = Some(self.facts);
        run.end(Vec::new())
    }

    fn cell_limit(&self) -> CellLimit {
        CellLimit { timeout_from: "a part of --budget", is_cut_by_budget: true }
    }
}
