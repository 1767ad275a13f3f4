//! The answer of a pick: the store to take first, then the race and the changes as pictures, costs, settings, and the rest on demand.

use bakeoff_results::contender::{Contender, Contenders};
use bakeoff_results::pick::{PICK_ASKED, of_variant};
use bakeoff_results::pick_outcome::{PickAnswer, PickOutcome};
use bakeoff_stats::{Ranking, TIED_WITHIN};
use maud::{Markup, html};

use crate::brief::picked::costs;
use crate::document::{Block, Section, SectionId, Text};
use crate::page::blocks;
use crate::page::first_place::describe_margin;
use crate::page::html::{folded, listed, store};
use crate::page::placed::{Place, placed};
use crate::sections::pick::answer::{besides, rival_ahead};
use crate::sections::pick::picked::Picked;

/// The answer of the run with this place on the page.
pub(crate) fn answer(of: &PickOutcome<'_>, sections: &[Section], contenders: &Contenders, run: usize) -> Markup {
    let picked = Picked::new(of);
    let ranking = of.asked();
    let all = || placed(sections, Place::Answer);
    let is_folded = |section: &&Section| {
        let folds = [SectionId::Asked, SectionId::PickChanges, SectionId::MapOffer, SectionId::PickLeftOut];
        folds.contains(&section.id)
    };
    let is_own = |section: &&Section| matches!(section.id, SectionId::PickAnswer | SectionId::PickCosts);
    html! {
        @if let Some(ranking) = ranking { (headline(&picked, ranking, contenders)) }
        @for section in all().filter(|section| section.id == SectionId::PickAnswer) { (said(&picked, ranking, section)) }
        div.charts id=(format!("pick-{run}")) {}
        @for section in all().filter(|section| section.id == SectionId::PickCosts) {
            @if let Some(ranking) = ranking { (costs_of(&picked, ranking, section, contenders)) }
        }
        (blocks::sections(all().filter(|section| !is_own(section) && !is_folded(section))))
        @for section in all().filter(is_folded) { (fold(section)) }
    }
}

/// A section that opens on demand. What the picture of changes shows stands there in words.
fn fold(of: &Section) -> Markup {
    let title = of.title.text().map(Text::to_plain).unwrap_or_default();
    let title = if of.id == SectionId::PickChanges { format!("{title}, in words") } else { title };
    folded(&title, blocks::blocks(&of.blocks))
}

/// The store with the colour, mark and level that it had in the race, or else in any change.
pub(crate) fn contender<'a>(of: &PickOutcome<'_>, name: &str, contenders: &'a Contenders) -> Option<&'a Contender> {
    let raced = of_variant(&of.run.cells, PICK_ASKED).chain(&of.run.cells);
    let mut own = raced.map(|cell| &cell.end.axes).filter(|axes| axes.store == name);
    own.next().and_then(|axes| contenders.of(axes))
}

fn name(of: &PickOutcome<'_>, name: &str, contenders: &Contenders) -> Markup {
    contender(of, name, contenders).map_or_else(|| html! { (name) }, store)
}

/// Who to take, how far it is ahead, and by what.
fn headline(picked: &Picked<'_>, ranking: &Ranking, contenders: &Contenders) -> Markup {
    let of = picked.outcome;
    let title = |store: &String| name(of, store, contenders);
    let tied = listed(&ranking.tied.iter().map(title).collect::<Vec<_>>());
    let best = title(&ranking.best);
    let sentence = match of.answer(ranking) {
        PickAnswer::AloneByChance => html! { (best) " alone was measured to the end: no answer, as is said below" },
        PickAnswer::Alone => html! { (best) " is the only one that was measured to the end" },
        PickAnswer::SomeUnknown | PickAnswer::UndecidedForFewRounds => {
            html! { (best) " leads what was measured: no answer, as is said below" }
        }
        PickAnswer::AheadByFar => html! { (best) " is best by far, though not proven" },
        PickAnswer::Winner => html! { (tied) " is best" },
        PickAnswer::Tie => html! { (tied) " are best, within " (TIED_WITHIN) "×" },
        PickAnswer::Undecided => html! { (tied) " leads; others are not told apart from it" },
        PickAnswer::Unproven => html! { (best) " leads: too few rounds to prove it" },
    };
    let goal = picked.facts().optimize;
    html! {
        p.headline {
            (sentence)
            @if let Some((next, margin)) = rival_ahead(picked, ranking) {
                ": " (describe_margin(margin)) " ahead of " (title(&next.name))
            }
        }
        p.others { span { b { (goal.label()) } " " span.figure { (goal.show(ranking.order[0].centre)) } } }
    }
}

/// What the headline does not say: all of the answer, unless the headline has its first sentences.
fn said(picked: &Picked<'_>, ranking: Option<&Ranking>, section: &Section) -> Markup {
    let Some(ranking) = ranking.filter(|ranking| rival_ahead(picked, ranking).is_some()) else {
        return blocks::blocks(&section.blocks);
    };
    let texts = besides(picked, ranking);
    html! { @for text in texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) { p { (text) } } }
}

/// A row a store with every cost, and what those behind are better at.
fn costs_of(picked: &Picked<'_>, ranking: &Ranking, section: &Section, contenders: &Contenders) -> Markup {
    let mut table = costs(picked, ranking);
    let rows = table.groups.iter_mut().flat_map(|group| &mut group.rows);
    for (row, place) in rows.zip(&ranking.order) {
        if let Some(contender) = contender(picked.outcome, &place.name, contenders) {
            row.cells[0] = Text::store(&picked.title(&place.name), contender.slot).into();
        }
    }
    let others = section.blocks.iter().filter(|block| !matches!(block, Block::Table(_)));
    let all: Vec<Block> = std::iter::once(Block::Table(table)).chain(others.cloned()).collect();
    html! { @if let Some(title) = section.title.text() { h3 { (title) } } (blocks::blocks(&all)) }
}
