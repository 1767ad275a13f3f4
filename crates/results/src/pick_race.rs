//! The race of a pick: the decisions that follow from its rounds so far. The engine decides which round fits the time.

use crate::cell_rounds::CellRound;
use crate::goal::Goal;
use crate::pick::{PICK_ASKED, ROUNDS_PROOF, goal_so_far, of_variant, pick_ranking};
use crate::pick_facts::Excluded;
use crate::race::{DROP_CONFIDENCE, as_good_as_equal, behind, caught_up, cost_label, far_behind, is_told};

/// The rounds of a question's variant, and the maximum while no store is proven best.
pub const QUESTION_ROUNDS: (u32, u32) = (3, 20);

/// The maximum of stores for the questions.
const FINALISTS: usize = 4;

/// The decisions after a round of the asked variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Stores that were dropped as worse and go on.
    pub back: Vec<String>,
    /// Stores that are out of the race.
    pub behind: Vec<Excluded>,
    /// Whether more rounds would say nothing more.
    pub is_decided: bool,
}

/// Judges the race of the asked variant after a round: the stores `still` in it, and the stores dropped as `worse`. If the time `is_short` for
/// the rounds of a proof, stores far behind leave at once.
pub fn judge(
    cells: &[CellRound],
    goal: Goal,
    (round, is_short): (u32, bool),
    (still, worse): (&[String], &[String]),
    promises_more: impl Fn(&str) -> bool,
) -> Judgement {
    // Among all stores, dropped ones too, as in the answer's ranking.
    let goal = goal_so_far(cells, goal);
    let Some(ranking) = pick_ranking(cells, PICK_ASKED, goal, DROP_CONFIDENCE, None) else {
        return Judgement { back: Vec::new(), behind: Vec::new(), is_decided: true };
    };
    let asked: Vec<&CellRound> = of_variant(cells, PICK_ASKED).collect();
    let far = if is_short { far_behind(&asked, still, &ranking, (round, goal)) } else { Vec::new() };
    let back = caught_up(worse, &ranking);
    let mut still = [still, &back[..]].concat();
    let behind = behind(&still, &ranking, (round, &far), promises_more);
    still.retain(|store| behind.iter().all(|each| each.store != *store));
    let is_decided = round >= ROUNDS_PROOF as u32 && (still.len() <= 1 || as_good_as_equal(&ranking, &still));
    Judgement { back, behind, is_decided }
}

/// The store that leaves the race of the asked variant if the next round does not fit the time: the one furthest behind. Of two stores, the
/// second leaves only if it is far behind. `None` if all stay: after the rounds of a proof, nobody leaves for time.
pub fn leaves_for_time(cells: &[CellRound], goal: Goal, round: u32, still: &[String]) -> Option<Excluded> {
    if round >= ROUNDS_PROOF as u32 || still.len() <= 1 {
        return None;
    }
    let goal = goal_so_far(cells, goal);
    let ranking = pick_ranking(cells, PICK_ASKED, goal, DROP_CONFIDENCE, Some(still))?;
    let last = ranking.order.last()?;
    let asked: Vec<&CellRound> = of_variant(cells, PICK_ASKED).collect();
    if still.len() == 2 && !far_behind(&asked, still, &ranking, (round, goal)).contains(&last.name) {
        return None;
    }
    let why = format!("{}, and no time for more", cost_label(last, &ranking, round));
    Some(Excluded::dropped(last.name.clone(), why))
}

/// The stores for the questions, in the order of the ranking. A store dropped after its first round is not among them, except the next best.
pub fn finalists(cells: &[CellRound], goal: Goal) -> Vec<String> {
    let ranking = pick_ranking(cells, PICK_ASKED, goal, DROP_CONFIDENCE, None);
    let order = ranking.map(|ranking| ranking.order).unwrap_or_default().into_iter().enumerate();
    let leading = order.filter(|(index, place)| *index < 2 || place.rounds > 1);
    leading.take(FINALISTS).map(|(_, place)| place.name).collect()
}

/// Whether a question's variant needs no more rounds than these.
pub fn is_settled(cells: &[CellRound], variant: &str, goal: Goal, rounds: u32) -> bool {
    rounds >= QUESTION_ROUNDS.0 && is_told(pick_ranking(cells, variant, goal, DROP_CONFIDENCE, None).as_ref())
}
