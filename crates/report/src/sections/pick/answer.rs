//! The answer of a pick: the store, how sure that is, and what the time or the disk left open.

use bakeoff_protocol::{FailureKind, Leaves};
use bakeoff_results::goal::Goal;
use bakeoff_results::pick_facts::PickCuts;
use bakeoff_results::pick_outcome::{PickAnswer, rival};
use bakeoff_stats::{Interval, Place, Ranking, TIED_WITHIN};
use bakeoff_text::{counted, format_count, listed, listed_at_most, minutes_or_seconds, program, ratio, shell_command};

use crate::document::Block;
use crate::labels::{from_one, up_to};
use crate::sections::answer::describe_flushes;
use crate::sections::pick::picked::{CUT_SHORT, Picked, describe_rival, surely};
use crate::sections::pick::time::{enough, more_time};
use bakeoff_results::pick::{PICK_ASKED, is_ahead_by_far, is_late, is_without_room};

/// Why there is no answer at all.
pub(crate) fn nothing(picked: &Picked<'_>) -> String {
    let budget = minutes_or_seconds(picked.facts().budget().as_secs());
    let mut failed = picked.outcome.run.cells.iter().filter(|cell| !cell.is_ok()).peekable();
    if failed.peek().is_none() && picked.outcome.is_cut_short() {
        return format!("None: no round of a store was measured. {CUT_SHORT}");
    }
    if failed.peek().is_none() {
        return format!("None: {budget} is too short for a single round of one store.{}", enough(picked));
    }
    if failed.clone().all(is_without_room) {
        return "None: the disk was full for every store. Make room, or name another disk with --dir.".to_owned();
    }
    if failed.all(|cell| cell.end.failure == Some(FailureKind::Timeout)) {
        let others = no_time_for(picked);
        return format!(
            "None: {budget} is too short, as no store was done in its part of it.{others}{}",
            enough(picked)
        );
    }
    "None: every store that was measured failed. The reasons are below, the logs next to the results.".to_owned()
}

/// Which stores had no time at all, as a further sentence.
fn no_time_for(picked: &Picked<'_>) -> String {
    match picked.outcome.unmeasured().as_slice() {
        [] => String::new(),
        names if picked.outcome.is_cut_short() => format!(" Nothing was measured of {}.", picked.titles(names)),
        names => format!(" There was no time for {}.", picked.titles(names)),
    }
}

/// Which stores were not done in time, as a further sentence.
fn describe_late(picked: &Picked<'_>) -> String {
    let late = picked.outcome.late(PICK_ASKED);
    if late.is_empty() {
        return String::new();
    }
    let (were, their, they_are) = if late.len() == 1 { ("was", "its", "it is") } else { ("were", "their", "they are") };
    format!(
        " {} {were} not done in {their} part of the time, so how good {they_are} is not known.",
        picked.titles(&late)
    )
}

/// Which stores the disk had no room for, as a further sentence.
fn no_room_for(picked: &Picked<'_>) -> String {
    match picked.outcome.without_room().as_slice() {
        [] => String::new(),
        names => format!(
            " The disk was full when {} {} measured, so how good {} is not known: make room, or name another disk with --dir.",
            picked.titles(names),
            if names.len() == 1 { "was" } else { "were" },
            if names.len() == 1 { "it is" } else { "they are" },
        ),
    }
}

/// What a power cut leaves of the store, at least, as a further sentence.
fn describe_power_cut(leaves: Leaves) -> &'static str {
    match leaves {
        Leaves::Kept => " A power cut leaves every acknowledged write.",
        Leaves::EarlierState => " A power cut leaves an earlier state.",
        Leaves::PossiblyCorrupt => " A power cut may leave it corrupt.",
    }
}

/// What a power cut leaves of a store, at least, and what simulated ones left of it, as further sentences.
pub(crate) fn describe_power_cuts(picked: &Picked<'_>, store: &str) -> Option<String> {
    let leaves = describe_power_cut(picked.outcome.after_power_cut(store)?);
    let of_store = picked.facts().power_cuts.iter().find(|cuts| cuts.store == store && cuts.cuts > 0);
    let Some(PickCuts { run, file_system, cuts, broken, .. }) = of_store else {
        return Some(leaves.to_owned());
    };
    let what = format!("{} on {file_system}", counted(*cuts, "simulated power cut"));
    Some(match broken {
        0 => format!("{leaves} It kept them in {what}."),
        _ => {
            let at = shell_command(&["report", &picked.outcome.run.directory.join(run).display().to_string()]);
            let broken = format_count(*broken);
            format!(
                " A power cut should leave every acknowledged write. {broken} of {what} did not: {} {at}.",
                program()
            )
        }
    })
}

/// The share of flushes in the time of a write, where it is most of it, and what then decides among the stores that may
/// be best.
fn describe_flushes_of(picked: &Picked<'_>, ranking: &Ranking) -> String {
    let Some(share) = picked.outcome.flush_share() else { return String::new() };
    let mut text = format!(" Flushes are {}.", describe_flushes(share, |names| picked.titles(names)));
    let open: Vec<&str> =
        ranking.order.iter().filter(|place| !place.is_worse()).map(|place| place.name.as_str()).collect();
    let least = picked.outcome.costs().least_resources(&open);
    if !least.is_empty() {
        let each = |(goal, store): &(Goal, String)| format!("{} takes least {}", picked.title(store), goal.resource());
        text += &format!(" Of the stores that may be best {}.", listed(&least.iter().map(each).collect::<Vec<_>>()));
    }
    text
}

/// The goal, and the figure of the best.
pub(crate) fn figure(picked: &Picked<'_>, best: &Place) -> String {
    let goal = picked.facts().optimize;
    format!("{} {}", goal.label(), goal.show(best.centre)).replace(' ', "\u{a0}")
}

/// The store, or why there is none, in a sentence that names at most `names_max` others.
pub(crate) fn verdict(picked: &Picked<'_>, ranking: &Ranking, names_max: usize) -> String {
    let best = &ranking.order[0];
    let (figure, rounds) = (figure(picked, best), counted(best.rounds, "round"));
    let title = picked.title(&best.name);
    let others = |is_one: fn(&Place) -> bool| {
        let others = ranking.order[1..].iter().filter(|place| is_one(place));
        listed_at_most(&others.map(|place| picked.title(&place.name)).collect::<Vec<_>>(), names_max)
    };
    match picked.outcome.answer(ranking) {
        PickAnswer::AloneByChance => {
            let more = if picked.facts().out_of_time { enough(picked) } else { String::new() };
            format!(
                "None: nothing can be told, since {title} alone was measured to the end, {figure} over {rounds}.{more}"
            )
        }
        PickAnswer::Alone => {
            let more = if picked.outcome.run.cells.iter().any(is_late) { enough(picked) } else { String::new() };
            let why = match picked.facts().is_of_one_store() {
                true => "no other store that can do this was asked",
                false => "no other store that can do this was measured to the end",
            };
            format!("{title}, {figure} over {rounds}: {why}.{more}")
        }
        PickAnswer::SomeUnknown => {
            format!("None: {title} leads what was measured, {figure} over {rounds}, but that is no answer.")
        }
        PickAnswer::AheadByFar => {
            format!("{title}, by far though not proven: its {figure} over {rounds} is the best.")
        }
        PickAnswer::Winner => format!("{title}: its {figure} over {rounds} is the best."),
        PickAnswer::Tie => format!(
            "{title}, or {}, which is as good within {TIED_WITHIN}×: {figure} over {rounds}.",
            others(Place::is_first)
        ),
        PickAnswer::Undecided => format!(
            "{title} leads, {figure} over {rounds}; {} may be as good{}.",
            others(|place| !place.is_worse()),
            up_to(ranking).map_or_else(String::new, |most| format!(" or {most} worse"))
        ),
        PickAnswer::UndecidedForFewRounds => format!(
            "None yet: {title} leads, {figure} over {rounds}, but {} cannot be told apart from it so soon.",
            others(|place| !place.is_worse())
        ),
        PickAnswer::Unproven => {
            format!("{title} leads, {figure} over {rounds}, but not every store had the two rounds that a proof takes.")
        }
    }
}

/// How far the next store is behind, or may be, in a sentence; `None` where there is no other.
pub(crate) fn behind(picked: &Picked<'_>, ranking: &Ranking) -> Option<String> {
    let (best, next) = (&ranking.order[0], rival(ranking)?);
    let times =
        next.ratio_to_best.map_or_else(|| ratio(next.centre / best.centre), |interval| ratio(interval.estimate));
    let sure = match next.ratio_to_best {
        None if is_ahead_by_far(ranking, picked.facts()) => {
            format!("by {}, after which it was dropped", counted(next.rounds, "round"))
        }
        None => "not proven".to_owned(),
        Some(interval) => surely(interval),
    };
    let takes = picked.facts().optimize.takes();
    Some(format!("{} {takes} {times} ({sure}).", describe_rival(picked, ranking, next)))
}

/// The next store and how far a proven winner is ahead of it; `None` for any other answer.
pub(crate) fn rival_ahead<'r>(picked: &Picked<'_>, ranking: &'r Ranking) -> Option<(&'r Place, Interval)> {
    let is_winner = picked.outcome.answer(ranking) == PickAnswer::Winner;
    let next = rival(ranking).filter(|_| is_winner)?;
    Some((next, from_one(next.ratio_to_best?)))
}

/// The store and how sure that is.
pub(crate) fn blocks(picked: &Picked<'_>, ranking: &Ranking) -> Vec<Block> {
    let sentences = [Some(verdict(picked, ranking, usize::MAX)), behind(picked, ranking)];
    let first = sentences.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let mut paragraphs = besides(picked, ranking);
    paragraphs[0].insert_str(0, &first);
    paragraphs.into_iter().map(|text| Block::paragraph_at(1, text)).collect()
}

/// What else there is to know: what a power cut leaves, what flushes take, and what the time or the disk left open; then what would help.
pub(crate) fn besides(picked: &Picked<'_>, ranking: &Ranking) -> Vec<String> {
    let mut text = String::new();
    if picked.outcome.is_answered() && picked.outcome.answer(ranking) != PickAnswer::AloneByChance {
        text += &describe_power_cuts(picked, &ranking.best).unwrap_or_default();
    }
    text += &describe_flushes_of(picked, ranking);
    text += &no_time_for(picked);
    text += &describe_late(picked);
    text += &no_room_for(picked);
    [Some(text), more_time(picked, ranking)].into_iter().flatten().collect()
}
