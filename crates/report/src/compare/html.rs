//! A comparison as a page that needs nothing else; its only script is the switch between light and dark.

use std::io::Write;

use maud::{Markup, html};

use crate::compare::ComparisonReport;
use crate::compare::document::document;
use crate::detail::Detail;
use crate::document::{Section, SectionId};
use crate::error::ReportError;
use crate::page::blocks::{blocks, prose};
use crate::page::frame::{Frame, THEME, theme_button};

/// Writes the comparison as one HTML file.
///
/// # Errors
/// `out` takes no more.
pub fn write_comparison_html(of: &ComparisonReport, out: &mut dyn Write) -> Result<(), ReportError> {
    let [a, b] = &of.labels;
    let sections = document(of, Detail::Usual).sections;
    let body = html! {
        header {
            div {
                p.brand { "bakeoff" }
                h1 { "Two runs compared" }
                p.summary { "A: " (a) br; "B: " (b) }
            }
            nav { (theme_button()) }
        }
        main { (found(&sections)) }
    };
    let frame = Frame { title: &format!("{a} → {b}"), body, data: html! {}, libraries: &[], script: THEME };
    out.write_all(frame.into_html().as_bytes())?;
    Ok(())
}

/// The results: the answer in a frame, then changes and their basis, and unchanged workloads at the end.
fn found(sections: &[Section]) -> Markup {
    let of = |id: SectionId| sections.iter().filter(move |section| section.id == id && section.forms.page);
    let said = |id: SectionId| html! { @for section in of(id) { (prose(section)) } };
    let titled = |id: SectionId| {
        html! { @for section in of(id) { @if let Some(title) = section.title.text() { h2 { (title) } } (blocks(&section.blocks)) } }
    };
    let nested = |id: SectionId| {
        html! { @for section in of(id) { @if let Some(title) = section.title.text() { h3 { (title) } } (blocks(&section.blocks)) } }
    };
    html! {
        section.answer {
            h2.headline { (said(SectionId::Headline)) }
            p.hint { (said(SectionId::Summary)) }
            (nested(SectionId::OverEverything))
            (nested(SectionId::OverWorkloads))
        }
        (titled(SectionId::NewlyFailed))
        (titled(SectionId::Changed))
        p.hint { (said(SectionId::Explanation)) }
        (titled(SectionId::Differences))
        (titled(SectionId::Warnings))
        (titled(SectionId::Notes))
        h2 { "The rest" }
        @for section in of(SectionId::Unchanged) {
            details {
                @if let Some(title) = section.title.text() { summary { (title) } }
                (blocks(&section.blocks))
            }
        }
        (titled(SectionId::Cited))
    }
}
