//! Combines rounds of many workloads.

use bakeoff_stats::{Rounds, geometric_mean};

/// The workloads with enough rounds to be combined. A workload with few rounds, because of a budget or a failure, would
/// limit the rounds of all others. So the threshold maximises the product of workloads and rounds beyond the first. It
/// keeps at least half of the workloads: a few with more rounds do not represent the others.
pub fn with_enough_rounds<T>(all: Vec<T>, rounds: impl Fn(&T) -> usize) -> Vec<T> {
    let having = |least: usize| all.iter().filter(|each| rounds(each) >= least).count();
    let most = all.iter().map(&rounds).max().unwrap_or(0);
    let speaks_for_all = |least: &usize| 2 * having(*least) >= having(1);
    let least = (1..=most)
        .filter(speaks_for_all)
        .max_by_key(|least| ((least - 1) * having(*least), std::cmp::Reverse(*least)))
        .unwrap_or(0);
    all.into_iter().filter(|each| rounds(each) >= least).collect()
}

/// The geometric mean over the workloads, for each round that all of them have. A round missing in one workload is left
/// out: its mean would be over other workloads.
pub fn over_workloads(workloads: &[&Rounds]) -> Rounds {
    let Some((first, others)) = workloads.split_first() else { return Rounds::default() };
    let score = |(round, figure): (u32, f64)| {
        let others: Option<Vec<f64>> = others.iter().map(|other| other.get(round)).collect();
        let mut of_round = others?;
        of_round.push(figure);
        Some((round, geometric_mean(&of_round)?))
    };
    first.iter().filter_map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::with_enough_rounds;

    #[test]
    fn one_workload_that_was_cut_short_does_not_cost_the_others_their_rounds() {
        let kept = |rounds: &[usize]| with_enough_rounds(rounds.to_vec(), |rounds| *rounds);
        assert_eq!(kept(&[3, 3, 3, 2]), [3, 3, 3]);
        // If most were interrupted, hardly any rounds of the others would be left.
        assert_eq!(kept(&[3, 2, 2, 2]), [3, 2, 2, 2]);
        assert_eq!(kept(&[1, 1]), [1, 1]);
        assert_eq!(kept(&[1, 2]), [2]);
        // A few workloads with more rounds do not represent all.
        assert_eq!(kept(&[1, 1, 1, 2]), [1, 1, 1, 2]);
        assert_eq!(kept(&[3, 3, 2, 2, 2, 2, 1]), [3, 3, 2, 2, 2, 2]);
        assert_eq!(kept(&[0, 1]), [1]);
        assert!(kept(&[]).is_empty());
    }
}
