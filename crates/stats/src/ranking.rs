//! Who is best, and who cannot be told apart from the best.

use crate::interval::{Interval, compare_among};
use crate::scatter::CommonScatter;

/// What the rounding of sums may add to a ratio of equal figures.
const ROUNDING: f64 = 1e-9;

/// Which end of a measure is the good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better: latency, memory.
    Lower,
    /// More is better: rates, space efficiency.
    Higher,
}

/// What takes part in a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its name, handed back in the ranking.
    pub name: String,
    /// One figure a round, in the measure's unit.
    pub rounds: Vec<f64>,
}

impl Candidate {
    /// A candidate with its rounds.
    pub fn new(name: impl Into<String>, rounds: impl Into<Vec<f64>>) -> Self {
        Self { name: name.into(), rounds: rounds.into() }
    }
}

/// How to rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankOptions {
    /// Which end is the good one.
    pub better: Better,
    /// Confidence of the verdict as a whole, between 0 and 1.
    pub confidence: f64,
    /// The least difference of means that the instrument can show, in the measure's unit; 0 if there is no limit. Means
    /// that lie closer are tied however little the rounds scatter, and smaller figures count as this one.
    pub resolution: f64,
    /// Seed of the resampling.
    pub seed: u64,
}

impl RankOptions {
    /// 95 % confidence, no limit of resolution, seed 1.
    pub fn new(better: Better) -> Self {
        Self { better, confidence: 0.95, resolution: 0.0, seed: 1 }
    }
}

/// What can be said about the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The best differs from every other.
    Winner,
    /// The best cannot be told apart from at least one other.
    Tie,
    /// Some candidate has too few rounds (or figures without a ratio) to say: the order is shown, not proven.
    Unproven,
    /// There is only one candidate.
    Alone,
}

/// One candidate's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The candidate's name.
    pub name: String,
    /// Mean over its rounds.
    pub mean: f64,
    /// Rounds counted.
    pub rounds: usize,
    /// How many times worse than the best, with its interval; 1 for the best itself, `None` where no interval exists.
    pub ratio_to_best: Option<Interval>,
    /// Whether it is the best or cannot be told apart from it. Where no interval exists: whether the means are the same.
    pub tied_with_best: bool,
}

/// The candidates in order, best first, and what can be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// What can be said about the best.
    pub verdict: Verdict,
    /// The name of the candidate with the best mean.
    pub best: String,
    /// Names of all candidates that share the first place, the best included, by mean; never empty.
    pub tied: Vec<String>,
    /// Every candidate, by mean, best first.
    pub order: Vec<Place>,
}

/// Ranks candidates by the mean over their rounds.
///
/// Every other candidate is compared with the best at a level that keeps `confidence` over all pairs (Bonferroni), since any might have been the
/// best: among equals, a sole winner is named in at most `1 − confidence` of all rankings. Of three candidates or more with three rounds or
/// more, what their scatter has in common counts ([`CommonScatter`]). Then three rounds may say wrongly, in up to one ranking of nine and the
/// less often the more rounds there are, that *some* equal is worse than the best, if equals scatter unlike.
/// Candidates without rounds, or with a figure that is negative or not finite, are left out; `None` if none remain.
pub fn rank(candidates: &[Candidate], options: RankOptions) -> Option<Ranking> {
    let mut entrants: Vec<Entrant> =
        candidates.iter().filter_map(|each| Entrant::new(each, options.resolution)).collect();
    entrants.sort_by(|a, b| match options.better {
        Better::Lower => a.mean.total_cmp(&b.mean),
        Better::Higher => b.mean.total_cmp(&a.mean),
    });
    let best = entrants.first()?;
    let field = Field::of(&entrants, options);
    let order: Vec<Place> =
        entrants.iter().enumerate().map(|(index, entrant)| field.place(index, entrant, best)).collect();
    let tied: Vec<String> = order.iter().filter(|place| place.tied_with_best).map(|place| place.name.clone()).collect();
    let verdict = match order.len() {
        1 => Verdict::Alone,
        _ if order.iter().any(|place| place.ratio_to_best.is_none()) => Verdict::Unproven,
        _ if tied.len() > 1 => Verdict::Tie,
        _ => Verdict::Winner,
    };
    Some(Ranking { verdict, best: best.name.to_owned(), tied, order })
}

/// A candidate with usable figures.
struct Entrant<'a> {
    name: &'a str,
    mean: f64,
    /// The figures, none below the resolution.
    rounds: Vec<f64>,
}

impl<'a> Entrant<'a> {
    fn new(candidate: &'a Candidate, resolution: f64) -> Option<Self> {
        if candidate.rounds.iter().any(|round| !round.is_finite() || *round < 0.0) {
            return None;
        }
        let mean = crate::mean(&candidate.rounds)?;
        let rounds = candidate.rounds.iter().map(|round| round.max(resolution)).collect();
        Some(Self { name: &candidate.name, mean, rounds })
    }
}

/// What the comparisons of a ranking have in common.
struct Field {
    options: RankOptions,
    /// The confidence of one comparison.
    confidence: f64,
    scatter: Option<CommonScatter>,
}

impl Field {
    fn of(entrants: &[Entrant], options: RankOptions) -> Self {
        let pairs = (entrants.len() * entrants.len().saturating_sub(1) / 2).max(1);
        Self {
            options,
            confidence: 1.0 - (1.0 - options.confidence) / pairs as f64,
            scatter: CommonScatter::of(entrants.iter().map(|entrant| entrant.rounds.as_slice())),
        }
    }

    /// Where one entrant stands against the best, which has index 0.
    fn place(&self, index: usize, entrant: &Entrant, best: &Entrant) -> Place {
        let (ratio_to_best, tied_with_best) = if index == 0 {
            (Some(Interval { estimate: 1.0, low: 1.0, high: 1.0 }), true)
        } else {
            let ratio = self.ratio_to_best(index, entrant, best);
            let same = entrant.mean == best.mean || (entrant.mean - best.mean).abs() < self.options.resolution;
            let tied = same || ratio.is_some_and(|ratio| ratio.low <= 1.0 + ROUNDING);
            (ratio, tied)
        };
        Place {
            name: entrant.name.to_owned(),
            mean: entrant.mean,
            rounds: entrant.rounds.len(),
            ratio_to_best,
            tied_with_best,
        }
    }

    /// How many times worse than the best: at least 1 by estimate, whichever end is the good one.
    fn ratio_to_best(&self, index: usize, entrant: &Entrant, best: &Entrant) -> Option<Interval> {
        let (worse, better) = match self.options.better {
            Better::Lower => (entrant, best),
            Better::Higher => (best, entrant),
        };
        let seed = self.options.seed.wrapping_add(index as u64);
        compare_among(self.scatter.as_ref(), &worse.rounds, &better.rounds, self.confidence, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lower() -> RankOptions {
        RankOptions::new(Better::Lower)
    }

    fn names(ranking: &Ranking) -> Vec<&str> {
        ranking.order.iter().map(|place| place.name.as_str()).collect()
    }

    #[test]
    fn a_clear_winner() {
        let fast = Candidate::new("fast", [10.0, 10.1, 9.9]);
        let slow = Candidate::new("slow", [20.0, 20.2, 19.8]);
        let ranking = rank(&[slow.clone(), fast.clone()], lower()).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Winner, "fast"));
        assert_eq!(ranking.tied, ["fast"]);
        assert!((ranking.order[1].ratio_to_best.unwrap().estimate - 2.0).abs() < 1e-9);
        let ranking = rank(&[slow, fast], RankOptions::new(Better::Higher)).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Winner, "slow"));
        assert!((ranking.order[1].ratio_to_best.unwrap().estimate - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_tie_of_two_and_a_loser() {
        let a = Candidate::new("a", [10.0, 11.0, 9.5]);
        let b = Candidate::new("b", [10.2, 10.9, 9.7]);
        let c = Candidate::new("c", [40.0, 41.0, 40.5]);
        let ranking = rank(&[c, b, a], lower()).unwrap();
        assert_eq!(ranking.verdict, Verdict::Tie);
        assert_eq!(names(&ranking), ["a", "b", "c"]);
        assert_eq!(ranking.tied, ["a", "b"]);
    }

    #[test]
    fn one_round_proves_nothing() {
        let ranking = rank(&[Candidate::new("a", [1.0]), Candidate::new("b", [100.0])], lower()).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Unproven, "a"));
        assert_eq!(ranking.order[1].ratio_to_best, None);
        assert!(!ranking.order[1].tied_with_best);
        let same = rank(&[Candidate::new("a", [7.0]), Candidate::new("b", [7.0])], lower()).unwrap();
        assert_eq!((same.verdict, same.tied.len()), (Verdict::Unproven, 2));
    }

    #[test]
    fn one_candidate_is_alone() {
        let ranking = rank(&[Candidate::new("a", [1.0, 2.0])], lower()).unwrap();
        assert_eq!(ranking.verdict, Verdict::Alone);
        assert_eq!(ranking.order[0].ratio_to_best, Some(Interval { estimate: 1.0, low: 1.0, high: 1.0 }));
    }

    #[test]
    fn deterministic_figures() {
        let same = rank(&[Candidate::new("a", [4096.0; 3]), Candidate::new("b", [4096.0; 3])], lower()).unwrap();
        assert_eq!((same.verdict, same.tied.len()), (Verdict::Tie, 2));
        // The sums of two and of three times 0.8 do not round alike.
        let rounded = rank(&[Candidate::new("a", [0.8; 3]), Candidate::new("b", [0.8; 2])], lower()).unwrap();
        assert_eq!((rounded.verdict, rounded.tied.len()), (Verdict::Tie, 2));
        let differ = rank(&[Candidate::new("a", [4096.0; 3]), Candidate::new("b", [8192.0; 3])], lower()).unwrap();
        assert_eq!((differ.verdict, differ.best.as_str()), (Verdict::Winner, "a"));
    }

    #[test]
    fn means_nearer_than_the_resolution_are_tied() {
        let candidates = [Candidate::new("a", [12.0; 3]), Candidate::new("b", [12.5; 3])];
        assert_eq!(rank(&candidates, lower()).unwrap().verdict, Verdict::Winner);
        let coarse = RankOptions { resolution: 1.0, ..lower() };
        assert_eq!(rank(&candidates, coarse).unwrap().verdict, Verdict::Tie);
    }

    #[test]
    fn zeros_need_a_resolution_to_be_compared() {
        let candidates = [Candidate::new("a", [0.0; 3]), Candidate::new("b", [65536.0; 3])];
        assert_eq!(rank(&candidates, lower()).unwrap().verdict, Verdict::Unproven);
        let pages = RankOptions { resolution: 4096.0, ..lower() };
        let ranking = rank(&candidates, pages).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Winner, "a"));
        assert_eq!(ranking.order[0].mean, 0.0);
        assert!((ranking.order[1].ratio_to_best.unwrap().estimate - 16.0).abs() < 1e-9);
    }

    #[test]
    fn unusable_figures_are_left_out() {
        assert_eq!(rank(&[], lower()), None);
        assert_eq!(rank(&[Candidate::new("a", []), Candidate::new("b", [f64::NAN])], lower()), None);
        let mixed =
            [Candidate::new("a", [f64::INFINITY, 1.0]), Candidate::new("b", [2.0, 2.0]), Candidate::new("c", [-1.0])];
        let ranking = rank(&mixed, lower()).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str(), ranking.order.len()), (Verdict::Alone, "b", 1));
    }
}
