//! The report as one HTML file that needs nothing else: no request leaves it (its Content-Security-Policy says so), it can be
//! sent, kept and printed.
//!
//! ```text
//! Run ─Analysis→ rankings, sections ─answer, blocks→ first screen, plain HTML
//!  │    └─Contests→ figures ─JSON, gzip→ what the page's script filters and draws
//!  └────rows_of→ tidy table ─JSON, gzip→ what can be saved from the page
//! ```
//! The script in `web/` only chooses and draws. Invariants: maud escapes every text because of its type;
//! the script takes texts from compressed JSON, and never as markup; scripts run only if their hash is in the policy.

mod against;
mod answer;
mod asked;
mod axes;
pub(crate) mod blocks;
mod course;
mod facts;
mod failures;
mod figure;
mod figures;
mod first_place;
mod flame_graphs;
pub(crate) mod frame;
pub(crate) mod html;
mod interactive;
mod labelled;
mod links;
mod map;
mod method;
mod over;
mod overview;
mod payload;
mod pick;
mod placed;
mod provenance;
mod published;
mod race;
mod raw_table;
mod run_differences;
mod scale;
mod standings;
mod style;
mod warnings;

use std::io::Write;
use std::path::Path;
use std::rc::Rc;

use bakeoff_results::citation::{CITE, citation};
use bakeoff_results::contender::Contenders;
use bakeoff_results::published::Published;
use bakeoff_results::run::Run;
use bakeoff_text::listed;
use maud::{Markup, html};

use crate::detail::Detail;
use crate::document::{Form, Section, Text};
use crate::error::ReportError;
use crate::measured::measured;
use crate::page::frame::{Frame, theme_button};
use crate::page::html::{folded, is_empty};
use crate::page::labelled::{Labelled, RankedRun, labelled, suite_titles, title_suffix};
use crate::page::placed::{Place, placed};
use crate::sections::answer::upper_first;
use crate::sections::report;
use bakeoff_results::analysis::Analysis;

/// Libraries, each a separate script, as their authors publish them.
const LIBRARIES: [&str; 2] = [include_str!("../web/vendor/d3.min.js"), include_str!("../web/vendor/plot.umd.min.js")];

/// The sources of scripts.
macro_rules! scripts {
    ($($name:literal),*) => {
        &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/js/", $name))),*]
    };
}

/// The page's own script, in parts that are one module.
const SCRIPT: &[&str] = include!("../web/scripts.rs");

/// Writes the page for these runs, with a publication's figures next to theirs. A run's directory gives it its label.
/// `place` is the directory that the page will be in, from which links to files of the runs lead.
///
/// # Errors
/// `out` takes no more, or a publication was to be compared with a profiled run.
pub fn write_page(
    runs: &[Analysis],
    against: Option<&Published>,
    place: &Path,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    if against.is_some() {
        runs.iter().try_for_each(|of| of.run.must_be_measured())?;
    }
    let contenders = runs.first().map(|of| Rc::clone(&of.contenders)).unwrap_or_default();
    let analysed = labelled(runs);
    let runs: Vec<Labelled> = analysed.iter().map(|(label, of)| (label.as_str(), of.run)).collect();
    let title = title(&runs);
    let frame = Frame {
        title: &title,
        body: body(&title, &runs, &analysed, against, &contenders, place),
        data: payload::data(&runs, &analysed, against, &contenders, place)?,
        libraries: &LIBRARIES,
        script: &SCRIPT.concat(),
    };
    out.write_all(frame.into_html().as_bytes())?;
    Ok(())
}

fn title(runs: &[Labelled]) -> String {
    let mut titles = suite_titles(runs);
    titles.dedup();
    if titles.is_empty() { "bakeoff".to_owned() } else { listed(&titles) }
}

/// All that is read.
fn body(
    title: &str,
    runs: &[Labelled],
    analysed: &[RankedRun],
    against: Option<&Published>,
    contenders: &Contenders,
    place: &Path,
) -> Markup {
    let warnings = warnings::items(analysed, contenders);
    let summary = measured(&runs.iter().map(|(_, run)| *run).collect::<Vec<_>>());
    html! {
        a.skip href="#heat" { "Skip to the figures" }
        header {
            div {
                p.brand { "bakeoff" }
                h1 { (title) }
                p.summary { (summary) }
                p class="summary place" { (facts::place(runs, warnings.len())) }
            }
            nav aria-label="Parts of the page" {
                a href="#heat" { "Heatmap" } " " a href="#matrix" { "Matrix" } " " a href="#charts" { "Pictures" } " "
                a href="#behind" { "Method and data" } " "
                (theme_button())
            }
        }
        main {
            (first_screen(runs, analysed, against, &warnings, contenders, place))
            (interactive::interactive())
            section aria-labelledby="behind" {
                h2 #behind { "Method and data" }
                (method::method())
                (provenance::provenance(runs, contenders, place))
                (interactive::downloads())
            }
        }
        footer { @for (_, run) in runs { p { (upper_first(CITE)) ": " (citation(run)) } } }
        div #pop role="tooltip" hidden {}
    }
}

/// The first screen: answers, problems that spoil them, and the measured axes.
fn first_screen(
    runs: &[Labelled],
    analysed: &[RankedRun],
    against: Option<&Published>,
    warnings: &[Markup],
    contenders: &Contenders,
    place: &Path,
) -> Markup {
    let sections: Vec<Vec<Section>> =
        analysed.iter().map(|(_, of)| report(of, Detail::Usual, Form::Page).sections).collect();
    // Who is best at a rate that some others never had is no answer to what the highest one is; who is best while profiled, to nothing. A map
    // has an answer for each place.
    let is_ranked = |run: &Run| run.find_rate().is_none() && run.profile().is_none() && run.record.map.is_none();
    let ranked: Vec<&RankedRun> = analysed.iter().filter(|(_, of)| is_ranked(of.run)).collect();
    let (overview, answers) = (overview::overview(&ranked, contenders), answers(&ranked));
    let asked = asked::answers(analysed, &sections, contenders);
    // Many answers in full would push the measured axes and the problems off the first screen. The fastest store over
    // all phases is no second answer to a pick's need.
    let (first, more) = if !is_empty(&asked) && !is_empty(&answers) {
        (html! {}, folded("All that was measured, loading too", html! { (overview) (answers) }))
    } else if is_empty(&overview) {
        (answers, html! {})
    } else {
        (overview, answers)
    };
    html! {
        (facts::few(runs))
        (run_differences::section(runs))
        @for (_, run) in runs { (flame_graphs::section(run, contenders, place)) }
        (asked)
        (first)
        @if let Some(published) = against {
            @for (label, of) in analysed { (against::section(of, published, &title_suffix(label, runs.len()))) }
        }
        (warnings::section(warnings))
        div.about { @for (label, run) in runs { (facts::facts(label, run)) } }
        (more)
        @for ((label, _), sections) in runs.iter().zip(&sections) {
            @for section in placed(sections, Place::Below) {
                @let title = section.title.text().map(Text::to_plain).unwrap_or_default();
                (folded(&format!("{title}{}", title_suffix(label, runs.len())), blocks::blocks(&section.blocks)))
            }
        }
    }
}

/// The answers of all runs, in full.
fn answers(runs: &[&RankedRun]) -> Markup {
    html! {
        @for (place, (label, of_run)) in runs.iter().enumerate() {
            @if runs.len() > 1 { h2.run { (label) } }
            @if of_run.tables().is_empty() { p.headline { "Nothing was measured." } }
            @for (index, ranked) in of_run.ranked().enumerate() {
                (answer::answer(ranked, of_run, &overview::id(place, index)))
            }
        }
    }
}
