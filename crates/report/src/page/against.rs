//! A run next to a publication: what changed since then, and where, field by field.

use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;
use maud::{Markup, html};

use crate::detail::Detail;
use crate::document::{Block, Section, SectionId, Text};
use crate::page::blocks::blocks;
use crate::page::html::folded;
use crate::published::against::against;

/// The answer first, its tables folded; nothing where the two have no field in common.
pub(crate) fn section(of: &Analysis, published: &Published, suffix: &str) -> Markup {
    let Ok(document) = against(of, published, Detail::Usual) else { return html! {} };
    html! {
        section.answer.against {
            h2.headline { "Then and now: " (published.facts.title) " (" (published.facts.year) ")" (suffix) }
            (blocks(&document.lead))
            @for section in &document.sections { (part(section)) }
            p.hint { a href="#published" { "The chosen workload as a picture" } " (needs JavaScript)" }
        }
    }
}

fn part(of: &Section) -> Markup {
    let title = of.title.text().map(Text::to_plain).unwrap_or_default();
    if of.id != SectionId::Against {
        return folded(&title, blocks(&of.blocks));
    }
    let tables = of.blocks.iter().position(|block| matches!(block, Block::Table(_))).unwrap_or(of.blocks.len());
    let (said, fields) = of.blocks.split_at(tables);
    html! { h3 { (title) } (blocks(said)) (folded("Field by field", blocks(fields))) }
}
