//! The comparison of two candidates, round by round.

use crate::centre::hodges_lehmann;
use crate::rounds::Rounds;
use crate::series::{Variance, sample_variance, slowest_part, variance_of_round, variance_of_turn};
use crate::signed_rank::SignedRanks;

/// Degrees of freedom of a session's deviation, which is an estimate too.
const SESSION_FREEDOM: f64 = 10.0;

/// The logarithm of the ratio of two candidates in the rounds they share. A disturbance of a whole round cancels.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRatio {
    /// The logarithm of the typical ratio.
    centre: f64,
    rounds: usize,
    /// Variance of one round's logarithm.
    own: Variance,
    slowest_part: Option<f64>,
    /// What the rounds' signs prove, where a coin ordered the candidates of each round.
    signed: Option<SignedRanks>,
}

impl LogRatio {
    /// The ratio of `a` to `b`. `None` if they share fewer than two rounds, or one of those figures is not positive and finite.
    pub fn of(a: &Rounds, b: &Rounds) -> Option<Self> {
        let ratios = ratios(a, b)?;
        let (own, slowest_part) = (variance_of_round(&ratios)?, slowest_part(&ratios));
        Some(Self { centre: hodges_lehmann(&ratios)?, rounds: ratios.len(), own, slowest_part, signed: None })
    }

    /// As [`Self::of`], for two candidates alone, of which a coin decided in each round which came first. So neighbouring rounds do not
    /// correlate. A difference must also be proven by the signs of the rounds. That proof holds regardless of what else the machine did.
    pub fn of_turns(a: &Rounds, b: &Rounds) -> Option<Self> {
        let ratios = ratios(a, b)?;
        let (own, signed) = (variance_of_turn(&ratios)?, Some(SignedRanks::of(&ratios)));
        Some(Self { centre: hodges_lehmann(&ratios)?, rounds: ratios.len(), own, slowest_part: None, signed })
    }

    /// As [`Self::of`], for blocks without an order in time, such as workloads. Each contributes equally to the error.
    pub fn of_unordered(a: &Rounds, b: &Rounds) -> Option<Self> {
        let ratios = ratios(a, b)?;
        let own = sample_variance(&ratios)?;
        Some(Self { centre: hodges_lehmann(&ratios)?, rounds: ratios.len(), own, slowest_part: None, signed: None })
    }

    /// The ratio of figures from two sessions, which share no rounds.
    ///
    /// Sessions differ by more than the rounds within one. `session_deviation` is the standard deviation of the logarithm between sessions.
    /// `None` as in [`Self::of`].
    pub fn of_sessions(a: &Rounds, b: &Rounds, session_deviation: f64) -> Option<Self> {
        let of_centre = |rounds: &Rounds| {
            let logarithms: Option<Vec<f64>> = rounds.iter().map(|(_, figure)| ratio((figure, 1.0))).collect();
            let logarithms = logarithms?;
            let round = variance_of_round(&logarithms)?;
            Some((
                hodges_lehmann(&logarithms)?,
                Variance { variance: round.variance / logarithms.len() as f64, ..round },
            ))
        };
        let ((centre_a, a), (centre_b, b)) = (of_centre(a)?, of_centre(b)?);
        let session = Variance { variance: session_deviation.powi(2), freedom: SESSION_FREEDOM };
        // Figures that never vary, such as bytes on disk, do not depend on the session.
        let is_exact = a.variance == 0.0 && b.variance == 0.0;
        let parts = if is_exact { vec![a, b] } else { vec![a, b, session, session] };
        Some(Self { centre: centre_a - centre_b, rounds: 1, own: sum(&parts), slowest_part: None, signed: None })
    }

    pub(crate) fn centre(&self) -> f64 {
        self.centre
    }

    /// The typical ratio.
    pub fn estimate(&self) -> f64 {
        self.centre.exp()
    }

    /// The number of shared rounds.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    pub(crate) fn own(&self) -> Variance {
        self.own
    }

    pub(crate) fn signed(&self) -> Option<&SignedRanks> {
        self.signed.as_ref()
    }

    pub(crate) fn slowest_part(&self) -> Option<f64> {
        self.slowest_part
    }
}

/// The variance of a sum, with Welch and Satterthwaite's degrees of freedom.
fn sum(parts: &[Variance]) -> Variance {
    let variance: f64 = parts.iter().map(|part| part.variance).sum();
    let weights: f64 = parts.iter().map(|part| part.variance.powi(2) / part.freedom).sum();
    let least = parts.iter().map(|part| part.freedom).fold(f64::INFINITY, f64::min);
    Variance { variance, freedom: if weights > 0.0 { variance * variance / weights } else { least } }
}

fn ratios(a: &Rounds, b: &Rounds) -> Option<Vec<f64>> {
    a.iter().filter_map(|(round, a)| Some((a, b.get(round)?))).map(ratio).collect()
}

fn ratio((a, b): (f64, f64)) -> Option<f64> {
    let is_positive = |figure: f64| figure.is_finite() && figure > 0.0;
    // Equal figures give exactly 0, without rounding errors.
    (is_positive(a) && is_positive(b)).then(|| if a == b { 0.0 } else { (a / b).ln() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scatter::CommonScatter;

    #[test]
    fn only_rounds_in_common_count() {
        let a: Rounds = [(1, 9.0), (2, 20.0), (3, 30.0)].into_iter().collect();
        let b: Rounds = [(2, 10.0), (3, 15.0), (4, 1.0)].into_iter().collect();
        let ratio = LogRatio::of(&a, &b).unwrap();
        assert_eq!(ratio.rounds(), 2);
        assert!((ratio.estimate() - 2.0).abs() < 1e-12);
        assert_eq!(LogRatio::of(&a, &[(1, 3.0)].into_iter().collect()), None);
        assert_eq!(LogRatio::of(&a, &Rounds::from([1.0, 0.0, 1.0])), None);
    }

    #[test]
    fn another_session_is_another_hour() {
        let [a, b] = [[1.10, 1.11, 1.10], [1.0, 1.01, 1.0]].map(Rounds::from);
        let interval = |deviation| {
            let ratio = LogRatio::of_sessions(&a, &b, deviation).unwrap();
            CommonScatter::default().interval(&ratio, 0.95).unwrap()
        };
        assert!(interval(0.0).low > 1.05);
        let usual = interval(0.08);
        // √2 · 0.08 · t(0.975, 20) = 0.236.
        assert!(usual.contains(1.0) && (usual.high / usual.estimate).ln() < 0.25, "{usual:?}");
    }

    #[test]
    fn what_never_differs_does_not_depend_on_the_hour() {
        let [a, b] = [[4096.0; 3], [8192.0; 3]].map(Rounds::from);
        let ratio = LogRatio::of_sessions(&b, &a, 0.08).unwrap();
        let interval = CommonScatter::default().interval(&ratio, 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (interval.estimate, interval.estimate));
    }
}
