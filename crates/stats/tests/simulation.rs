//! Simulations with a known truth: how often verdicts and intervals are right. Everything is seeded.

use bakeoff_stats::{
    Better, Candidate, CommonScatter, Field, LogRatio, RankOptions, Rounds, Standing, Verdict, discovery_confidence,
    rank,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Normal, StudentT};
use rand_xoshiro::Xoshiro256PlusPlus;

const TRIALS: usize = 1_000;

/// How a store's rounds vary, on the logarithmic scale.
#[derive(Clone, Copy, Debug)]
enum Noise {
    /// Normal with this deviation.
    Lognormal(f64),
    /// Normal with this deviation and correlation of neighbours.
    Autocorrelated(f64, f64),
    /// One round in five takes twice as long.
    Disturbed,
    /// One round in twenty takes three times as long.
    RarelyDisturbed,
    /// Student's with three degrees of freedom.
    HeavyTailed,
    /// Half of all rounds take 1.5 times as long.
    Bimodal,
}

impl Noise {
    fn logarithms(self, count: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let normal = Normal::new(0.0, 1.0).unwrap();
        let at_times = |part: f64, factor: f64, own: f64, random: &mut Xoshiro256PlusPlus| {
            let disturbance = if random.random_bool(part) { factor.ln() } else { 0.0 };
            own * normal.sample(random) + disturbance
        };
        match self {
            Self::Lognormal(deviation) => (0..count).map(|_| deviation * normal.sample(random)).collect(),
            Self::Autocorrelated(deviation, correlation) => {
                let mut last = normal.sample(random);
                let next = |_| {
                    let value = last;
                    let fresh: f64 = normal.sample(random);
                    last = correlation * last + (1.0 - correlation * correlation).sqrt() * fresh;
                    deviation * value
                };
                (0..count).map(next).collect()
            }
            Self::Disturbed => (0..count).map(|_| at_times(0.2, 2.0, 0.05, random)).collect(),
            Self::RarelyDisturbed => (0..count).map(|_| at_times(0.05, 3.0, 0.05, random)).collect(),
            Self::HeavyTailed => {
                let heavy = StudentT::new(3.0).unwrap();
                (0..count).map(|_| 0.08 * heavy.sample(random)).collect()
            }
            Self::Bimodal => (0..count).map(|_| at_times(0.5, 1.5, 0.02, random)).collect(),
        }
    }

    fn rounds(self, count: usize, factor: f64, random: &mut Xoshiro256PlusPlus) -> Rounds {
        let figures = self.logarithms(count, random).into_iter().map(|logarithm| factor * logarithm.exp());
        (1..).zip(figures).collect()
    }
}

/// Rounds of two equals in turn. What the machine does lasts for several rounds and is heavy-tailed, the second in a round is a fifth slower, and
/// a coin decides which that is.
fn equals_in_turn(deviation: f64, rounds: usize, random: &mut Xoshiro256PlusPlus) -> LogRatio {
    let heavy = StudentT::new(2.0).unwrap();
    let mut machine = 0.0;
    let (mut a, mut b) = (Rounds::default(), Rounds::default());
    for round in 1..=rounds as u32 {
        machine = 0.9 * machine + heavy.sample(random);
        let between = 0.2 + deviation * (machine + heavy.sample(random));
        let [first, second] = [1.0, between.exp()];
        let (of_a, of_b) = if random.random_bool(0.5) { (first, second) } else { (second, first) };
        a.add(round, of_a);
        b.add(round, of_b);
    }
    LogRatio::of_turns(&b, &a).unwrap()
}

/// One line scatters much, and the other lines of its table little, so that their common scatter is too small for it.
#[test]
fn equals_in_turn_are_seldom_called_different() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(23);
    for rounds in [16, 24, 48] {
        let trials = 4 * TRIALS;
        let mut wrong = 0;
        for _ in 0..trials {
            let noisy = equals_in_turn(0.3, rounds, &mut random);
            let quiet: Vec<LogRatio> = (0..11).map(|_| equals_in_turn(0.002, rounds, &mut random)).collect();
            let scatter = CommonScatter::of(quiet.iter().chain([&noisy]));
            wrong += usize::from(!scatter.interval(&noisy, 0.99).unwrap().contains(1.0));
        }
        let wrong = wrong as f64 / trials as f64;
        assert!(wrong <= 0.013, "{rounds} rounds: {wrong}");
    }
}

/// The same with a program that is slower.
#[test]
fn a_slower_program_is_found_in_turn() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(29);
    let mut found = 0;
    for _ in 0..TRIALS {
        let equal = Noise::Lognormal(0.03).rounds(16, 1.0, &mut random);
        let slower = Noise::Lognormal(0.03).rounds(16, 1.1, &mut random);
        let ratio = LogRatio::of_turns(&slower, &equal).unwrap();
        let interval = CommonScatter::default().interval(&ratio, 0.999).unwrap();
        found += usize::from(interval.low > 1.0);
    }
    assert!(found >= TRIALS * 9 / 10, "{found} of {TRIALS}");
}

/// Rankings of a table; each compares stores with these noises and factors.
fn fields(rankings: usize, stores: &[(Noise, f64)], rounds: usize, random: &mut Xoshiro256PlusPlus) -> Vec<Field> {
    let candidates = |random: &mut Xoshiro256PlusPlus| -> Vec<Candidate> {
        let of = |(index, (noise, factor)): (usize, &(Noise, f64))| {
            Candidate::new(index.to_string(), noise.rounds(rounds, *factor, random))
        };
        stores.iter().enumerate().map(of).collect()
    };
    let field = |_| Field::new(candidates(random), RankOptions::new(Better::Lower)).unwrap();
    (0..rankings).map(field).collect()
}

/// The share of tables that name any sole winner, and the share of rankings that do.
fn winners(trials: usize, rankings: usize, stores: &[(Noise, f64)], rounds: usize) -> (f64, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut tables, mut named) = (0, 0);
    for _ in 0..trials {
        let fields = fields(rankings, stores, rounds, &mut random);
        let scatter = CommonScatter::of(fields.iter().flat_map(Field::ratios));
        let confidence = discovery_confidence(fields.iter().map(|field| field.winner_p_value(&scatter)), 0.05);
        let is_won = |field: &&Field| field.rank(&scatter, confidence).verdict == Verdict::Winner;
        let won = fields.iter().filter(is_won).count();
        tables += usize::from(won > 0);
        named += won;
    }
    (tables as f64 / trials as f64, named as f64 / (trials * rankings) as f64)
}

#[test]
fn equals_seldom_have_a_sole_winner() {
    let noises = [Noise::Lognormal(0.05), Noise::Lognormal(0.2), Noise::Disturbed, Noise::Bimodal, Noise::HeavyTailed];
    for noise in noises {
        for (stores, rounds) in [(2, 3), (2, 5), (2, 10), (3, 3), (3, 5), (3, 10), (6, 3), (6, 10)] {
            let (tables, _) = winners(TRIALS, 1, &vec![(noise, 1.0); stores], rounds);
            assert!(tables <= 0.06, "{noise:?}, {stores} stores, {rounds} rounds: {tables}");
        }
    }
}

/// The common scatter is estimated from the comparisons, and must do no harm where they share little.
#[test]
fn equals_that_scatter_unlike_seldom_have_a_sole_winner() {
    for rounds in [3, 5, 10] {
        let of = |deviations: &[f64]| -> Vec<(Noise, f64)> {
            deviations.iter().map(|deviation| (Noise::Lognormal(*deviation), 1.0)).collect()
        };
        for deviations in [[0.03, 0.15, 0.03, 0.15], [0.3, 0.03, 0.03, 0.03], [0.02, 0.2, 0.2, 0.2]] {
            let (tables, _) = winners(TRIALS, 1, &of(&deviations), rounds);
            assert!(tables <= 0.06, "{deviations:?}, {rounds} rounds: {tables}");
        }
    }
}

/// Two equals and many slower stores: the better-looking equal must not win because it differs from the slow ones.
#[test]
fn two_equals_before_many_others_seldom_have_a_winner() {
    for rounds in [3, 5, 10] {
        for noise in [Noise::Lognormal(0.1), Noise::Disturbed] {
            let stores: Vec<(Noise, f64)> = [1.0, 1.0].iter().chain(&[5.0; 8]).map(|factor| (noise, *factor)).collect();
            let (rankings, _) = winners(TRIALS, 1, &stores, rounds);
            assert!(rankings <= 0.08, "{noise:?}, {rounds} rounds: {rankings}");
        }
    }
}

/// Among equals, some are called worse than the best.
#[test]
fn of_equals_seldom_is_one_called_worse() {
    for (stores, rounds) in [(3, 3), (6, 3), (12, 3), (6, 5), (12, 10)] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
        let wrong = fields(TRIALS, &vec![(Noise::Lognormal(0.1), 1.0); stores], rounds, &mut random);
        let is_wrong = |field: &&Field| {
            let ranking = field.rank(&CommonScatter::of(field.ratios()), 0.95);
            ranking.order.iter().any(|place| place.standing == Standing::Worse)
        };
        let wrong = wrong.iter().filter(is_wrong).count() as f64 / TRIALS as f64;
        assert!(wrong <= 0.13, "{stores} stores, {rounds} rounds: {wrong}");
    }
}

/// Three rounds on a busy machine: scatter of 20 %, 25 rankings of ten stores, of which one takes a third of the others' time.
#[test]
fn a_clear_winner_of_many_stores_is_named_after_three_rounds() {
    let noise = Noise::Lognormal(0.2);
    let stores: Vec<(Noise, f64)> = [1.0].iter().chain(&[3.0; 9]).map(|factor| (noise, *factor)).collect();
    let (_, found) = winners(40, 25, &stores, 3);
    assert!(found >= 0.9, "{found}");
}

/// 84 rankings: a table of 14 workloads with six operations.
#[test]
fn a_table_of_equals_seldom_names_a_winner() {
    for noise in [Noise::Lognormal(0.08), Noise::Disturbed, Noise::HeavyTailed] {
        for (stores, rounds) in [(2, 3), (2, 5), (3, 3)] {
            let (tables, _) = winners(150, 84, &vec![(noise, 1.0); stores], rounds);
            assert!(tables <= 0.07, "{noise:?}, {stores} stores, {rounds} rounds: {tables}");
        }
    }
}

#[test]
fn a_table_of_equals_whose_rounds_follow_each_other_seldom_names_a_winner() {
    for (correlation, rounds) in [(0.5, 5), (0.5, 10)] {
        let noise = Noise::Autocorrelated(0.08, correlation);
        let (tables, _) = winners(150, 84, &[(noise, 1.0); 2], rounds);
        assert!(tables <= 0.1, "{correlation}, {rounds} rounds: {tables}");
    }
}

#[test]
fn a_table_finds_what_differs() {
    let of =
        |factor| [(Noise::Lognormal(0.08), 1.0), (Noise::Lognormal(0.08), factor), (Noise::Lognormal(0.08), factor)];
    for (factor, rounds, least) in [(1.5, 3, 0.95), (1.2, 10, 0.7)] {
        let (_, found) = winners(30, 84, &of(factor), rounds);
        assert!(found >= least, "{factor} times, {rounds} rounds: {found}");
    }
}

/// Rounds in which everything is slower show nothing about the stores.
#[test]
fn a_difference_of_a_tenth_is_found_though_rounds_differ_by_as_much() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let found = (0..TRIALS).filter(|_| {
        let common = Noise::Lognormal(0.1).logarithms(10, &mut random);
        let candidates = [1.0, 1.1, 1.1].into_iter().enumerate().map(|(index, factor)| {
            let own = Noise::Lognormal(0.03).logarithms(10, &mut random);
            let figures = own.iter().zip(&common).map(|(own, common)| factor * (own + common).exp());
            Candidate::new(index.to_string(), (1..).zip(figures).collect::<Rounds>())
        });
        let ranking = rank(candidates, RankOptions::new(Better::Lower), 0.95).unwrap();
        ranking.verdict == Verdict::Winner && ranking.best == "0"
    });
    let found = found.count() as f64 / TRIALS as f64;
    assert!(found >= 0.9, "{found}");
}

#[test]
fn intervals_of_ratios_cover_the_truth() {
    let noises = [
        Noise::Lognormal(0.05),
        Noise::Lognormal(0.2),
        Noise::Disturbed,
        Noise::RarelyDisturbed,
        Noise::HeavyTailed,
        Noise::Bimodal,
    ];
    for noise in noises {
        for rounds in [3, 5, 10] {
            let covered = coverage(noise, rounds);
            assert!((0.90..=0.985).contains(&covered), "{noise:?}, {rounds} rounds: {covered}");
        }
    }
    for rounds in [5, 10] {
        let covered = coverage(Noise::Autocorrelated(0.08, 0.5), rounds);
        assert!(covered >= 0.89, "correlation of 0.5, {rounds} rounds: {covered}");
    }
}

/// The share of 95 % intervals that contain 2, where the second store takes twice as long.
fn coverage(noise: Noise, rounds: usize) -> f64 {
    const MANY: usize = 4_000;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let covered = (0..MANY).filter(|_| {
        let [a, b] = [1.0, 2.0].map(|factor| noise.rounds(rounds, factor, &mut random));
        let ratio = LogRatio::of(&b, &a).unwrap();
        CommonScatter::default().interval(&ratio, 0.95).unwrap().contains(2.0)
    });
    covered.count() as f64 / MANY as f64
}

/// A table shows how much its neighbouring rounds correlate.
#[test]
fn correlation_of_neighbours_is_told() {
    for rounds in [3, 5, 10] {
        for correlation in [0.0, 0.5, 0.9] {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
            let noise = Noise::Autocorrelated(0.08, correlation);
            let told: f64 = (0..40)
                .map(|_| {
                    let fields = fields(84, &[(noise, 1.0); 2], rounds, &mut random);
                    CommonScatter::of(fields.iter().flat_map(Field::ratios)).correlation()
                })
                .sum::<f64>()
                / 40.0;
            assert!((told - correlation).abs() < 0.15, "{correlation}, {rounds} rounds: {told}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any figures give a consistent and finite result, without a panic.
    #[test]
    fn any_figures_give_a_consistent_ranking(
        figures in prop::collection::vec(prop::collection::btree_map(0_u32..9, prop::num::f64::ANY, 0..6), 0..5),
        resolution in 0.0..10.0_f64,
    ) {
        let candidates: Vec<Candidate> = figures
            .iter()
            .enumerate()
            .map(|(index, rounds)| {
                Candidate::new(index.to_string(), rounds.iter().map(|(round, figure)| (*round, *figure)).collect::<Rounds>())
            })
            .collect();
        for better in [Better::Lower, Better::Higher] {
            let options = RankOptions { better, resolution };
            let Some(ranking) = rank(candidates.clone(), options, 0.95) else { continue };
            prop_assert_eq!(&ranking.best, &ranking.order[0].name);
            prop_assert!(ranking.tied.contains(&ranking.best));
            prop_assert_eq!(ranking.verdict == Verdict::Alone, ranking.order.len() == 1);
            prop_assert_eq!(ranking.order.iter().filter(|place| place.standing == Standing::Best).count(), 1);
            for place in &ranking.order {
                prop_assert!(place.centre.is_finite());
                if let Some(ratio) = place.ratio_to_best {
                    prop_assert!(ratio.low <= ratio.estimate && ratio.estimate <= ratio.high);
                    prop_assert!(ratio.low > 0.0 && ratio.high.is_finite());
                }
            }
        }
    }
}
