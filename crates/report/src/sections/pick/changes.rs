//! When the answer of a pick would change: measurements of changed needs.

use bakeoff_results::pick_budget::CLEAR;
use bakeoff_results::pick_change::{NotTried, Outcome, PickChange, Unknown, Unrivalled};
use bakeoff_results::pick_outcome::rival;
use bakeoff_stats::{Place, Ranking, Verdict};
use bakeoff_text::{counted, ratio};

use crate::document::Block;
use crate::sections::pick::picked::{Picked, describe_rival, surely};

/// Whether a changed need would have another answer.
pub(crate) fn blocks(picked: &Picked<'_>, asked: &Ranking) -> Vec<Block> {
    let questions = &picked.facts().questions;
    let change = |question| describe_change(picked, &asked.best, &picked.outcome.change(asked, question));
    let each = questions.iter().map(|question| format!("{}: {}", question.words, change(question)));
    let list = (!questions.is_empty()).then(|| Block::list(each));
    list.into_iter().chain(not_tried(picked, asked)).collect()
}

/// The measured stores on which the changes were not tried, and why.
fn not_tried(picked: &Picked<'_>, asked: &Ranking) -> Vec<Block> {
    let NotTried { beyond, level, behind } = picked.outcome.not_tried(asked);
    let finalists = picked.facts().finalists.len();
    let reasons = [
        (beyond, ", of which those measured are beyond them".to_owned()),
        (level, format!(", which no figure tells from the first, since {finalists} others were before them")),
        (behind, ", being further behind".to_owned()),
    ];
    let lines = reasons.into_iter().filter(|(names, _)| !names.is_empty()).map(|(names, why)| {
        let text = format!("Not tried with any of these changes{why}: {}.", picked.titles(&names));
        Block::paragraph_at(1, text)
    });
    lines.collect()
}

/// What a change does to the answer, in a sentence.
pub(crate) fn describe_change(picked: &Picked<'_>, answer: &str, change: &PickChange) -> String {
    let own = picked.title(answer);
    match change {
        PickChange::NotMeasured(Some(why)) => format!("not measured, {why}"),
        PickChange::NotMeasured(None) => "not measured".to_owned(),
        PickChange::Failed(all) => format!("not known: {} failed at it, as said below", picked.titles(all)),
        PickChange::AnswerUnknown { why, leader } => {
            let why = match why {
                Unknown::Late => "was not done in its part of the time",
                Unknown::TooFewRounds => "had too few rounds to tell",
            };
            format!("not known, {} leads what was measured: {own} {why}", picked.title(leader))
        }
        PickChange::AnswerLost { has_failed, ranking, too_few_rounds } => {
            let why = if *has_failed { "failed at it, as said below" } else { "cannot do this" };
            let title = picked.title(&ranking.best);
            match too_few_rounds {
                Some(rounds) => format!("yes, {own} {why}; {title} leads, not proven by {}", counted(*rounds, "round")),
                None if ranking.verdict == Verdict::Undecided => {
                    let others: Vec<String> = ranking.undecided().map(|place| place.name.clone()).collect();
                    format!("yes, {own} {why}; {title} leads, not told apart from {}", picked.titles(&others))
                }
                None => format!("yes, {}: {own} {why}", picked.titles(&ranking.tied)),
            }
        }
        PickChange::Unrivalled(why) => describe_unrivalled(picked, &own, why),
        PickChange::Ranked { ranking, late, outcome } => describe_outcome(picked, answer, (ranking, late), outcome),
    }
}

fn describe_unrivalled(picked: &Picked<'_>, own: &str, why: &Unrivalled) -> String {
    match why {
        Unrivalled::Late(late) => format!("not known: {} not done in time", picked.titles(late)),
        Unrivalled::NoFigure => "not known: no other has a figure".to_owned(),
        Unrivalled::NotAsked => "not known: no other was asked".to_owned(),
        Unrivalled::NotTried => "not known: no other was tried".to_owned(),
        Unrivalled::NobodyElseCan => format!("no, {own}: no other that leads can do this"),
        Unrivalled::Failed(others) => format!("no, {own}: {} failed at it, as said below", picked.titles(others)),
    }
}

fn describe_outcome(
    picked: &Picked<'_>,
    answer: &str,
    (ranking, late): (&Ranking, &[String]),
    outcome: &Outcome,
) -> String {
    let (title, own, takes) = (picked.title(&ranking.best), picked.title(answer), picked.facts().optimize.takes());
    match outcome {
        Outcome::NotProven(rounds) => {
            let next = describe_next(picked, ranking, late);
            format!("not proven by {}: {title} leads; {next}", counted(*rounds, "round"))
        }
        Outcome::Tied(place) => {
            let most = place.ratio_to_best.map_or(f64::INFINITY, |ratio| ratio.high);
            let at_most = match place.name == ranking.best || most > CLEAR {
                true => String::new(),
                false => format!(", {own} {takes} {} at most", ratio(most)),
            };
            format!("not that it shows: {} are tied{at_most}", picked.titles(&ranking.tied))
        }
        Outcome::Undecided(place) => {
            let known = place.ratio_to_best.filter(|of| !of.says_nothing());
            let most = known.map_or_else(String::new, |of| format!(", {own} {takes} {} at most", ratio(of.high)));
            format!("not known: {} leads, not told apart from {own}{most}", picked.titles(&ranking.tied))
        }
        Outcome::Leads => format!("not that it shows: {title} leads; {}", describe_next(picked, ranking, late)),
        Outcome::Stays => format!("no, {title}: {}", describe_next(picked, ranking, late)),
        Outcome::Hardly(place) => {
            let lead = if ranking.tied.len() == 1 { "leads" } else { "lead" };
            let leading = picked.titles(&ranking.tied);
            format!("hardly: {leading} {lead}, but {own} {takes} {}, too close to matter", describe_times(place))
        }
        Outcome::Lost(place) => {
            format!("yes, {}: {own} {takes} {}", picked.titles(&ranking.tied), describe_times(place))
        }
    }
}

fn describe_times(place: &Place) -> String {
    place.ratio_to_best.map_or_else(String::new, surely)
}

/// The next store, and stores of which nothing is known.
fn describe_next(picked: &Picked<'_>, ranking: &Ranking, late: &[String]) -> String {
    let Some(next) = rival(ranking) else { return String::new() };
    let times = match next.ratio_to_best {
        Some(of) if !of.says_nothing() => surely(of),
        of => {
            let estimate = ratio(ranking.times_the_best(next));
            of.map_or_else(|| estimate.clone(), |of| format!("{estimate} ({})", surely(of)))
        }
    };
    let next = format!("{} {} {times}", describe_rival(picked, ranking, next), picked.facts().optimize.takes());
    match late {
        [] => next,
        late => format!("{next}; not known of {}, not done in time", picked.titles(late)),
    }
}
