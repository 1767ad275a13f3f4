//! Time in the answer of a pick: what it was too short for, and how much would be enough.

use std::time::Duration;

use bakeoff_stats::{Place, Ranking, Verdict};
use bakeoff_text::{counted, minutes_or_seconds, ratio, roughly};

use crate::sections::pick::picked::{CUT_SHORT, Picked, rival, surely};
use bakeoff_results::pick::{
    CLOSE, PICK_ASKED, PICK_ASKED_PART, ROUNDS_PROOF, is_ahead_by_far, is_tie_of_few_rounds, unknown_for_time,
};

/// A limit beyond this does not say that a store is still a good choice.
pub(crate) const CLEAR: f64 = 2.0;

/// With fewer rounds than this, how much they differ is hardly known; with more, the width of an interval falls with the root of their number.
const ROUNDS_FEW: usize = 6;

/// How much time would be enough, as a further sentence.
pub(crate) fn enough(picked: &Picked<'_>) -> String {
    if picked.is_cut_short() {
        return String::new();
    }
    if picked.facts.proof_ns_expected == 0 {
        return " Give more with --budget.".to_owned();
    }
    // They may have all of the time.
    let (rounds, budget) = (Duration::from_nanos(picked.facts.proof_ns_expected), picked.facts.budget());
    if !picked.late(PICK_ASKED).is_empty() || !picked.unmeasured().is_empty() {
        // What was not measured to the end may take a hundred times what the others lead to expect.
        return format!(
            " Three rounds of all stores take about {} or more: how much more is not known of those that were not measured to the end. Give more \
             than {} with --budget.",
            roughly(rounds),
            minutes_or_seconds(budget.as_secs())
        );
    }
    if rounds <= budget {
        // They took longer than the guess, or were not begun for fear that they would.
        return format!(" Give more than {} with --budget.", minutes_or_seconds(budget.as_secs()));
    }
    format!(" Three rounds of all stores need a budget of {} or more, by a first guess: --budget.", roughly(rounds))
}

/// What it would take to tell the best from the next, where the time was too short for it.
pub(crate) fn more_time(picked: &Picked<'_>, ranking: &Ranking) -> Option<String> {
    if picked.is_cut_short() {
        return Some(CUT_SHORT.to_owned());
    }
    if !picked.without_room().is_empty() {
        return None;
    }
    // Of one alone the answer has said it.
    if ranking.verdict != Verdict::Alone && !unknown_for_time(&picked.run.cells, picked.facts).is_empty() {
        return Some(enough(picked).trim_start().to_owned());
    }
    match ranking.verdict {
        _ if is_ahead_by_far(ranking, picked.facts) => return Some(format!("For a proof:{}", enough(picked))),
        Verdict::Unproven => {}
        Verdict::Tie if picked.facts.out_of_time || is_tie_of_few_rounds(ranking) => {}
        Verdict::Tie | Verdict::Winner | Verdict::Alone => return None,
    }
    let budget = minutes_or_seconds(picked.facts.budget().as_secs());
    let (best, next) = (ranking.order.first()?, rival(ranking)?);
    let Some(interval) = next.ratio_to_best else {
        return Some(format!("The time, {budget}, was too short to tell anything.{}", enough(picked)));
    };
    // Of a tie each counts, as in `pick_is_answered`: one of two rounds may be in it for its scatter alone.
    let judged = |place: &&Place| [&best.name, &next.name].contains(&&place.name) || ranking.tied.contains(&place.name);
    let least = ranking.order.iter().filter(judged).min_by_key(|place| place.rounds)?;
    let fewest = least.rounds;
    if fewest < ROUNDS_PROOF {
        return Some(format!(
            "{budget} was too short to tell anything: {} had {}.{}",
            picked.title(&least.name),
            counted(fewest, "round"),
            enough(picked)
        ));
    }
    let (distance, half) = (interval.estimate.ln(), (interval.high / interval.low).ln() / 2.0);
    // The width of an interval falls with the root of the number of rounds.
    let times = (half / distance).powi(2);
    if !times.is_finite() || times > 100.0 {
        let known = format!("the second takes {} of the first, {}", ratio(interval.estimate), surely(interval));
        return Some(match half < CLOSE.ln() {
            true => {
                format!("{budget} could not tell them apart, and no sensible time would: {known}, too close to matter.")
            }
            false if fewest < ROUNDS_FEW => format!(
                "{budget} could not tell them apart: all that is known is that {known}. So few rounds cannot tell how many it would take: give \
                 twice the time, {}, or more with --budget.",
                minutes_or_seconds(picked.facts.budget().as_secs() * 2)
            ),
            false => format!(
                "{budget} could not tell them apart: all that is known is that {known}. Their rounds differ too much for more time to help: \
                 a quieter machine would."
            ),
        });
    }
    // A tie among more than two may hold though these two alone would be apart.
    let two = if next.name == ranking.order[1].name { "the first two" } else { "the two" };
    let rounds = (best.rounds as f64 * times).ceil().max(best.rounds as f64 + 1.0);
    let most = picked.run.record.rounds.map_or(u64::MAX, u64::from);
    let spent: f64 = picked.cells(PICK_ASKED).map(|cell| cell.end.process_ns as f64 / 1e9).sum();
    let budget_of = |rounds: f64| {
        let more = (rounds - best.rounds as f64).max(1.0) * seconds_a_round(picked, &ranking.tied);
        budget_for((spent + more).max(picked.facts.budget().as_secs_f64()))
    };
    if rounds <= most as f64 {
        return Some(format!(
            "{budget} was too short to tell {two} apart. A difference of this size takes about {rounds} rounds, and they a budget of about {}: \
             --budget.",
            budget_of(rounds)
        ));
    }
    let too_many = format!(
        "{budget} could not tell {two} apart. A difference of this size takes about {rounds} rounds, more than the {most} that a race has"
    );
    Some(if interval.high <= CLEAR {
        // Whichever is taken, the other is not worth twice as much.
        format!("{too_many}: choose between them by what else they cost.")
    } else if (best.rounds as u64) < most {
        format!(
            "{too_many}; those would narrow the interval down, and take a budget of about {}: --budget.",
            budget_of(most as f64)
        )
    } else {
        format!(
            "{too_many}: their rounds differ too much here. A quieter machine would help; else choose between them by what else they cost."
        )
    })
}

/// The budget of which this many seconds of measuring what was asked are the part that it may have.
fn budget_for(seconds: f64) -> String {
    roughly(Duration::from_secs_f64(seconds / PICK_ASKED_PART))
}

/// The time of one round of these stores together, seconds.
fn seconds_a_round(picked: &Picked<'_>, stores: &[String]) -> f64 {
    let of = |store: &String| {
        let asked = picked.cells(PICK_ASKED).filter(|cell| cell.end.axes.store == *store);
        let times: Vec<f64> = asked.map(|cell| cell.end.process_ns as f64 / 1e9).collect();
        bakeoff_stats::mean(&times).unwrap_or(0.0)
    };
    stores.iter().map(of).sum()
}
