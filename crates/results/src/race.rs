//! Rules of a race: who is behind, who returns, and when it is decided, given a ranking of the rounds so far.

use bakeoff_stats::{Place, Ranking, Verdict};

use crate::cell_rounds::CellRound;
use crate::goal::{Goal, typical};
use crate::pick::{CONFIDENCE, PICK_FAR_BEHIND, rank_costs};
use crate::pick_facts::Excluded;

/// The confidence level for dropping a store as worse after any round. The error rate over all looks stays near 5 %.
pub(crate) const DROP_CONFIDENCE: f64 = 0.99;

/// Stores whose difference is known to be below this factor are equal: more rounds would not help.
const EQUAL_WITHIN: f64 = 1.05;

/// The stores of `some` that are far behind the best of a ranking after a round. After the first round, if the goal is a
/// time, they must also be far behind by their typical operation times, which other load hardly affects.
pub(crate) fn far_behind(
    cells: &[&CellRound],
    some: &[String],
    ranking: &Ranking,
    (round, goal): (u32, Goal),
) -> Vec<String> {
    let mut far: Vec<String> = some.iter().filter(|store| is_far_behind(store, ranking)).cloned().collect();
    if round < 2 && goal.is_of_time() {
        let own: Vec<_> = cells.iter().filter(|cell| some.contains(&cell.end.axes.store)).copied().collect();
        let typical = rank_costs(&own, typical, 0.0, CONFIDENCE);
        far.retain(|store| typical.as_ref().is_some_and(|typical| is_far_behind(store, typical)));
    }
    far
}

/// The stores among `still` that are behind, with the reason, best first. Stores in `far` are behind at once. So are
/// stores that are far behind and have a higher durability level than requested: more rounds of these would take time
/// from the others. One rival always stays, to prove the best against.
pub(crate) fn behind(
    still: &[String],
    ranking: &Ranking,
    (round, far): (u32, &[String]),
    promises_more: impl Fn(&str) -> bool,
) -> Vec<Excluded> {
    let mut behind = Vec::new();
    let mut stayed = 0;
    for place in ranking.order.iter().filter(|place| still.contains(&place.name)) {
        let worse = place.is_worse();
        let is_far = far.contains(&place.name) || promises_more(&place.name) && is_far_behind(&place.name, ranking);
        let is_behind = worse || is_far && stayed > 1;
        stayed += usize::from(!is_behind);
        if is_behind {
            behind.push(Excluded::dropped(place.name.clone(), cost_label(place, ranking, round)));
        }
    }
    behind
}

/// The stores among `worse` that are no longer worse after later rounds of the best. They race on, because an answer
/// must not call a dropped store tied. A single round does not show this. Two varying rounds prove nothing, but do not
/// justify continuing with a store that is far behind.
pub(crate) fn caught_up(worse: &[String], ranking: &Ranking) -> Vec<String> {
    let is_level =
        |place: &&Place| place.ratio_to_best.is_some() && !place.is_worse() && !is_far_behind(&place.name, ranking);
    let level = ranking.order.iter().filter(is_level).map(|place| &place.name);
    level.filter(|name| worse.contains(name)).cloned().collect()
}

/// The store's cost as a multiple of the best.
pub(crate) fn cost_label(place: &Place, ranking: &Ranking, round: u32) -> String {
    format!("{:.1} × the cost of the best after round {round}", place.centre / ranking.order[0].centre)
}

/// Whether a store is far behind the best of a ranking.
pub(crate) fn is_far_behind(store: &str, ranking: &Ranking) -> bool {
    let place = ranking.order.iter().find(|place| place.name == store);
    place.is_some_and(|place| place.centre > PICK_FAR_BEHIND * ranking.order[0].centre)
}

/// Whether all stores in `still` are known to be within a few percent of the best.
pub(crate) fn as_good_as_equal(ranking: &Ranking, still: &[String]) -> bool {
    still.iter().all(|store| {
        let place = ranking.order.iter().find(|place| place.name == *store);
        place.and_then(|place| place.ratio_to_best).is_some_and(|ratio| ratio.high <= EQUAL_WITHIN)
    })
}

/// Whether more rounds would say nothing more: one is proven to be best, or the first ones to be tied, or nobody has figures.
pub(crate) fn is_told(ranking: Option<&Ranking>) -> bool {
    ranking.is_none_or(|ranking| matches!(ranking.verdict, Verdict::Winner | Verdict::Tie | Verdict::Alone))
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{Better, Candidate, RankOptions, Rounds, rank};

    use super::*;

    fn ranked(costs: &[(&str, &[f64])]) -> Ranking {
        let rounds = |costs: &[f64]| (1..).zip(costs.iter().copied()).collect::<Rounds>();
        let candidates = costs.iter().map(|(name, costs)| Candidate::new(*name, rounds(costs)));
        rank(candidates, RankOptions::new(Better::Lower), DROP_CONFIDENCE).unwrap()
    }

    fn of_one_round(costs: &[(&str, f64)]) -> Ranking {
        let costs: Vec<(&str, [f64; 1])> = costs.iter().map(|(name, cost)| (*name, [*cost])).collect();
        ranked(&costs.iter().map(|(name, cost)| (*name, &cost[..])).collect::<Vec<_>>())
    }

    #[test]
    fn what_was_dropped_as_worse_goes_on_when_another_store_becomes_the_best() {
        let (first, second): (&[f64], &[f64]) = (&[1.0, 1.01, 0.99, 1.0], &[1.5, 1.51, 1.49, 1.5]);
        let still = ["a", "b", "c"].map(str::to_owned);
        let third: &[f64] = &[1.52, 1.5, 1.49, 1.51];
        let steady = ranked(&[("a", first), ("b", second), ("c", third)]);
        let worse: Vec<_> = behind(&still, &steady, (4, &[]), |_| false).into_iter().map(|each| each.store).collect();
        assert_eq!(worse, ["b", "c"]);
        assert!(caught_up(&worse, &steady).is_empty());
        let slower = [first, &[4.0, 4.1, 3.9, 4.0, 4.1]].concat();
        let as_before = [second, &[1.5, 1.51, 1.49, 1.5, 1.5]].concat();
        let changed = ranked(&[("a", &slower), ("b", &as_before), ("c", third)]);
        assert_eq!((changed.best.as_str(), caught_up(&worse, &changed)), ("b", vec!["b".to_owned(), "c".to_owned()]));
        let far = ranked(&[("a", &[1.0, 1.1, 0.9]), ("d", &[8.0, 5.0])]);
        assert!(!far.order[1].is_worse() && caught_up(&["d".to_owned()], &far).is_empty());
    }

    #[test]
    fn the_next_best_stays_to_be_proven_worse_however_far_it_is_behind() {
        let still = ["a", "b", "c", "d"].map(str::to_owned);
        let dropped = |ranking: &Ranking, far: &[&str]| -> Vec<String> {
            let far: Vec<_> = far.iter().map(|&name| name.to_owned()).collect();
            behind(&still, ranking, (1, &far), |_| false).into_iter().map(|each| each.store).collect()
        };
        let far = of_one_round(&[("a", 1.0), ("b", 15.6), ("c", 20.0), ("d", 30.0)]);
        assert_eq!(dropped(&far, &["b", "c", "d"]), ["c", "d"]);
        assert!(dropped(&far, &[]).is_empty(), "there is time for all");
        let near = of_one_round(&[("a", 1.0), ("b", 1.5), ("c", 20.0), ("d", 30.0)]);
        assert_eq!(dropped(&near, &["c", "d"]), ["c", "d"]);
        assert_eq!(dropped(&near, &["d"]), ["d"]);
        let promising = |name: &str| ["b", "d"].contains(&name);
        let behind: Vec<_> = behind(&still, &far, (1, &[]), promising).into_iter().map(|each| each.store).collect();
        assert_eq!(behind, ["d"], "one rival with a higher level stays, if it is the next best");
    }
}
