//! Known truth, many times over: how often verdicts and intervals are right. Everything is seeded.

use bakeoff_stats::{Better, Candidate, RankOptions, Verdict, bootstrap_mean_interval, rank};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_distr::{Distribution, LogNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

const TRIALS: u64 = 1_000;

/// Log-normal rounds with median 1 and this coefficient of variation.
struct Store {
    distribution: LogNormal<f64>,
    factor: f64,
    mean: f64,
}

impl Store {
    fn new(variation: f64, factor: f64) -> Self {
        let sigma = variation.mul_add(variation, 1.0).ln().sqrt();
        Self { distribution: LogNormal::new(0.0, sigma).unwrap(), factor, mean: factor * (sigma * sigma / 2.0).exp() }
    }

    fn rounds(&self, count: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        (0..count).map(|_| self.factor * self.distribution.sample(random)).collect()
    }
}

/// The part of trials in which one store is named sole winner, and that in which store 0 is.
fn winners(stores: &[Store], rounds: usize) -> (f64, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut sole, mut first) = (0_u64, 0_u64);
    for seed in 0..TRIALS {
        let candidates: Vec<Candidate> = stores
            .iter()
            .enumerate()
            .map(|(index, store)| Candidate::new(index.to_string(), store.rounds(rounds, &mut random)))
            .collect();
        let ranking = rank(&candidates, RankOptions { seed, ..RankOptions::new(Better::Lower) }).unwrap();
        if ranking.verdict == Verdict::Winner {
            sole += 1;
            first += u64::from(ranking.best == "0");
        }
    }
    (sole as f64 / TRIALS as f64, first as f64 / TRIALS as f64)
}

#[test]
fn equal_stores_seldom_have_a_sole_winner() {
    for stores in [2, 6] {
        for rounds in [2, 3, 5, 10] {
            for variation in [0.05, 0.2] {
                let equals: Vec<Store> = (0..stores).map(|_| Store::new(variation, 1.0)).collect();
                let (sole, _) = winners(&equals, rounds);
                assert!(sole <= 0.055, "{stores} stores, {rounds} rounds, variation {variation}: {sole}");
            }
        }
    }
}

#[test]
fn a_difference_of_30_percent_is_found() {
    for (stores, rounds, least) in [(2, 3, 0.95), (2, 5, 0.99), (6, 5, 0.95)] {
        let mut field = vec![Store::new(0.05, 1.0)];
        field.extend((1..stores).map(|_| Store::new(0.05, 1.3)));
        let (_, found) = winners(&field, rounds);
        assert!(found >= least, "{stores} stores, {rounds} rounds: {found}");
    }
}

#[test]
fn intervals_cover_the_true_mean() {
    for rounds in [2, 3, 5, 10, 30] {
        for variation in [0.05, 0.2] {
            let store = Store::new(variation, 1.0);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
            let covered = (0..TRIALS)
                .filter(|seed| {
                    let sample = store.rounds(rounds, &mut random);
                    bootstrap_mean_interval(&sample, 0.95, *seed).unwrap().contains(store.mean)
                })
                .count() as f64
                / TRIALS as f64;
            assert!((0.93..=0.98).contains(&covered), "{rounds} rounds, variation {variation}: {covered}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever the figures, nothing panics and whatever is said is consistent and finite.
    #[test]
    fn any_figures_give_a_consistent_ranking(
        figures in prop::collection::vec(prop::collection::vec(prop::num::f64::ANY, 0..5), 0..5),
        resolution in 0.0..10.0_f64,
    ) {
        let candidates: Vec<Candidate> =
            figures.iter().enumerate().map(|(index, rounds)| Candidate::new(index.to_string(), rounds.clone())).collect();
        for better in [Better::Lower, Better::Higher] {
            let Some(ranking) = rank(&candidates, RankOptions { resolution, ..RankOptions::new(better) }) else { continue };
            prop_assert_eq!(&ranking.best, &ranking.order[0].name);
            prop_assert!(ranking.tied.contains(&ranking.best));
            prop_assert_eq!(ranking.verdict == Verdict::Alone, ranking.order.len() == 1);
            for place in &ranking.order {
                prop_assert!(place.mean.is_finite());
                if let Some(ratio) = place.ratio_to_best {
                    prop_assert!(ratio.low <= ratio.estimate && ratio.estimate <= ratio.high);
                    prop_assert!(ratio.estimate >= 1.0 - 1e-9 && ratio.high.is_finite());
                }
            }
        }
    }
}
