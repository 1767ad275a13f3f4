//! Which workload and round comes next, and what a budget leaves out.
//!
//! A step is all cells of one workload in one round. These are compared, so they run close together, in an order drawn
//! afresh each time.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::plan::step::{Replay, Step};

/// Every step of a run, round after round, each round in a random order that depends on the seed alone.
pub(crate) fn steps(cells_of_workloads: &[usize], rounds: u32, seed: u64) -> Vec<Step> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut steps = Vec::new();
    for round in 1..=rounds {
        let mut workloads: Vec<_> = (0..cells_of_workloads.len()).collect();
        workloads.shuffle(&mut random);
        for workload in workloads {
            let mut cells: Vec<_> = (0..cells_of_workloads[workload]).collect();
            cells.shuffle(&mut random);
            steps.push(Step { workload, round, cells, replay: Replay::AsPlanned });
        }
    }
    steps
}

/// Rounds that a workload is worth beginning for: with fewer, chance can hardly be told from difference.
const ROUNDS_WORTHWHILE: u32 = 3;

/// The facts about a workload that decide whether it still fits the budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// Expected time of one more round, nanoseconds.
    pub(crate) round_ns: f64,
    /// Rounds done: finishing a workload is worth more than starting another.
    pub(crate) rounds_done: u32,
}

impl Outlook {
    /// Time until it has this many rounds.
    fn until_ns(&self, rounds: u32) -> f64 {
        self.round_ns * f64::from(rounds.saturating_sub(self.rounds_done))
    }
}

/// How many rounds each workload can have within the time left, of those wanted.
///
/// The largest possible number of workloads get three rounds, and if no further one can, two, or one: those begun
/// first, then the cheapest. The remaining time goes into further rounds of all of these.
pub(crate) fn admit(outlooks: &[Outlook], rounds: u32, time_left_ns: f64) -> Vec<u32> {
    let worthwhile = rounds.min(ROUNDS_WORTHWHILE);
    let mut levels = (1..=worthwhile).rev().map(|least| (least, admit_for(outlooks, least, time_left_ns)));
    let brings_on = |(least, admitted): &(u32, Vec<bool>)| {
        outlooks.iter().zip(admitted).any(|(outlook, admitted)| *admitted && outlook.rounds_done < *least)
    };
    // Where no workload can be brought up to a level, workloads that have reached one may go on.
    let (least, admitted) =
        levels.find(brings_on).unwrap_or_else(|| (worthwhile, admit_for(outlooks, worthwhile, time_left_ns)));
    let fits = |rounds: u32| {
        let of_admitted = outlooks.iter().zip(&admitted).filter(|(_, admitted)| **admitted);
        of_admitted.map(|(outlook, _)| outlook.until_ns(rounds)).sum::<f64>() <= time_left_ns
    };
    let (mut low, mut high) = (least, rounds);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    admitted.into_iter().map(|admitted| if admitted { low } else { 0 }).collect()
}

/// Which workloads can have this many rounds.
fn admit_for(outlooks: &[Outlook], rounds: u32, time_left_ns: f64) -> Vec<bool> {
    let mut order: Vec<_> = (0..outlooks.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&outlooks[a], &outlooks[b]);
        (b.rounds_done > 0).cmp(&(a.rounds_done > 0)).then(a.round_ns.total_cmp(&b.round_ns))
    });
    let mut admitted = vec![false; outlooks.len()];
    let mut spent_ns = 0.0;
    for index in order {
        let cost_ns = outlooks[index].until_ns(rounds);
        if spent_ns + cost_ns <= time_left_ns {
            spent_ns += cost_ns;
            admitted[index] = true;
        }
    }
    admitted
}

/// What one round of a cell is expected to take, and took.
struct Cost {
    store: String,
    estimate_ns: f64,
    took_ns: f64,
    rounds: u32,
}

/// How far off the estimates were.
#[derive(Clone, Copy, Default)]
struct Scale {
    took_ns: f64,
    estimated_ns: f64,
}

impl Scale {
    fn add(&mut self, took_ns: f64, estimated_ns: f64) {
        self.took_ns += took_ns;
        self.estimated_ns += estimated_ns;
    }

    fn factor(self) -> Option<f64> {
        (self.estimated_ns > 0.0).then(|| self.took_ns / self.estimated_ns)
    }
}

/// Predicts how long cells take: the estimate, corrected by measurements, since one store can take a hundred times as
/// long as another.
#[derive(Default)]
pub(crate) struct Costs {
    workloads: Vec<Vec<Cost>>,
    of_store: BTreeMap<String, Scale>,
    of_all: Scale,
}

impl Costs {
    /// Starts with the store of each cell of each workload, and an estimate for one round of it, nanoseconds.
    pub(crate) fn new(estimates: Vec<Vec<(String, f64)>>) -> Self {
        let cost = |(store, estimate_ns)| Cost { store, estimate_ns, took_ns: 0.0, rounds: 0 };
        let workloads = estimates.into_iter().map(|cells| cells.into_iter().map(cost).collect()).collect();
        Self { workloads, ..Self::default() }
    }

    /// One round of this cell took this long.
    pub(crate) fn saw(&mut self, workload: usize, cell: usize, ns: f64) {
        let cost = &mut self.workloads[workload][cell];
        cost.took_ns += ns;
        cost.rounds += 1;
        self.of_store.entry(cost.store.clone()).or_default().add(ns, cost.estimate_ns);
        self.of_all.add(ns, cost.estimate_ns);
    }

    /// What one more round of a cell will take, nanoseconds: the mean of its rounds, or its estimate scaled by the
    /// error of its store's estimates, or of all estimates.
    pub(crate) fn predict_cell(&self, workload: usize, cell: usize) -> f64 {
        let cost = &self.workloads[workload][cell];
        if cost.rounds > 0 {
            return cost.took_ns / f64::from(cost.rounds);
        }
        let of_store = self.of_store.get(&cost.store).and_then(|scale| scale.factor());
        cost.estimate_ns * of_store.or_else(|| self.of_all.factor()).unwrap_or(1.0)
    }

    /// What one more round of all cells of a workload will take, nanoseconds.
    pub(crate) fn predict(&self, workload: usize) -> f64 {
        (0..self.workloads[workload].len()).map(|cell| self.predict_cell(workload, cell)).sum()
    }

    /// Whether every store was seen: an unseen one may take a hundred times the time that the others suggest.
    pub(crate) fn has_seen_all(&self) -> bool {
        self.workloads.iter().flatten().all(|cost| self.of_store.contains_key(&cost.store))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_every_round_once_and_rounds_do_not_mix() {
        let steps = steps(&[3, 1, 4], 5, 7);
        assert_eq!(steps.len(), 15);
        for (index, step) in steps.iter().enumerate() {
            assert_eq!(step.round as usize, index / 3 + 1);
            let mut cells = step.cells.clone();
            cells.sort_unstable();
            assert_eq!(cells, (0..[3, 1, 4][step.workload]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_order_follows_the_seed() {
        assert_eq!(steps(&[4; 8], 3, 1), steps(&[4; 8], 3, 1));
        assert_ne!(steps(&[4; 8], 3, 1), steps(&[4; 8], 3, 2));
    }

    #[test]
    fn each_store_comes_first_about_equally_often() {
        let mut first = [0_u32; 4];
        for step in steps(&[4; 100], 40, 3) {
            first[step.cells[0]] += 1;
        }
        // 4,000 draws, 1,000 expected each; 5 standard deviations are 137.
        assert!(first.iter().all(|&count| (863..=1137).contains(&count)), "{first:?}");
    }

    fn outlook(round_ns: f64, rounds_done: u32) -> Outlook {
        Outlook { round_ns, rounds_done }
    }

    #[test]
    fn a_budget_keeps_what_was_begun_and_then_the_cheapest() {
        let outlooks = [outlook(10.0, 0), outlook(50.0, 1), outlook(5.0, 0), outlook(20.0, 0)];
        assert_eq!(admit(&outlooks, 3, 145.0), [3, 3, 3, 0]);
        assert_eq!(admit(&outlooks, 3, 115.0), [0, 3, 3, 0]);
        assert_eq!(admit(&outlooks, 3, 45.0), [3, 0, 3, 0]);
        assert_eq!(admit(&outlooks, 3, 0.0), [0, 0, 0, 0], "no further round of any");
    }

    #[test]
    fn rounds_beyond_what_fits_are_given_up_before_workloads_are() {
        let outlooks = [outlook(10.0, 0), outlook(20.0, 0)];
        assert_eq!(admit(&outlooks, 30, 305.0), [10, 10]);
        assert_eq!(admit(&outlooks, 30, 1e9), [30, 30]);
        assert_eq!(admit(&outlooks, 30, 95.0), [3, 3]);
        // The more expensive one would have too few rounds; the other gets all that it can use.
        assert_eq!(admit(&outlooks, 30, 80.0), [8, 0]);
        // Less than three rounds is better than nothing.
        assert_eq!(admit(&outlooks, 30, 25.0), [2, 0]);
        assert_eq!(admit(&outlooks, 30, 10.0), [1, 0]);
        // Finished rounds do not keep others from beginning.
        assert_eq!(admit(&[outlook(10.0, 3), outlook(20.0, 0)], 3, 45.0), [2, 2]);
        assert_eq!(admit(&[outlook(10.0, 3), outlook(20.0, 0)], 30, 25.0), [1, 1]);
        assert_eq!(admit(&[outlook(10.0, 3), outlook(20.0, 0)], 30, 15.0), [4, 0]);
        // Finished rounds count.
        assert_eq!(admit(&[outlook(10.0, 4), outlook(20.0, 3)], 30, 50.0), [5, 5]);
    }

    #[test]
    fn predictions_learn_from_the_store_and_else_from_all() {
        let cells = |estimate: f64| ["slow", "fast", "new"].map(|store| (store.to_owned(), estimate)).to_vec();
        let mut costs = Costs::new(vec![cells(100.0), cells(200.0)]);
        assert!(!costs.has_seen_all());
        assert_eq!(costs.predict(1), 600.0);
        costs.saw(0, 0, 1000.0);
        costs.saw(0, 1, 50.0);
        costs.saw(0, 1, 150.0);
        assert_eq!(costs.predict_cell(0, 0), 1000.0);
        assert_eq!(costs.predict_cell(0, 1), 100.0);
        assert_eq!(costs.predict_cell(1, 0), 2000.0, "ten times its estimate, like the store's other cell");
        assert_eq!(costs.predict_cell(1, 1), 200.0);
        assert_eq!(costs.predict_cell(1, 2), 800.0, "1,200 ns where 300 were estimated");
        assert!(!costs.has_seen_all());
        costs.saw(0, 2, 100.0);
        assert!(costs.has_seen_all());
    }
}
