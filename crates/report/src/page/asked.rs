//! The answer of a run that was asked one question: what to pick, or the highest rates.

use bakeoff_results::contender::Contenders;
use bakeoff_results::pick::{PICK_ASKED, of_variant};
use bakeoff_results::pick_outcome::{PickAnswer, PickOutcome};
use bakeoff_stats::TIED_WITHIN;
use maud::{Markup, html};

use crate::document::Section;
use crate::page::blocks;
use crate::page::html::{listed, store};
use crate::page::labelled::{RankedRun, title_suffix};
use crate::page::placed::{Place, placed};

/// The answers of those runs that were asked one question, with their sections.
pub(crate) fn answers(runs: &[RankedRun], sections: &[Vec<Section>], contenders: &Contenders) -> Markup {
    html! {
        @for ((label, of), sections) in runs.iter().zip(sections) {
            @let suffix = title_suffix(label, runs.len());
            @if let Some(outcome) = of.pick() {
                section.asked {
                    h2 { "What to pick" (suffix) }
                    (headline(outcome, contenders))
                    (blocks::sections(placed(sections, Place::Answer)))
                }
            } @else if of.map().is_some() {
                section.asked {
                    h2 { "Who is best where" (suffix) }
                    (blocks::sections(placed(sections, Place::Answer)))
                }
            } @else if of.run.find_rate().is_some() {
                section.asked {
                    h2 { "The highest rates" (suffix) }
                    (blocks::sections(placed(sections, Place::Answer)))
                }
            }
        }
    }
}

/// The answer of a pick in a line.
fn headline(of: &PickOutcome<'_>, contenders: &Contenders) -> Markup {
    let Some(ranking) = of.asked() else { return html! {} };
    let PickOutcome { run, facts, .. } = of;
    // As it was for what was asked: with another class it has another name where some promise more than that.
    let name = |name: &String| {
        let mut asked = of_variant(&run.cells, PICK_ASKED).map(|cell| &cell.end.axes);
        let contender = asked.find(|axes| axes.store == *name).and_then(|axes| contenders.of(axes));
        contender.map_or_else(|| html! { (name) }, store)
    };
    let tied = listed(&ranking.tied.iter().map(name).collect::<Vec<_>>());
    let best = name(&ranking.best);
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
    html! { p.headline { (sentence) } p.others { "by " (facts.optimize.label()) } }
}
