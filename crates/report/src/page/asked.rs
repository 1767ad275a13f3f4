//! The answer of a run that was asked one question: what to pick, or the highest rates.

use bakeoff_results::contender::Contenders;
use maud::{Markup, html};

use crate::document::Section;
use crate::page::blocks;
use crate::page::labelled::{RankedRun, title_suffix};
use crate::page::pick;
use crate::page::placed::{Place, placed};

/// The answers of those runs that were asked one question, with their sections.
pub(crate) fn answers(runs: &[RankedRun], sections: &[Vec<Section>], contenders: &Contenders) -> Markup {
    let title = |of: &RankedRun| match (of.1.pick(), of.1.map(), of.1.run.find_rate()) {
        (Some(_), ..) => Some("What to pick"),
        (_, Some(_), _) => Some("Who is best where"),
        (.., Some(_)) => Some("The highest rates"),
        _ => None,
    };
    html! {
        @for (place, (of, sections)) in runs.iter().zip(sections).enumerate() {
            @if let Some(title) = title(of) {
                section.asked {
                    h2 { (title) (title_suffix(&of.0, runs.len())) }
                    @match of.1.pick() {
                        Some(outcome) => (pick::answer(outcome, sections, contenders, place)),
                        None => (blocks::sections(placed(sections, Place::Answer))),
                    }
                }
            }
        }
    }
}
