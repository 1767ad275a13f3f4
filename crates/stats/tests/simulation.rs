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

/// Parts of all trials.
#[derive(Debug)]
struct Parts {
    /// One store is named sole winner.
    sole: f64,
    /// Store 0 is.
    first: f64,
    /// Some store is said to be worse than the best.
    some_worse: f64,
}

fn parts(stores: &[Store], rounds: usize) -> Parts {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut sole, mut first, mut some_worse) = (0_u64, 0_u64, 0_u64);
    for seed in 0..TRIALS {
        let candidates: Vec<Candidate> = stores
            .iter()
            .enumerate()
            .map(|(index, store)| Candidate::new(index.to_string(), store.rounds(rounds, &mut random)))
            .collect();
        let ranking = rank(&candidates, RankOptions { seed, ..RankOptions::new(Better::Lower) }).unwrap();
        some_worse += u64::from(ranking.tied.len() < stores.len());
        if ranking.verdict == Verdict::Winner {
            sole += 1;
            first += u64::from(ranking.best == "0");
        }
    }
    let part = |count: u64| count as f64 / TRIALS as f64;
    Parts { sole: part(sole), first: part(first), some_worse: part(some_worse) }
}

#[test]
fn equal_stores_seldom_have_a_sole_winner() {
    for stores in [2, 6] {
        for rounds in [2, 3, 5, 10] {
            for variation in [0.05, 0.2] {
                let equals: Vec<Store> = (0..stores).map(|_| Store::new(variation, 1.0)).collect();
                let Parts { sole, .. } = parts(&equals, rounds);
                assert!(sole <= 0.055, "{stores} stores, {rounds} rounds, variation {variation}: {sole}");
            }
        }
    }
}

/// What stores have in common is learnt from them, and must do no harm where they have little in common.
#[test]
fn equals_that_scatter_unlike_seldom_have_a_sole_winner() {
    for stores in [3, 4, 8, 12] {
        for rounds in [3, 5] {
            let half = |store| if store % 2 == 0 { 0.03 } else { 0.15 };
            let one_noisy = |store| if store == 0 { 0.3 } else { 0.03 };
            let one_quiet = |store| if store == 0 { 0.02 } else { 0.2 };
            let patterns: [(&str, &dyn Fn(usize) -> f64); 3] =
                [("half", &half), ("one noisy", &one_noisy), ("one quiet", &one_quiet)];
            for (name, variation) in patterns {
                // Equal in the mean, which is what is compared.
                let equal = |store| Store::new(variation(store), 1.0 / Store::new(variation(store), 1.0).mean);
                let found = parts(&(0..stores).map(equal).collect::<Vec<_>>(), rounds);
                assert!(found.sole <= 0.06, "{stores} stores, {rounds} rounds, {name}: {found:?}");
                assert!(found.some_worse <= 0.13, "{stores} stores, {rounds} rounds, {name}: {found:?}");
            }
        }
    }
}

#[test]
fn a_difference_of_30_percent_is_found() {
    for (stores, rounds, least) in [(2, 3, 0.95), (2, 5, 0.99), (6, 5, 0.95)] {
        let mut field = vec![Store::new(0.05, 1.0)];
        field.extend((1..stores).map(|_| Store::new(0.05, 1.3)));
        let Parts { first, .. } = parts(&field, rounds);
        assert!(first >= least, "{stores} stores, {rounds} rounds: {first}");
    }
}

/// Compared by their own scatter alone, three rounds of twelve stores name the one that is twice as fast in one trial of twenty.
#[test]
fn three_rounds_of_many_stores_find_one_that_is_twice_as_fast() {
    for (stores, factor, least) in [(4, 1.8, 0.9), (12, 2.0, 0.85)] {
        let mut field = vec![Store::new(0.12, 1.0)];
        field.extend((1..stores).map(|_| Store::new(0.12, factor)));
        let Parts { first, .. } = parts(&field, 3);
        assert!(first >= least, "{stores} stores, {factor} times: {first}");
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
