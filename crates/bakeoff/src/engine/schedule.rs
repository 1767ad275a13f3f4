//! Which workload and round comes next, and what a budget leaves out.
//!
//! A step is all cells of one workload in one round: they are what is compared, so they run close together, in an order
//! drawn afresh each time.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// All cells of one workload in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Index into the plan's workloads.
    pub(crate) workload: usize,
    /// From 1.
    pub(crate) round: u32,
    /// Indexes into the workload's cells, in the order to run them.
    pub(crate) cells: Vec<usize>,
}

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
            steps.push(Step { workload, round, cells });
        }
    }
    steps
}

/// What is known of a workload when deciding whether it still fits the budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// Expected time of one more round, nanoseconds.
    pub(crate) round_ns: f64,
    /// Rounds not yet done.
    pub(crate) rounds_left: u32,
    /// Some round is done: finishing it is worth more than starting another.
    pub(crate) started: bool,
}

/// Which workloads can have all their rounds in the time left: those begun first, then the cheapest.
pub(crate) fn admit(outlooks: &[Outlook], time_left_ns: f64) -> Vec<bool> {
    let mut order: Vec<_> = (0..outlooks.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&outlooks[a], &outlooks[b]);
        b.started.cmp(&a.started).then(a.round_ns.total_cmp(&b.round_ns))
    });
    let mut admitted = vec![false; outlooks.len()];
    let mut spent = 0.0;
    for index in order {
        let cost = outlooks[index].round_ns * f64::from(outlooks[index].rounds_left);
        if spent + cost <= time_left_ns {
            spent += cost;
            admitted[index] = true;
        }
    }
    admitted
}

/// Predicts how long steps take: the estimate beforehand, corrected by what was seen.
#[derive(Default)]
pub(crate) struct Costs {
    seen: Vec<Vec<f64>>,
    estimates: Vec<f64>,
}

impl Costs {
    /// Starts with an estimate for one round of each workload, nanoseconds.
    pub(crate) fn new(estimates: Vec<f64>) -> Self {
        Self { seen: vec![Vec::new(); estimates.len()], estimates }
    }

    /// One round of this workload took this long.
    pub(crate) fn saw(&mut self, workload: usize, ns: f64) {
        self.seen[workload].push(ns);
    }

    /// What one more round will take: the mean of this workload's rounds, else its estimate scaled by how far the other
    /// estimates were off.
    pub(crate) fn predict(&self, workload: usize) -> f64 {
        let seen = &self.seen[workload];
        if seen.is_empty() {
            self.estimates[workload] * self.scale()
        } else {
            seen.iter().sum::<f64>() / seen.len() as f64
        }
    }

    fn scale(&self) -> f64 {
        let pairs = self.seen.iter().zip(&self.estimates);
        let (mut took, mut estimated) = (0.0, 0.0);
        for (seen, estimate) in pairs {
            took += seen.iter().sum::<f64>();
            estimated += estimate * seen.len() as f64;
        }
        if estimated > 0.0 { took / estimated } else { 1.0 }
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

    fn outlook(round_ns: f64, rounds_left: u32, started: bool) -> Outlook {
        Outlook { round_ns, rounds_left, started }
    }

    #[test]
    fn a_budget_keeps_what_was_begun_and_then_the_cheapest() {
        let outlooks =
            [outlook(10.0, 3, false), outlook(50.0, 2, true), outlook(5.0, 3, false), outlook(20.0, 3, false)];
        assert_eq!(admit(&outlooks, 145.0), [true, true, true, false]);
        assert_eq!(admit(&outlooks, 115.0), [false, true, true, false]);
        assert_eq!(admit(&outlooks, 45.0), [true, false, true, false]);
        assert_eq!(admit(&outlooks, 0.0), [false; 4]);
    }

    #[test]
    fn predictions_learn_from_other_workloads() {
        let mut costs = Costs::new(vec![100.0, 200.0]);
        assert_eq!(costs.predict(1), 200.0);
        costs.saw(0, 300.0);
        assert_eq!(costs.predict(0), 300.0);
        assert_eq!(costs.predict(1), 600.0);
    }
}
