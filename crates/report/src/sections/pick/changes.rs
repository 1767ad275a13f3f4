//! When the answer of a pick would change: what was measured with something else asked.

use std::collections::BTreeSet;

use bakeoff_protocol::FailureKind;
use bakeoff_stats::{Ranking, Verdict};
use bakeoff_text::{counted, ratio};

use crate::document::Block;
use crate::sections::pick::picked::{Picked, describe_rival, rival, surely};
use crate::sections::pick::time::CLEAR;
use bakeoff_results::pick::{CLOSE, ROUNDS_PROOF};
use bakeoff_results::pick_facts::Question;

/// Whether the answer would be another if something else were asked.
pub(crate) fn blocks(picked: &Picked<'_>, asked: &Ranking) -> Vec<Block> {
    let questions = &picked.facts.questions;
    let each = questions.iter().map(|question| format!("{}: {}", question.words, change(picked, asked, question)));
    let list = (!questions.is_empty()).then(|| Block::list(each));
    list.into_iter().chain(not_asked(picked, asked)).collect()
}

/// Which of those that were measured the changes were not tried on, and why: an answer to a change is one among the others alone.
fn not_asked(picked: &Picked<'_>, asked: &Ranking) -> Vec<Block> {
    let measured = picked.facts.questions.iter().filter(|question| question.not_measured.is_none());
    let tried: BTreeSet<&str> = measured
        .flat_map(|question| picked.cells(&question.variant))
        .map(|cell| cell.end.axes.store.as_str())
        .collect();
    if tried.is_empty() {
        return Vec::new();
    }
    // Those that were dropped after a round have no place in the order.
    let dropped = picked.facts.dropped.iter().map(|each| &each.store);
    let dropped = dropped.filter(|name| asked.order.iter().all(|place| place.name != **name));
    let others = asked.order.iter().map(|place| &place.name).chain(dropped).cloned();
    let others = others.filter(|name| !tried.contains(name.as_str()));
    let (chosen, others): (Vec<_>, Vec<_>) = others.partition(|name| picked.facts.finalists.contains(name));
    let (level, behind): (Vec<_>, Vec<_>) = others.into_iter().partition(|name| asked.tied.contains(name));
    let finalists = picked.facts.finalists.len();
    let reasons = [
        (chosen, ", of which those measured are beyond them".to_owned()),
        (level, format!(", which no figure tells from the first, since {finalists} others were before them")),
        (behind, ", being further behind".to_owned()),
    ];
    let lines = reasons.into_iter().filter(|(names, _)| !names.is_empty()).map(|(names, why)| {
        let text = format!("Not tried with any of these changes{why}: {}.", picked.titles(&names));
        Block::paragraph_at(1, text)
    });
    lines.collect()
}

fn change(picked: &Picked<'_>, asked: &Ranking, question: &Question) -> String {
    if let Some(why) = &question.not_measured {
        return format!("not measured, {why}");
    }
    let failed = picked.failed(&question.variant);
    let Some(ranking) = picked.ranking(&question.variant) else {
        return match failed.as_slice() {
            [] => "not measured".to_owned(),
            all => format!("not known: {} failed at it, as said below", picked.titles(all)),
        };
    };
    let (best, title) = (&asked.best, picked.title(&ranking.best));
    let Some(place) = ranking.order.iter().find(|place| place.name == *best) else {
        let own = || picked.cells(&question.variant).filter(|cell| cell.end.axes.store == *best);
        // How good it is at it is not known.
        let unknown = match own().any(|cell| cell.end.failure == Some(FailureKind::Timeout)) {
            true => Some("was not done in its part of the time"),
            false => (!failed.contains(best) && own().next().is_some()).then_some("had too few rounds to tell"),
        };
        if let Some(why) = unknown {
            return format!("not known, {title} leads what was measured: {} {why}", picked.title(best));
        }
        let why = if failed.contains(best) { "failed at it, as said below" } else { "cannot do this" };
        let best = picked.title(best);
        return match too_few_rounds(&ranking) {
            Some(rounds) => format!("yes, {best} {why}; {title} leads, not proven by {}", counted(rounds, "round")),
            None => format!("yes, {}: {best} {why}", picked.titles(&ranking.tied)),
        };
    };
    let Some(next) = rival(&ranking) else {
        return unrivalled(picked, question, &failed, best);
    };
    let times = next.ratio_to_best.map_or_else(|| ratio(next.mean / ranking.order[0].mean), surely);
    let next = format!("{} {} {times}", describe_rival(picked, &ranking, next), picked.facts.optimize.takes());
    let next = match picked.late(&question.variant).as_slice() {
        [] => next,
        late => format!("{next}; not known of {}, not done in time", picked.titles(late)),
    };
    if let Some(rounds) = too_few_rounds(&ranking) {
        return format!("not proven by {}: {title} leads; {next}", counted(rounds, "round"));
    }
    match ranking.verdict {
        Verdict::Tie if place.tied_with_best => {
            let most = place.ratio_to_best.map_or(f64::INFINITY, |ratio| ratio.high);
            let at_most = match place.name == ranking.best || most > CLEAR {
                true => String::new(),
                false => format!(", {} {} {} at most", picked.title(best), picked.facts.optimize.takes(), ratio(most)),
            };
            format!("not that it shows: {} are tied{at_most}", picked.titles(&ranking.tied))
        }
        _ if ranking.best == *best => format!("no, {title}: {next}"),
        _ => {
            let (leading, own) = (picked.titles(&ranking.tied), picked.title(best));
            let takes = picked.facts.optimize.takes();
            let lead = if ranking.tied.len() == 1 { "leads" } else { "lead" };
            let times = place.ratio_to_best.map_or_else(String::new, surely);
            match place.ratio_to_best.is_some_and(|ratio| ratio.high < CLOSE) {
                true => format!("hardly: {leading} {lead}, but {own} {takes} {times}, too close to matter"),
                false => format!("yes, {leading}: {own} {takes} {times}"),
            }
        }
    }
}

/// The fewest rounds of a store, where they are too few: for a proof, or for a tie that is more than their scatter.
fn too_few_rounds(ranking: &Ranking) -> Option<usize> {
    let rounds = ranking.order.iter().map(|place| place.rounds).min().unwrap_or(0);
    let few = rounds < ROUNDS_PROOF && ranking.verdict == Verdict::Tie;
    (few || ranking.verdict == Verdict::Unproven).then_some(rounds)
}

/// What a change says of which the best alone has figures. Only where the others cannot do it, or failed whatever time they had, is it the answer.
fn unrivalled(picked: &Picked<'_>, question: &Question, failed: &[String], best: &str) -> String {
    let title = picked.title(best);
    let late = picked.late(&question.variant);
    let has_others = picked.cells(&question.variant).any(|cell| cell.end.axes.store != best);
    match failed {
        _ if !late.is_empty() => format!("not known: {} not done in time", picked.titles(&late)),
        [] if has_others => "not known: no other has a figure".to_owned(),
        [] if picked.facts.raced.len() == 1 => "not known: no other was asked".to_owned(),
        [] if picked.facts.finalists.len() == 1 => "not known: no other was tried".to_owned(),
        [] => format!("no, {title}: no other that leads can do this"),
        others => format!("no, {title}: {} failed at it, as said below", picked.titles(others)),
    }
}
