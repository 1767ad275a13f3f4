//! Two runs measured in turn: each cell right before or after the same cell of the other side, round by round.
//!
//! What the machine does at that time falls on both, so their rounds can be compared one by one. After the suite's rounds only those
//! cells are measured again that may be worse on side B.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::comparison::Comparison;
use bakeoff_results::omission::{Done, Omission, Reason};
use bakeoff_results::record::RunRecord;
use bakeoff_results::run::Run;
use bakeoff_suite::{Cell, WorkloadPlan};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::execute::{FinishedRun, Grounds};
use crate::place::own_directory::OwnDirectory;
use crate::plan::estimate::{FLUSHES_OF_A_WRITE, estimates_of_all};
use crate::plan::schedule::Costs;
use crate::plan::setup::Setup;
use crate::state::{CellLimit, RunState};
use crate::surroundings::interrupt::Interrupt;
use crate::surroundings::progress::{Display, TimeLeft};

/// How many times the suite's rounds a cell has, at most.
const ROUNDS_FACTOR_MAX: u32 = 4;

/// A cell may have this many rounds in any case: their signs prove a change in a table of some hundred lines.
const ROUNDS_MAX_AT_LEAST: u32 = 16;

/// One side of a comparison: a run of its own.
pub struct TurnSide<'a> {
    /// What is planned.
    pub setup: &'a Setup,
    /// Where its results are kept.
    pub directory: &'a OwnDirectory,
    /// The facts of the run before it starts.
    pub file: RunRecord,
}

/// Measures two runs in turn. After the suite's rounds, cells that may be worse on the second side by more than `part` (0.05 is 5 %) have
/// further rounds: four times as many in all, or 16, at most. What only one side plans is not measured.
///
/// # Errors
/// The sides have no cell in common, something that a run needs cannot be made, or results cannot be written.
pub fn execute_in_turn(sides: [TurnSide<'_>; 2], part: f64, budget: Option<Duration>) -> Result<[FinishedRun; 2]> {
    let begin = Instant::now();
    let [mut a, mut b] = sides;
    let pairs = pairs([a.setup, b.setup])?;
    let costs = Costs::new(estimates_of_all(a.setup, FLUSHES_OF_A_WRITE));
    let interrupt = Interrupt::install()?;
    let mut grounds_a = Grounds::prepare(a.setup, a.directory, &mut a.file)?;
    let mut grounds_b = Grounds::prepare(b.setup, b.directory, &mut b.file)?;
    let runs = [
        grounds_a.begin((a.setup, a.directory, a.file), &interrupt, begin, budget)?,
        grounds_b.begin((b.setup, b.directory, b.file), &interrupt, begin, budget)?,
    ];
    let random = Xoshiro256PlusPlus::seed_from_u64(a.setup.suite.seed());
    let mut turns = Turns { runs, costs, random, display: Display::new(a.setup.reporter), part };
    let unfinished = turns.measure(pairs)?;
    turns.display.finish();
    let [ended_a, ended_b] = turns.runs.map(|run| run.end(unfinished.clone().into_iter().collect()));
    let finished = |ended, grounds| FinishedRun { ended, is_resumable: false, grounds };
    Ok([finished(ended_a?, grounds_a), finished(ended_b?, grounds_b)])
}

/// A cell on both sides.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Indexes into the workloads of the sides' plans.
    workloads: [usize; 2],
    /// Indexes into the workloads' cells.
    cells: [usize; 2],
}

impl Pair {
    fn workload<'s>(&self, side: usize, setup: &'s Setup) -> (&'s WorkloadPlan, &'s Cell) {
        let workload = &setup.plan.workloads[self.workloads[side]];
        (workload, &workload.cells[self.cells[side]])
    }
}

/// All cells that both sides plan: of the same store, with the same tapes under the same circumstances.
///
/// # Errors
/// There are none.
fn pairs([a, b]: [&Setup; 2]) -> Result<Vec<Pair>> {
    let cells = |setup: &'_ Setup| -> Vec<(usize, usize)> {
        let workloads = setup.plan.workloads.iter().enumerate();
        workloads.flat_map(|(workload, plan)| (0..plan.cells.len()).map(move |cell| (workload, cell))).collect()
    };
    let identity = |setup: &Setup, (workload, cell): (usize, usize)| {
        let workload = &setup.plan.workloads[workload];
        let axes = &workload.cells[cell].axes;
        (workload.workload.clone(), axes.store.clone(), axes.killed, Circumstances::of(axes))
    };
    let mut left = cells(b);
    let mut pairs = Vec::new();
    for (workload, cell) in cells(a) {
        let twin = identity(a, (workload, cell));
        let is_same = |other: &(usize, usize)| identity(b, *other) == twin;
        let Some(at) = left.iter().position(is_same) else { continue };
        let (other_workload, other_cell) = left.remove(at);
        pairs.push(Pair { workloads: [workload, other_workload], cells: [cell, other_cell] });
    }
    if pairs.is_empty() {
        bail!("the two sides have no cell in common: give both the same workloads, circumstances and stores");
    }
    Ok(pairs)
}

/// Two runs under way.
struct Turns<'a> {
    runs: [RunState<'a>; 2],
    /// What cells take, learnt from both sides.
    costs: Costs,
    random: Xoshiro256PlusPlus,
    display: Display,
    part: f64,
}

impl Turns<'_> {
    /// Measures the suite's rounds of all pairs, and then further rounds of pairs that may be worse. Returns what was not measured for
    /// lack of time.
    fn measure(&mut self, mut pairs: Vec<Pair>) -> Result<Option<Omission>> {
        let rounds = self.runs.iter().map(|run| run.setup.suite.rounds()).max().unwrap_or(1);
        self.display.expect(2 * pairs.len() * rounds as usize);
        for round in 1..=rounds.saturating_mul(ROUNDS_FACTOR_MAX).max(ROUNDS_MAX_AT_LEAST) {
            if round > rounds {
                let before = pairs.len();
                pairs = self.suspicious(pairs);
                if pairs.is_empty() {
                    break;
                }
                if round == rounds + 1 || pairs.len() < before {
                    self.announce(pairs.len(), round);
                }
                self.display.expect(2 * pairs.len());
            }
            self.shuffle(&mut pairs);
            if !self.round(&pairs, round, rounds.saturating_sub(round))? {
                return Ok(Some(Omission::new(None, format!("round {round}"), Reason::OverBudget(Done::PartOfRound))));
            }
        }
        Ok(None)
    }

    /// The pairs that may be worse by more than they may, and of which further rounds can tell more.
    fn suspicious(&self, pairs: Vec<Pair>) -> Vec<Pair> {
        let run = |run: &RunState<'_>| {
            let directory = run.directory.path().to_owned();
            Run::new(directory, run.file.clone(), run.rounds().to_vec(), Vec::new())
        };
        let [a, b] = [0, 1].map(|side| run(&self.runs[side]));
        // Without a figure that both have there is none that rounds would make surer.
        let Ok(found) = Comparison::new(&a, &b) else { return Vec::new() };
        let suspicious = |pair: &Pair| {
            let (_, cell) = pair.workload(0, self.runs[0].setup);
            !self.has_failed(pair) && found.needs_rounds(&cell.axes, self.part)
        };
        pairs.into_iter().filter(suspicious).collect()
    }

    fn announce(&self, cells: usize, round: u32) {
        let (percent, cells_label) = (self.part * 100.0, bakeoff_text::counted(cells, "cell"));
        let reporter = self.runs[0].setup.reporter;
        reporter.report(&format!(
            "round {round}: {cells_label} may be worse in B by more than {percent} % and are measured again"
        ));
    }

    /// Workloads in random order, and in each its cells.
    fn shuffle(&mut self, pairs: &mut [Pair]) {
        let mut workloads: Vec<usize> = pairs.iter().map(|pair| pair.workloads[0]).collect();
        workloads.dedup();
        workloads.shuffle(&mut self.random);
        pairs.shuffle(&mut self.random);
        pairs.sort_by_key(|pair| workloads.iter().position(|workload| *workload == pair.workloads[0]));
    }

    /// One round of these pairs. False if the user stopped it or the time ended on the way.
    fn round(&mut self, pairs: &[Pair], round: u32, rounds_left: u32) -> Result<bool> {
        let later_ns = self.expected_ns(pairs) * f64::from(rounds_left);
        for (place, pair) in pairs.iter().enumerate() {
            if self.has_failed(pair) {
                continue;
            }
            let expected = [self.expected_ns(&pairs[place..=place]), self.expected_ns(&pairs[place + 1..]) + later_ns];
            // A coin for each pair and round. The verdict depends on it: see `bakeoff_stats::LogRatio::of_turns`.
            let first = usize::from(self.random.random::<bool>());
            for side in [first, 1 - first] {
                self.predict(expected, side != first);
                if !self.cell(pair, side, round)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn cell(&mut self, pair: &Pair, side: usize, round: u32) -> Result<bool> {
        let run = &mut self.runs[side];
        let (workload, cell) = pair.workload(side, run.setup);
        if run.must_stop() {
            return Ok(false);
        }
        let Some(tapes) = run.tapes(pair.workloads[side], &mut self.display)? else { return Ok(false) };
        let (begin, removal) = (Instant::now(), run.scratch.removal_time());
        let limit = CellLimit { timeout_from: "--timeout", is_cut_by_budget: true };
        let whole = run.cell(workload, cell, &tapes, round, limit, &mut self.display)?;
        let took = begin.elapsed() + run.scratch.removal_time().saturating_sub(removal);
        self.costs.saw(pair.workloads[0], pair.cells[0], took.as_nanos() as f64);
        Ok(whole)
    }

    /// Whether a side of the pair failed in some round: neither is measured again.
    fn has_failed(&self, pair: &Pair) -> bool {
        [0, 1].iter().any(|&side| {
            let (_, cell) = pair.workload(side, self.runs[side].setup);
            self.runs[side].results.has_failed(&cell.id)
        })
    }

    /// What both sides of these pairs will take in a round, nanoseconds.
    fn expected_ns(&self, pairs: &[Pair]) -> f64 {
        pairs.iter().map(|pair| 2.0 * self.costs.predict_cell(pair.workloads[0], pair.cells[0])).sum()
    }

    /// Predicts the time left before a side of a pair, from what the pair and all that comes after it take.
    fn predict(&mut self, [pair_ns, later_ns]: [f64; 2], is_second: bool) {
        let cell_ns = pair_ns / 2.0;
        let later_ns = if is_second { later_ns } else { later_ns + cell_ns };
        let [now, later] = [cell_ns, later_ns].map(|ns| Duration::from_nanos(ns as u64));
        let most = self.runs[0].budget_left();
        self.display.predict(Some(TimeLeft { now, later, most }), self.costs.has_seen_all());
    }
}
