//! A race: rounds of the asked workload, without stores that fall behind, then a few rounds of everything the answer
//! might depend on.
//!
//! The results decide which store is dropped, when the race is decided and which store leads
//! (`bakeoff_results::pick_race`). The race decides which rounds fit the time. The remaining time goes to the variants
//! of the suite, with the leading stores.

mod view;

use std::time::Duration;

use anyhow::{Context, Result};
use bakeoff_results::pick::{PICK_ASKED, PICK_ASKED_PART, ROUNDS_PROOF};
use bakeoff_results::pick_facts::{Excluded, PickFacts, Question};
use bakeoff_results::pick_race::{Judgement, QUESTION_ROUNDS, finalists, is_settled, judge, leaves_for_time};
use bakeoff_suite::WorkloadPlan;
use bakeoff_text::roughly;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mode::Mode;
use crate::plan::estimate::{FLUSHES_OF_A_WRITE_MIN, estimates_of_all};
use crate::plan::schedule::Costs;
use crate::plan::step::{Replay, Step};
use crate::race::view::{cells_of, leaves_many_files, left_of, names, promises_more};
use crate::state::{CellLimit, Ended, RunState};
use crate::surroundings::progress::Display;

/// Rounds that those who stay have at least.
const ROUNDS_MIN: u32 = ROUNDS_PROOF as u32;

/// A pick's suite, run as a race.
pub(crate) struct Race {
    facts: PickFacts,
    costs: Costs,
    random: Xoshiro256PlusPlus,
    /// The asked workload.
    asked: usize,
    /// The cells of it that are still in the race.
    alive: Vec<usize>,
    /// The stores that were dropped as worse.
    worse: Vec<String>,
    stage: Stage,
}

/// What is measured now.
enum Stage {
    /// The asked workload, after `round` rounds.
    Asked { round: u32, is_decided: bool },
    /// Everything else that the answer may depend on: the round of a question's variant.
    Variants { round: u32, question: usize },
    /// Nothing more.
    Over,
}

impl Race {
    /// Begins a race.
    ///
    /// # Errors
    /// The asked workload is not in the plan.
    pub(crate) fn new(run: &RunState<'_>, facts: PickFacts) -> Result<Self> {
        let workloads = &run.setup.plan.workloads;
        let is_asked = |workload: &WorkloadPlan| workload.variant.as_deref() == Some(PICK_ASKED);
        let asked = workloads.iter().position(is_asked).context("nothing that was asked is in the plan")?;
        let mut race = Self {
            facts,
            costs: Costs::new(estimates_of_all(run.setup, FLUSHES_OF_A_WRITE_MIN)),
            random: Xoshiro256PlusPlus::seed_from_u64(run.setup.suite.seed()),
            asked,
            alive: (0..workloads[asked].cells.len()).collect(),
            worse: Vec::new(),
            stage: Stage::Asked { round: 0, is_decided: false },
        };
        race.leave_out_too_slow(run);
        Ok(race)
    }

    /// A round of the asked workload, with the stores that are still in the race.
    fn step(&self, round: u32) -> Step {
        Step { workload: self.asked, round, cells: self.alive.clone(), replay: Replay::AsPlanned }
    }

    /// How long a step will take, predicted from earlier rounds.
    fn expected(&self, step: &Step) -> Duration {
        let expected: f64 = step.cells.iter().map(|&cell| self.costs.predict_cell(step.workload, cell)).sum();
        Duration::from_nanos(expected as u64)
    }

    /// Whether a step is expected to end within a part of the budget.
    fn fits(&self, run: &RunState<'_>, step: &Step, part: f64) -> bool {
        self.expected(step) <= left_of(run, part)
    }

    /// The next round of the asked workload; `None` if no more are needed, or there is no time for one.
    fn next_round(&mut self, run: &RunState<'_>, round: u32) -> Option<Step> {
        if round > run.setup.suite.rounds() {
            return None;
        }
        if round > 1 && !self.fit_round(run, round) {
            self.facts.out_of_time = true;
            return None;
        }
        self.alive.shuffle(&mut self.random);
        if round == 1 {
            let asked = &run.setup.plan.workloads[self.asked];
            // Of nobody anything is known yet, and what leaves many files has taken the time of all the others to remove.
            self.alive.sort_by_key(|&cell| {
                let store = &asked.cells[cell].axes.store;
                (promises_more(asked, store), leaves_many_files(run, store))
            });
        }
        Some(self.step(round))
    }

    /// Takes account of a round of the asked workload: which stores leave the race, and which come back. Whether the
    /// race is decided.
    fn judge(&mut self, run: &RunState<'_>, step: &Step) -> bool {
        let (asked, round) = (&run.setup.plan.workloads[self.asked], step.round);
        let cells = &asked.cells;
        self.alive.retain(|&cell| !run.results.has_failed(&cells[cell].id));
        // The rounds that a proof takes would not fit for all, and the rest after them.
        let missing = ROUNDS_MIN.saturating_sub(round) as usize;
        let proof = Step { cells: self.alive.repeat(missing), ..step.clone() };
        let is_short = missing > 0 && !self.fits(run, &proof, PICK_ASKED_PART);
        let still = names(&self.alive, cells);
        let promises_more = |store: &str| promises_more(asked, store);
        let (goal, so_far) = (self.facts.optimize, (&*still, &*self.worse));
        let Judgement { back, behind, is_decided } =
            judge(run.rounds(), goal, (round, is_short), so_far, promises_more);
        self.worse.retain(|name| !back.contains(name));
        self.facts.dropped.retain(|each| !back.contains(&each.store));
        self.alive.extend((0..cells.len()).filter(|&cell| back.contains(&cells[cell].axes.store)));
        self.alive.retain(|&cell| behind.iter().all(|each| each.store != cells[cell].axes.store));
        self.worse.extend(behind.iter().map(|each| each.store.clone()));
        self.facts.dropped.extend(behind);
        is_decided
    }

    /// Leaves out stores whose round would not be done in its part of the time, because they flush each write unasked.
    fn leave_out_too_slow(&mut self, run: &RunState<'_>) {
        let asked = &run.setup.plan.workloads[self.asked];
        let (costs, dropped, workload) = (&self.costs, &mut self.facts.dropped, self.asked);
        self.alive.retain(|&cell| {
            let axes = &asked.cells[cell].axes;
            let expected = Duration::from_nanos(costs.predict_cell(workload, cell) as u64);
            let is_too_slow = promises_more(asked, &axes.store) && expected > run.setup.suite.timeout();
            if is_too_slow {
                let parts = run.budget.map_or(1.0, |budget| budget.div_duration_f64(run.setup.suite.timeout()));
                let why = format!(
                    "it offers no class below {}, in which a round would take about {}, more than its part of the time: a budget of {} would do",
                    axes.durability,
                    roughly(expected),
                    roughly(expected.mul_f64(parts))
                );
                dropped.push(Excluded::dropped(axes.store.clone(), why));
            }
            !is_too_slow
        });
    }

    /// Whether one more round of the asked workload fits the time. The rounds that a proof takes may have all of it. If
    /// that is too little for all stores, some leave the race.
    fn fit_round(&mut self, run: &RunState<'_>, round: u32) -> bool {
        let cells = &run.setup.plan.workloads[self.asked].cells;
        let part = if round <= ROUNDS_MIN { 1.0 } else { PICK_ASKED_PART };
        while !self.fits(run, &self.step(round), part) {
            let still = names(&self.alive, cells);
            let Some(last) = leaves_for_time(run.rounds(), self.facts.optimize, round - 1, &still) else {
                return false;
            };
            self.alive.retain(|&cell| cells[cell].axes.store != last.store);
            self.facts.dropped.push(last);
        }
        true
    }

    /// Keeps which stores lead the asked workload, and finds out which variants there is time for.
    fn begin_variants(&mut self, run: &RunState<'_>) {
        self.facts.finalists = finalists(run.rounds(), self.facts.optimize);
        self.stage = Stage::Over;
        if self.facts.finalists.is_empty() || run.is_interrupted() {
            return;
        }
        if let [only] = self.facts.raced.as_slice() {
            let only = only.clone();
            for question in &mut self.facts.questions {
                // With the other durability there may be stores that had no part in the race.
                if cells_of(run.setup, &question.variant).all(|cell| cell.axes.store == only) {
                    question.not_measured.get_or_insert("as no other store was asked".to_owned());
                }
            }
        }
        self.leave_out_variants(run);
        self.stage = Stage::Variants { round: 1, question: 0 };
    }

    /// The next round of a variant, each after the other, while there is time; with the question that it is for.
    fn next_variant(&mut self, run: &RunState<'_>, (round, first): (u32, usize)) -> Option<(usize, Step)> {
        for question in first..self.facts.questions.len() {
            let Question { variant, not_measured, .. } = &self.facts.questions[question];
            if not_measured.is_some() || is_settled(run.rounds(), variant, self.facts.optimize, round - 1) {
                continue;
            }
            let Ok(step) = self.variant_step(run, question, round) else { continue };
            if self.fits(run, &step, 1.0) {
                return Some((question, step));
            }
            if round == 1 {
                self.facts.questions[question].not_measured = Some(no_time(self.expected(&step)));
            }
        }
        None
    }

    /// Leaves out the variants that have no time for enough rounds to show something, the most expensive ones first.
    /// Enough rounds of a few are worth more than a round of each. The cheapest stays.
    fn leave_out_variants(&mut self, run: &RunState<'_>) {
        let mut expected: Vec<(usize, Duration)> = Vec::new();
        for question in 0..self.facts.questions.len() {
            if self.facts.questions[question].not_measured.is_some() {
                continue;
            }
            match self.variant_step(run, question, 1) {
                Ok(step) => expected.push((question, self.expected(&step))),
                Err(why) => self.facts.questions[question].not_measured = Some(why),
            }
        }
        expected.sort_by_key(|(_, round)| *round);
        let mut left = left_of(run, 1.0);
        for (place, (question, round)) in expected.into_iter().enumerate() {
            let wanted = round * QUESTION_ROUNDS.0;
            if wanted <= left || place == 0 {
                left = left.saturating_sub(wanted);
            } else {
                self.facts.questions[question].not_measured = Some(no_time(round));
            }
        }
    }

    /// The round of a variant, or why there is none.
    fn variant_step(&mut self, run: &RunState<'_>, question: usize, round: u32) -> Result<Step, String> {
        let leaders = self.facts.finalists.clone();
        let variant = self.facts.questions[question].variant.as_str();
        let mut workloads = run.setup.plan.workloads.iter();
        let Some(workload) = workloads.position(|workload| workload.variant.as_deref() == Some(variant)) else {
            return Err("no store can do it, or it is too large for the disk".to_owned());
        };
        // The leading stores, stores that can do this but not the asked workload, and stores that had this level where
        // a lower one was asked.
        let class = run.setup.plan.workloads[workload].conditions.durability;
        let asked_class = run.setup.plan.workloads[self.asked].conditions.durability;
        let promised = |store: &String| {
            let mut asked = cells_of(run.setup, PICK_ASKED).filter(|cell| cell.axes.store == *store);
            asked_class != class && asked.any(|cell| cell.axes.durability == class)
        };
        let takes_part =
            |store: &String| leaders.contains(store) || !self.facts.raced.contains(store) || promised(store);
        let cells = run.setup.plan.workloads[workload].cells.iter().enumerate();
        let mut cells: Vec<_> =
            cells.filter(|(_, cell)| takes_part(&cell.axes.store)).map(|(index, _)| index).collect();
        if cells.is_empty() {
            return Err("none of the leading stores can do it".to_owned());
        }
        let is_of_best =
            |cell: &usize| leaders.first() == Some(&run.setup.plan.workloads[workload].cells[*cell].axes.store);
        if cells.iter().all(is_of_best) {
            return Err(match leaders.len() {
                1 => "no other store was measured to be compared with".to_owned(),
                _ => "only the first of the leading stores can do it".to_owned(),
            });
        }
        cells.shuffle(&mut self.random);
        Ok(Step { workload, round, cells, replay: Replay::AsPlanned })
    }
}

impl Mode for Race {
    fn next(&mut self, run: &mut RunState<'_>, _: &mut Display) -> Result<Option<Step>> {
        loop {
            match self.stage {
                Stage::Asked { round, is_decided } => {
                    let step = if is_decided { None } else { self.next_round(run, round + 1) };
                    if step.is_some() {
                        self.stage = Stage::Asked { round: round + 1, is_decided };
                        return Ok(step);
                    }
                    self.begin_variants(run);
                }
                Stage::Variants { round, question } => match self.next_variant(run, (round, question)) {
                    Some((question, step)) => {
                        self.stage = Stage::Variants { round, question };
                        return Ok(Some(step));
                    }
                    None if round < QUESTION_ROUNDS.1 => {
                        self.stage = Stage::Variants { round: round + 1, question: 0 };
                    }
                    None => self.stage = Stage::Over,
                },
                Stage::Over => return Ok(None),
            }
        }
    }

    /// A race goes on until it knows the answer or its time is over.
    fn before_cell(&self, run: &RunState<'_>, _: &Step, _: usize, display: &mut Display) {
        display.predict(run.budget.map(|budget| budget.saturating_sub(run.begin.elapsed()).into()), true);
    }

    fn after_cell(&mut self, step: &Step, cell: usize, took: Duration) {
        self.costs.saw(step.workload, cell, took.as_nanos() as f64);
    }

    fn after_step(&mut self, run: &mut RunState<'_>, step: Step, whole: bool, display: &mut Display) -> Result<()> {
        if whole {
            run.show_leaders(step.workload, display);
        }
        match self.stage {
            Stage::Asked { round, .. } => {
                let is_decided = !whole || self.judge(run, &step);
                self.facts.out_of_time |= !whole;
                self.stage = Stage::Asked { round, is_decided };
            }
            Stage::Variants { round, question } => {
                if round == 1 && !whole {
                    let why = "the time ended before it was done".to_owned();
                    self.facts.questions[question].not_measured = Some(why);
                }
                self.stage = Stage::Variants { round, question: question + 1 };
            }
            Stage::Over => {}
        }
        Ok(())
    }

    fn end(mut self: Box<Self>, mut run: RunState<'_>) -> Result<Ended> {
        self.facts.proof_ns_expected = (self.costs.predict(self.asked) * f64::from(ROUNDS_MIN)) as u64;
        run.file.pick = Some(self.facts);
        run.end(Vec::new())
    }

    fn cell_limit(&self) -> CellLimit {
        CellLimit { timeout_from: "a part of --budget", is_cut_by_budget: false }
    }
}

/// That there was no time for the rounds of a variant, and how much it would take.
fn no_time(round: Duration) -> String {
    let rounds = QUESTION_ROUNDS.0;
    format!("there was too little time left: {rounds} rounds take about {}", roughly(round * rounds))
}
