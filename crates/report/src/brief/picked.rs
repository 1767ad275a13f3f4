//! The short answer of a pick: the store to take, how far it is ahead, what a power cut leaves of it, and what the
//! others cost. It also says whether another need would have another answer.

use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_change::Effect;
use bakeoff_results::pick_costs::Cost;
use bakeoff_results::pick_outcome::{PickAnswer, PickOutcome};
use bakeoff_stats::{Place, Ranking, Standing, TIED_WITHIN};
use bakeoff_text::{counted, listed_at_most, percent, ratio, time};

use crate::brief::parts::NAMES_MAX;
use crate::document::{Block, Cell, Column, Document, Section, SectionId, Table, Title};
use crate::labels::{TOO_FEW_ROUNDS, from_one, interval, kept_together};
use crate::measured::scope;
use crate::sections::pick::answer::{behind, describe_power_cuts, figure, nothing, rival_ahead, verdict};
use crate::sections::pick::code;
use crate::sections::pick::costs::heading;
use crate::sections::pick::picked::Picked;
use crate::sections::pick::time::more_time;

/// The answer, its table, and what else is known.
pub(super) fn document(outcome: &PickOutcome<'_>) -> Document {
    let picked = Picked::new(outcome);
    let scope = Some(scope(outcome.run)).filter(|scope| !scope.is_empty());
    let mut lead = Vec::new();
    let mut sections = Vec::new();
    let mut last: Vec<String> = Vec::new();
    match outcome.asked() {
        None => lead.push(nothing(&picked)),
        Some(ranking) => {
            lead.extend(headline(&picked, ranking));
            lead.extend(what_holds(&picked, ranking));
            let table = Block::Table(costs(&picked, ranking));
            sections.push(Section::new(SectionId::PickCosts, Title::None, vec![table]));
            if let Some(code) = program(&picked, ranking) {
                sections.push(code);
            }
            last.extend(changes(&picked, ranking));
        }
    }
    lead.extend(scope);
    last.extend(left_out(&picked));
    let last = last.into_iter().map(Block::paragraph).collect();
    sections.push(Section::new(SectionId::Hint, Title::None, last));
    Document { lead: lead.into_iter().map(Block::paragraph).collect(), sections, ..Document::default() }
}

/// The store to take and how far it is ahead, or why there is none yet and what is missing.
fn headline(picked: &Picked<'_>, ranking: &Ranking) -> Vec<String> {
    let best = &ranking.order[0];
    let (title, cost) = (picked.title(&best.name), figure(picked, best));
    let ahead = rival_ahead(picked, ranking).map(|(next, margin)| {
        let interval = interval(margin, TOO_FEW_ROUNDS);
        let margin = kept_together(&format!("{} ({interval})", ratio(margin.estimate)));
        format!("{margin} ahead of {}", picked.title(&next.name))
    });
    let first = match (picked.outcome.answer(ranking), ahead) {
        (_, Some(ahead)) => format!("Take {title}: {cost}, {ahead}."),
        (PickAnswer::Tie, _) => {
            let tied: Vec<String> = ranking.tied.iter().map(|name| picked.title(name)).collect();
            let tied = listed_at_most(&tied, NAMES_MAX);
            format!("Take {title}: {cost}. {tied} are tied within {TIED_WITHIN}×.")
        }
        _ => {
            let sentences = [Some(verdict(picked, ranking, NAMES_MAX)), behind(picked, ranking)];
            sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
    };
    std::iter::once(first).chain(more_time(picked, ranking)).collect()
}

/// What a power cut leaves of the store, and how much of a write is a flush.
fn what_holds(picked: &Picked<'_>, ranking: &Ranking) -> Option<String> {
    let is_answer = picked.outcome.is_answered() && picked.outcome.answer(ranking) != PickAnswer::AloneByChance;
    let left = is_answer.then(|| describe_power_cuts(picked, &ranking.best)).flatten();
    let flushes = picked.outcome.flush_share().map(|share| {
        let others: Vec<String> = share.others.iter().map(|name| picked.title(name)).collect();
        let except = match others.len() {
            0 => String::new(),
            _ => format!(", except in {}", listed_at_most(&others, NAMES_MAX)),
        };
        format!(" Flushes take {} of a write ({} each){except}.", percent(share.share), time(share.flush_ns))
    });
    let sentences: String = left.into_iter().chain(flushes).collect();
    Some(sentences.trim_start().to_owned()).filter(|sentences| !sentences.is_empty())
}

/// A row a store, best first: its cost, how far it is behind, and its other costs.
pub(crate) fn costs(picked: &Picked<'_>, ranking: &Ranking) -> Table {
    let (costs, wanted) = (picked.outcome.costs(), picked.facts().optimize);
    let heads = costs.goals().filter(|goal| *goal != wanted).map(|goal| Column::right(heading(goal)));
    let fixed = [Column::left("store"), Column::right(heading(wanted)), Column::left("compared")];
    let mut table = Table::new(0, fixed.into_iter().chain(heads).collect());
    table.columns_fixed = Some(3);
    for place in &ranking.order {
        let (mut own, mut others) = (String::new(), Vec::new());
        for (goal, cost) in costs.goals().zip(costs.of_store(&place.name)) {
            let shown = match cost {
                Cost::Told(mean) => goal.show(mean),
                Cost::TooFew | Cost::Unknown => "–".to_owned(),
            };
            if goal == wanted { own = shown } else { others.push(shown) }
        }
        let row = [picked.title(&place.name), own, compared(ranking, place)];
        table.row(row.into_iter().chain(others).map(Cell::from).collect());
    }
    table
}

/// A store compared with the best.
fn compared(ranking: &Ranking, place: &Place) -> String {
    match (place.standing, place.ratio_to_best) {
        (Standing::Best, _) => "best".to_owned(),
        (Standing::Tied, _) => "tied".to_owned(),
        (Standing::Worse, Some(margin)) => {
            format!("{} ({})", ratio(margin.estimate), interval(from_one(margin), TOO_FEW_ROUNDS))
        }
        (Standing::Undecided, _) => format!("{}, not proven", ratio(ranking.times_the_best(place))),
        (Standing::Worse | Standing::Unknown, _) => TOO_FEW_ROUNDS.to_owned(),
    }
}

/// Which changes make another store the best, and how many do not, or are not known; nothing where there is no answer to change.
fn changes(picked: &Picked<'_>, ranking: &Ranking) -> Vec<String> {
    let questions = &picked.facts().questions;
    if questions.is_empty() || !picked.outcome.is_answered() {
        return Vec::new();
    }
    let effects: Vec<Effect> =
        questions.iter().map(|question| picked.outcome.change(ranking, question).effect()).collect();
    let others = questions.iter().zip(&effects).filter_map(|(question, effect)| match effect {
        Effect::Other(store) => Some(format!("{} ({})", question.words, picked.title(store))),
        Effect::Same | Effect::Unknown => None,
    });
    let others: Vec<String> = others.collect();
    let number = |wanted: &Effect| effects.iter().filter(|effect| *effect == wanted).count();
    let (same, unknown) = (number(&Effect::Same), number(&Effect::Unknown));
    let unknown = match unknown {
        0 => String::new(),
        1 => "; 1 is not known".to_owned(),
        _ => format!("; {unknown} are not known"),
    };
    let stays = format!("The answer stays with {same} of {}{unknown}.", counted(questions.len(), "change"));
    let other = (!others.is_empty()).then(|| format!("Another store is best with: {}.", listed_at_most(&others, 2)));
    other.into_iter().chain([stays]).collect()
}

/// The lines that open the store to take; nothing where there is no answer.
fn program(picked: &Picked<'_>, ranking: &Ranking) -> Option<Section> {
    let answer = picked.outcome.answer(ranking);
    let is_answer = picked.outcome.is_answered() && answer != PickAnswer::AloneByChance;
    let blocks = if is_answer { code::blocks(picked, &ranking.best, 0) } else { Vec::new() };
    Section::untitled(SectionId::PickCode, blocks)
}

/// How many stores are not in the table.
fn left_out(picked: &Picked<'_>) -> Option<String> {
    let unable = picked.facts().excluded.len();
    let failed = picked.outcome.failed(PICK_ASKED).len();
    let counts = [(unable, "cannot do this"), (failed, "failed or took too long")];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", counted(number, "store")))
        .collect();
    (!counts.is_empty()).then(|| format!("{}.", counts.join(", ")))
}
