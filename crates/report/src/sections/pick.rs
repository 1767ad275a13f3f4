//! The result of `bakeoff pick`: the need, the answer, its settings and costs, and when the answer would change.

pub(crate) mod answer;
pub(crate) mod changes;
pub(crate) mod code;
pub(crate) mod costs;
pub(crate) mod left_out;
pub(crate) mod picked;
pub(crate) mod time;

use bakeoff_protocol::Durability;
use bakeoff_results::pick_facts::PickFacts;
use bakeoff_results::pick_outcome::{PickAnswer, PickOutcome};
use bakeoff_text::shell_command;

use crate::document::{Block, Fact, Part, Section, SectionId, SpanKind, Text};
use crate::sections::need;
use crate::sections::pick::picked::Picked;

/// The sections of a pick, in reading order.
pub(crate) fn sections(of: &PickOutcome<'_>) -> Vec<Section> {
    let picked = Picked::new(of);
    let titled = |id, title, blocks| Section::titled(id, title, blocks);
    let mut made = vec![titled(SectionId::Asked, "What was asked", asked(of.facts))];
    if let Some(ranking) = of.asked() {
        made.push(titled(SectionId::PickAnswer, "Answer", answer::blocks(&picked, ranking)));
        if of.is_answered() && of.answer(ranking) != PickAnswer::AloneByChance {
            made.push(titled(SectionId::PickSettings, "Settings", settings(&picked, &ranking.best)));
            made.push(titled(SectionId::PickCode, "In your program", code::blocks(&picked, &ranking.best, 1)));
        }
        made.push(titled(SectionId::PickCosts, "What it costs", costs::blocks(&picked, ranking)));
        let changes = changes::blocks(&picked, ranking);
        made.push(titled(SectionId::PickChanges, "When the answer would change", changes));
        made.push(titled(SectionId::MapOffer, "Who is best where", map_offer(of)));
    } else {
        made.push(titled(SectionId::PickAnswer, "Answer", vec![Block::paragraph_at(1, answer::nothing(&picked))]));
    }
    made.into_iter().flatten().chain(left_out::sections(&picked)).collect()
}

/// The need, and how many operations a round has of it.
fn asked(facts: &PickFacts) -> Vec<Block> {
    let operations = facts.operations.map(|operations| Block::paragraph_at(1, operations.describe()));
    std::iter::once(need::block(&facts.need)).chain(operations).collect()
}

/// The command that draws a map over the two quantities on which the answer depends most.
fn map_offer(of: &PickOutcome<'_>) -> Vec<Block> {
    let Some((axes, given)) = of.map_offer().zip(of.facts.given.as_ref()) else { return Vec::new() };
    let ranges = axes.map(|(quantity, from, to)| {
        (quantity.name(), format!("{}={}..{}", quantity.name(), quantity.to_word(from), quantity.to_word(to)))
    });
    let is_varied = |key: &str| ranges.iter().any(|(name, _)| *name == key);
    let mut words = ["map", "--x", &ranges[0].1, "--y", &ranges[1].1].map(str::to_owned).to_vec();
    for (key, text) in given.iter().filter(|(key, _)| !is_varied(key)) {
        words.extend([format!("--{key}"), text.clone()]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let draws = Fact {
        name: "map".to_owned(),
        value: Part::Command("", format!("{} {}", bakeoff_text::program(), shell_command(&words))),
    };
    let what = format!("By {} and {}, in five minutes:", axes[0].0.label(), axes[1].0.label());
    vec![Block::paragraph_at(1, what), Block::Facts(vec![draws])]
}

/// The settings in force of the best store, as a suite takes them, and how it keeps its durability.
fn settings(picked: &Picked<'_>, best: &str) -> Vec<Block> {
    let Some(cell) = code::measured(picked, best) else { return Vec::new() };
    let durability: Durability = cell.end.axes.durability;
    let store = picked.outcome.run.store(best);
    let how = store.and_then(|store| store.durability.get(&durability)).map_or("", |support| support.how.as_str());
    let version = cell.end.opened.as_ref().map_or("", |opened| opened.version.as_str());
    let promise = format!("{} {version}, at durability {durability}: {how}.", picked.title(best));
    let mut blocks = vec![Block::paragraph_at(1, promise)];
    let in_force: Vec<_> = cell.end.opened.iter().flat_map(|opened| &opened.settings).collect();
    if in_force.is_empty() {
        blocks.push(Block::paragraph_at(1, "It has no settings but these."));
        return blocks;
    }
    let lines = in_force.iter().map(|(name, value)| format!("{name} = {value}"));
    blocks.push(Block::code(std::iter::once(format!("[settings.{best}]")).chain(lines)));
    let more = Text::plain("To be pasted into a suite of bakeoff; ")
        .and_span(&format!("{} stores {best}", bakeoff_text::program()), SpanKind::Code)
        .and(" has the page of the store's documentation for each.");
    blocks.push(Block::paragraph_at(1, more));
    blocks
}
