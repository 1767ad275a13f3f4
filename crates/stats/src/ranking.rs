//! Which candidate is best, which are tied with it, and which are undecided.

use crate::interval::Interval;
use crate::log_ratio::LogRatio;
use crate::rounds::Rounds;
use crate::scatter::CommonScatter;

/// The rounding error allowed in a ratio of equal figures.
const ROUNDING: f64 = 1e-9;

/// Fewer rounds prove nothing, even if their figures are the same.
const ROUNDS_MIN: usize = 2;

/// Candidates are tied if their ratio is known to be within this factor: hardly any application notices less.
pub const TIED_WITHIN: f64 = 1.25;

/// Whether low or high figures of a measure are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better: latency, memory.
    Lower,
    /// More is better: rates, space efficiency.
    Higher,
}

/// A participant in a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its name in the ranking.
    pub name: String,
    /// One figure per round, in the measure's unit.
    pub rounds: Rounds,
}

impl Candidate {
    /// A candidate with its rounds.
    pub fn new(name: impl Into<String>, rounds: impl Into<Rounds>) -> Self {
        Self { name: name.into(), rounds: rounds.into() }
    }
}

/// The measure's properties that a ranking needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankOptions {
    /// Whether low or high figures are good.
    pub better: Better,
    /// The smallest difference that the instrument can show, in the measure's unit; 0 if there is no limit. Centres closer than this are
    /// tied regardless of the scatter. Smaller figures count as this one.
    pub resolution: f64,
}

impl RankOptions {
    /// No limit of resolution.
    pub fn new(better: Better) -> Self {
        Self { better, resolution: 0.0 }
    }
}

/// What a ranking proves about the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The best differs from every other.
    Winner,
    /// Others are as good as the best, within [`TIED_WITHIN`]. All the rest are worse.
    Tie,
    /// It is not known whether some are worse than the best.
    Undecided,
    /// A candidate has too few rounds for an interval, or figures without a ratio. The order is shown, not proven.
    Unproven,
    /// There is only one candidate.
    Alone,
}

/// How a candidate compares with the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is the best.
    Best,
    /// It is as good: the ratio is known to be within [`TIED_WITHIN`], or the figures are the same.
    Tied,
    /// Not significantly different from the best, but it may be worse by more than [`TIED_WITHIN`].
    Undecided,
    /// It is worse.
    Worse,
    /// There is no interval.
    Unknown,
}

/// One candidate's place.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The candidate's name.
    pub name: String,
    /// The centre of its rounds.
    pub centre: f64,
    /// The number of rounds.
    pub rounds: usize,
    /// The ratio to the best, round by round, with its interval; above 1 is worse. It is 1 for the best, `None` without an interval.
    pub ratio_to_best: Option<Interval>,
    /// What the ratio proves.
    pub standing: Standing,
}

impl Standing {
    /// The standing that an interval of the ratio to the best proves.
    fn of(ratio: Interval) -> Self {
        if ratio.low > 1.0 + ROUNDING {
            Self::Worse
        } else if ratio.high <= TIED_WITHIN {
            Self::Tied
        } else {
            Self::Undecided
        }
    }
}

impl Place {
    /// Whether it is proven to be worse than the best.
    pub fn is_worse(&self) -> bool {
        self.standing == Standing::Worse
    }

    /// Whether it shares the first place: it is the best or tied.
    pub fn is_first(&self) -> bool {
        matches!(self.standing, Standing::Best | Standing::Tied)
    }
}

/// The candidates in order, best first, with the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// What is proven about the best.
    pub verdict: Verdict,
    /// The name of the best candidate.
    pub best: String,
    /// The names of all candidates that share the first place, including the best; never empty.
    pub tied: Vec<String>,
    /// All candidates by their ratio to the best, best first.
    pub order: Vec<Place>,
}

impl Ranking {
    /// A ranking of these places, best first; at least one.
    fn of(order: Vec<Place>) -> Self {
        let tied: Vec<String> = order.iter().filter(|place| place.is_first()).map(|place| place.name.clone()).collect();
        let has = |standing| order.iter().any(|place| place.standing == standing);
        let has_single = order.iter().any(|place| place.rounds < ROUNDS_MIN);
        let verdict = match order.len() {
            1 => Verdict::Alone,
            _ if has(Standing::Unknown) || has_single => Verdict::Unproven,
            _ if has(Standing::Undecided) => Verdict::Undecided,
            _ if tied.len() > 1 => Verdict::Tie,
            _ => Verdict::Winner,
        };
        Self { verdict, best: order[0].name.clone(), tied, order }
    }

    /// The ranking with wider intervals. `also` gives a second interval for a name's ratio to the best, and the ratio's interval is widened
    /// to include it. `None` changes nothing.
    #[must_use]
    pub fn widened(mut self, also: impl Fn(&str) -> Option<Interval>) -> Self {
        for place in self.order.iter_mut().skip(1) {
            let (Some(own), Some(other)) = (place.ratio_to_best, also(&place.name)) else { continue };
            let ratio = own.union(other);
            place.ratio_to_best = Some(ratio);
            if place.standing != Standing::Tied || own.low != own.high {
                place.standing = Standing::of(ratio);
            }
        }
        Self::of(self.order)
    }

    /// A candidate's cost as a multiple of the best one's: from shared rounds where possible, else from the centres.
    pub fn times_the_best(&self, place: &Place) -> f64 {
        place.ratio_to_best.map_or_else(|| place.centre / self.order[0].centre, |ratio| ratio.estimate)
    }

    /// The largest ratio that an undecided candidate may have; `None` if one of their intervals is too wide to show it.
    pub fn undecided_up_to(&self) -> Option<f64> {
        let ratios: Vec<Interval> = self.undecided().filter_map(|place| place.ratio_to_best).collect();
        let most = ratios.iter().map(|of| of.high).fold(1.0, f64::max);
        (!ratios.iter().any(Interval::is_wide)).then_some(most)
    }

    /// Candidates not significantly different from the best and not tied, best first.
    pub fn undecided(&self) -> impl Iterator<Item = &Place> {
        self.order.iter().filter(|place| place.standing == Standing::Undecided)
    }
}

/// Candidates measured in the same rounds, compared with the best of them.
#[derive(Clone, Debug)]
pub struct Field {
    options: RankOptions,
    /// By ratio, best first.
    entrants: Vec<Entrant>,
}

#[derive(Clone, Debug)]
struct Entrant {
    name: String,
    centre: f64,
    /// Costs, none below the resolution. Less is better.
    costs: Rounds,
    /// The ratio to the best; `None` for the best, and where there is no ratio.
    ratio: Option<LogRatio>,
}

impl Field {
    /// Compares candidates. Those without rounds, or with a figure that is negative or not finite, are left out. `None` if none remain.
    pub fn new(candidates: impl IntoIterator<Item = Candidate>, options: RankOptions) -> Option<Self> {
        let entrants = candidates.into_iter().filter_map(|candidate| Entrant::new(candidate, options)).collect();
        let mut field = Self { options, entrants };
        field.sort_by_centre();
        // A candidate that missed rounds may be first by its own rounds alone. The shared rounds decide.
        for _ in 0..field.entrants.len() {
            field.compare_with_first();
            let Some(better) = field.better_than_first() else { break };
            let best = field.entrants.remove(better);
            field.entrants.insert(0, best);
        }
        field.compare_with_first();
        field.sort_by_ratio();
        (!field.entrants.is_empty()).then_some(field)
    }

    /// The comparisons with the best that have an interval.
    pub fn ratios(&self) -> impl Iterator<Item = &LogRatio> {
        self.entrants.iter().filter_map(|entrant| entrant.ratio.as_ref())
    }

    /// The probability that a candidate that is no better than another looks as clear a winner; 1 where there can be none.
    ///
    /// A winner must differ from every other candidate. So the least clear comparison decides, and needs no correction for their number (R.
    /// L. Berger's intersection-union test, 1982). Either of two equals may look best. The two-sided p-value of the pair covers both cases.
    pub fn winner_p_value(&self, scatter: &CommonScatter) -> f64 {
        self.p_values(scatter).last().copied().unwrap_or(1.0)
    }

    /// The ranking at this confidence. At most `1 − confidence` of all rankings name a false sole winner, or call a candidate worse than
    /// the best wrongly.
    pub fn rank(&self, scatter: &CommonScatter, confidence: f64) -> Ranking {
        let of_pair = self.confidence_of_pair(scatter, confidence);
        let order: Vec<Place> = self
            .entrants
            .iter()
            .enumerate()
            .map(|(index, entrant)| self.place(index, entrant, scatter, of_pair))
            .collect();
        Ranking::of(order)
    }

    /// The confidence that each pair needs for all of them together to have this one.
    ///
    /// If every other candidate differs from the best at this confidence, there is a winner, and no correction is needed. Otherwise any
    /// candidate might be the best. Then the clearest comparison must hold among all pairs of the field, the next among the pairs of the
    /// remaining candidates, and so on. This is Holm's procedure with J. P. Shaffer's numbers of pairs (1986).
    pub fn confidence_of_pair(&self, scatter: &CommonScatter, confidence: f64) -> f64 {
        let (error, p_values) = (1.0 - confidence, self.p_values(scatter));
        if p_values.last().is_none_or(|p| *p <= error) {
            return confidence;
        }
        let error_among = |candidates: usize| error / (candidates * (candidates - 1) / 2).max(1) as f64;
        let left = |worse: usize| self.entrants.len() - worse;
        let worse = p_values.iter().enumerate().take_while(|(worse, p)| **p <= error_among(left(*worse))).count();
        1.0 - error_among(left(worse))
    }

    /// The p-value of each comparison with the best, clearest first; 1 where the figures are equal or have no ratio.
    fn p_values(&self, scatter: &CommonScatter) -> Vec<f64> {
        let of = |entrant: &Entrant| {
            entrant.ratio.as_ref().filter(|_| !self.is_same(entrant)).map_or(1.0, |ratio| scatter.p_value(ratio))
        };
        let mut all: Vec<f64> = self.entrants.iter().skip(1).map(of).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// The names of the candidates, best first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entrants.iter().map(|entrant| entrant.name.as_str())
    }

    fn place(&self, index: usize, entrant: &Entrant, scatter: &CommonScatter, confidence: f64) -> Place {
        let ratio_to_best = match &entrant.ratio {
            _ if index == 0 => Some(Interval::point(1.0)),
            ratio => ratio.as_ref().and_then(|ratio| scatter.interval(ratio, confidence)),
        };
        let standing = match ratio_to_best {
            _ if index == 0 => Standing::Best,
            _ if self.is_same(entrant) => Standing::Tied,
            None => Standing::Unknown,
            Some(ratio) => Standing::of(ratio),
        };
        let (name, centre, rounds) = (entrant.name.clone(), entrant.centre, entrant.costs.len());
        Place { name, centre, rounds, ratio_to_best, standing }
    }

    /// Whether the figures are equal, or closer than the resolution.
    fn is_same(&self, entrant: &Entrant) -> bool {
        let best = &self.entrants[0];
        entrant.centre == best.centre || (entrant.centre - best.centre).abs() < self.options.resolution
    }

    fn sort_by_centre(&mut self) {
        self.entrants.sort_by(|a, b| match self.options.better {
            Better::Lower => a.centre.total_cmp(&b.centre),
            Better::Higher => b.centre.total_cmp(&a.centre),
        });
    }

    fn compare_with_first(&mut self) {
        let Some((best, others)) = self.entrants.split_first_mut() else { return };
        best.ratio = None;
        for other in others {
            other.ratio = LogRatio::of(&other.costs, &best.costs);
        }
    }

    /// The candidate that beats the first by most in the rounds they share.
    fn better_than_first(&self) -> Option<usize> {
        let better =
            self.entrants.iter().enumerate().filter_map(|(index, of)| Some((index, of.ratio.as_ref()?.estimate())));
        let least = better.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (least.1 < 1.0 - ROUNDING).then_some(least.0)
    }

    /// Sorts by the ratio to the best. Candidates without a ratio stay where their centre puts them.
    fn sort_by_ratio(&mut self) {
        let Some(best) = self.entrants.first().map(|best| best.centre) else { return };
        let better = self.options.better;
        let by_centre = move |entrant: &Entrant| match better {
            Better::Lower => entrant.centre / best,
            Better::Higher => best / entrant.centre,
        };
        let times =
            move |entrant: &Entrant| entrant.ratio.as_ref().map_or_else(|| by_centre(entrant), LogRatio::estimate);
        self.entrants[1..].sort_by(|a, b| times(a).total_cmp(&times(b)));
    }
}

impl Entrant {
    fn new(candidate: Candidate, options: RankOptions) -> Option<Self> {
        let centre = candidate.rounds.centre()?;
        let costs = candidate.rounds.map(|figure| match options.better {
            Better::Lower => figure.max(options.resolution),
            Better::Higher => figure.max(options.resolution).recip(),
        });
        Some(Self { name: candidate.name, centre, costs, ratio: None })
    }
}

/// Ranks one field at this confidence, with the scatter that its own comparisons share. `None` as in [`Field::new`].
pub fn rank(candidates: impl IntoIterator<Item = Candidate>, options: RankOptions, confidence: f64) -> Option<Ranking> {
    let field = Field::new(candidates, options)?;
    Some(field.rank(&CommonScatter::of(field.ratios()), confidence))
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
        let ranking = rank([slow.clone(), fast.clone()], lower(), 0.95).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Winner, "fast"));
        assert_eq!(ranking.tied, ["fast"]);
        assert!((ranking.order[1].ratio_to_best.unwrap().estimate - 2.0).abs() < 1e-9);
        let ranking = rank([slow, fast], RankOptions::new(Better::Higher), 0.95).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Winner, "slow"));
        assert!((ranking.order[1].ratio_to_best.unwrap().estimate - 2.0).abs() < 1e-9);
    }

    #[test]
    fn what_disturbs_a_whole_round_does_not_matter() {
        let fast = Candidate::new("fast", [10.0, 40.0, 20.0]);
        let slow = Candidate::new("slow", [15.0, 60.3, 29.9]);
        assert_eq!(rank([fast, slow], lower(), 0.95).unwrap().verdict, Verdict::Winner);
    }

    #[test]
    fn tied_is_not_unknown() {
        let a = Candidate::new("a", [10.0, 10.1, 9.9, 10.0]);
        let b = Candidate::new("b", [10.1, 10.0, 10.0, 9.95]);
        let c = Candidate::new("c", [40.0, 41.0, 40.5, 40.1]);
        let ranking = rank([c, b.clone(), a.clone()], lower(), 0.95).unwrap();
        assert_eq!(ranking.verdict, Verdict::Tie);
        assert_eq!(ranking.order[2].name, "c");
        assert_eq!(ranking.tied.len(), 2);
        let scattered = Candidate::new("s", [8.0, 30.0, 9.0, 20.0]);
        let ranking = rank([a, b, scattered], lower(), 0.95).unwrap();
        assert_eq!(ranking.verdict, Verdict::Undecided);
        let undecided: Vec<&Place> = ranking.undecided().collect();
        assert_eq!(undecided.len(), 1);
        assert!(undecided[0].name == "s" && undecided[0].ratio_to_best.unwrap().high > TIED_WITHIN);
        assert!(!ranking.tied.contains(&"s".to_owned()));
    }

    #[test]
    fn one_round_proves_nothing() {
        let ranking = rank([Candidate::new("a", [1.0]), Candidate::new("b", [100.0])], lower(), 0.95).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Unproven, "a"));
        assert_eq!((ranking.order[1].ratio_to_best, ranking.order[1].standing), (None, Standing::Unknown));
        let same = rank([Candidate::new("a", [7.0]), Candidate::new("b", [7.0])], lower(), 0.95).unwrap();
        assert_eq!((same.verdict, same.tied.len()), (Verdict::Unproven, 2));
    }

    #[test]
    fn one_candidate_is_alone() {
        let ranking = rank([Candidate::new("a", [1.0, 2.0])], lower(), 0.95).unwrap();
        assert_eq!(ranking.verdict, Verdict::Alone);
        assert_eq!(ranking.order[0].ratio_to_best, Some(Interval::point(1.0)));
    }

    #[test]
    fn deterministic_figures() {
        let same = rank([Candidate::new("a", [4096.0; 3]), Candidate::new("b", [4096.0; 3])], lower(), 0.95).unwrap();
        assert_eq!((same.verdict, same.tied.len()), (Verdict::Tie, 2));
        let differ = rank([Candidate::new("a", [4096.0; 3]), Candidate::new("b", [8192.0; 3])], lower(), 0.95).unwrap();
        assert_eq!((differ.verdict, differ.best.as_str()), (Verdict::Winner, "a"));
        assert_eq!(differ.order[1].ratio_to_best.map(|of| of.high), differ.order[1].ratio_to_best.map(|of| of.low));
    }

    #[test]
    fn centres_nearer_than_the_resolution_are_tied() {
        let candidates = || [Candidate::new("a", [12.0; 3]), Candidate::new("b", [12.5; 3])];
        assert_eq!(rank(candidates(), lower(), 0.95).unwrap().verdict, Verdict::Winner);
        let coarse = RankOptions { resolution: 1.0, ..lower() };
        assert_eq!(rank(candidates(), coarse, 0.95).unwrap().verdict, Verdict::Tie);
    }

    #[test]
    fn zeros_need_a_resolution_to_be_compared() {
        let candidates = || [Candidate::new("a", [0.0; 3]), Candidate::new("b", [65536.0; 3])];
        assert_eq!(rank(candidates(), lower(), 0.95).unwrap().verdict, Verdict::Unproven);
        let pages = RankOptions { resolution: 4096.0, ..lower() };
        let ranking = rank(candidates(), pages, 0.95).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str()), (Verdict::Winner, "a"));
        assert_eq!(ranking.order[0].centre, 0.0);
        assert!((ranking.order[1].ratio_to_best.unwrap().estimate - 16.0).abs() < 1e-9);
    }

    #[test]
    fn rounds_in_common_decide() {
        // The first two rounds were slow for all, and b missed them.
        let a: Rounds = [(1, 30.0), (2, 30.0), (3, 10.0), (4, 10.1), (5, 9.9)].into_iter().collect();
        let b: Rounds = [(3, 12.0), (4, 12.1), (5, 11.9)].into_iter().collect();
        let c: Rounds = [(1, 60.0), (2, 60.0), (3, 20.0), (4, 20.1), (5, 19.9)].into_iter().collect();
        let ranking =
            rank([Candidate::new("a", a), Candidate::new("b", b), Candidate::new("c", c)], lower(), 0.95).unwrap();
        assert_eq!(names(&ranking), ["a", "b", "c"]);
        assert!((ranking.order[1].ratio_to_best.unwrap().estimate - 1.2).abs() < 0.01);
    }

    #[test]
    fn unusable_figures_are_left_out() {
        assert_eq!(rank([], lower(), 0.95), None);
        assert_eq!(rank([Candidate::new("a", []), Candidate::new("b", [f64::NAN])], lower(), 0.95), None);
        let mixed =
            [Candidate::new("a", [f64::INFINITY, 1.0]), Candidate::new("b", [2.0, 2.0]), Candidate::new("c", [-1.0])];
        let ranking = rank(mixed, lower(), 0.95).unwrap();
        assert_eq!((ranking.verdict, ranking.best.as_str(), ranking.order.len()), (Verdict::Alone, "b", 1));
    }
}
