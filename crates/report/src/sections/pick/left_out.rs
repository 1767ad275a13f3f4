//! Stores that a pick did not measure, or not to the end, or that failed, and why.

use bakeoff_protocol::FailureKind;

use crate::document::{Block, Item, List, Section, SectionId};
use crate::sections::pick::picked::Picked;
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::by_lack;

/// A section for each reason.
pub(crate) fn sections(picked: &Picked<'_>) -> Vec<Section> {
    let item = |store: &str, why: &str| Item::text(format!("{}: {why}", picked.title(store)));
    let dropped: Vec<Item> = picked.facts().dropped.iter().map(|each| item(&each.store, &each.why)).collect();
    let (late, failed): (Vec<_>, Vec<_>) =
        failures(picked).into_iter().partition(|(_, kind, _)| *kind == Some(FailureKind::Timeout));
    let [late, failed] =
        [late, failed].map(|some| some.iter().map(|(store, _, why)| item(store, why)).collect::<Vec<_>>());
    let is_asked_otherwise = |store: &str| {
        let questions = picked.facts().questions.iter();
        questions.flat_map(|question| picked.outcome.cells(&question.variant)).any(|cell| cell.end.axes.store == store)
    };
    let (otherwise, excluded): (Vec<_>, Vec<_>) =
        picked.facts().excluded.iter().cloned().partition(|each| is_asked_otherwise(&each.store));
    let group = |(stores, why): (Vec<&str>, &str)| item(&stores.join(", "), why);
    let [otherwise, excluded] =
        [otherwise, excluded].map(|some| by_lack(&some).into_iter().map(group).collect::<Vec<_>>());
    let lists = [
        ("Out of the race for this need", dropped),
        ("Not done within their part of the time", late),
        ("Failed", failed),
        ("Not with this durability, so asked with the other one only", otherwise),
        ("Cannot do this", excluded),
    ];
    let section = |(title, items): (&str, Vec<Item>)| {
        let list = (!items.is_empty()).then_some(Block::List(List { items, fold: None }));
        Section::titled(SectionId::PickLeftOut, title, list.into_iter().collect())
    };
    lists.into_iter().filter_map(section).collect()
}

/// Every store that failed, with the question at which it did, and why, in the order of the questions.
fn failures(picked: &Picked<'_>) -> Vec<(String, Option<FailureKind>, String)> {
    let others = picked.facts().questions.iter().map(|question| (question.variant.as_str(), question.words.as_str()));
    let mut failures = Vec::new();
    for (variant, words) in [(PICK_ASKED, "what was asked")].into_iter().chain(others) {
        for store in picked.outcome.failed(variant) {
            let mut rounds = picked.outcome.cells(variant).filter(|cell| cell.end.axes.store == store);
            let Some(cell) = rounds.find(|cell| !cell.is_ok()) else { continue };
            let kind = cell.end.failure.map_or("failed", FailureKind::label);
            let message = cell.end.failure_message.as_deref().unwrap_or("the log next to the results has more");
            failures.push((store, cell.end.failure, format!("at “{words}”, {kind}: {message}")));
        }
    }
    failures
}
