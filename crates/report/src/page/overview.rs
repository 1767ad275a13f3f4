//! Many answers at a glance, before each of them in full: one line for each table, so that the first screen has every answer.

use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_stats::Verdict;
use maud::{Markup, html};

use crate::circumstances::varying;
use crate::labels::AHEAD;
use crate::page::first_place::{ahead, first_place};
use crate::page::html::{joined, scrolled, store, store_of, table_head};
use crate::page::labelled::RankedRun;
use bakeoff_results::analysis::Ranked;
use bakeoff_results::overall::{OftenFirst, Overall, Tally, most_often_first};

/// The id of a table's answer in full.
pub(crate) fn id(run: usize, table: usize) -> String {
    format!("answer-{run}-{table}")
}

/// A line of the overview.
struct Line<'a> {
    /// The id of the answer in full.
    id: String,
    /// Under which circumstances.
    label: String,
    /// The rankings.
    ranked: Ranked<'a>,
}

/// A line for each table of these runs; nothing if one answer is all there is.
pub(crate) fn overview(runs: &[&RankedRun], contenders: &Contenders) -> Markup {
    let lines = lines(runs);
    html! {
        @if lines.len() > 1 {
            section.answer #overview {
                h2.headline { (headline(&lines, contenders)) }
                (scrolled(html! {
                    table class="standings ranks" {
                        (table_head(&[
                            "under", "fastest", AHEAD, "least disk space", "least memory",
                        ]))
                        tbody { @for line in &lines { (row(line, contenders)) } }
                    }
                }))
            }
        }
    }
}

fn lines<'a>(runs: &[&'a RankedRun<'a>]) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for (place, (label, of_run)) in runs.iter().enumerate() {
        for (index, ranked) in of_run.ranked().enumerate() {
            let run = if runs.len() > 1 { format!("{label} · ") } else { String::new() };
            let circumstances = &ranked.table.circumstances;
            let (durability, varying) = (circumstances.durability_label(), varying(circumstances, ranked.tables));
            lines.push(Line { id: id(place, index), label: format!("{run}durability {durability}{varying}"), ranked });
        }
    }
    lines
}

fn row(of: &Line, contenders: &Contenders) -> Markup {
    let whole = of.ranked.whole();
    html! {
        tr {
            th scope="row" { a href={ "#" (of.id) } { (of.label) } }
            td {
                @match whole.filter(|_| of.ranked.depends().is_some()) {
                    Some(whole) => (either(whole, contenders)),
                    None => (first(whole, contenders)),
                }
            }
            td { @if let Some(whole) = whole { (ahead(&whole.ranking, contenders, " ")) } }
            td { (first(of.ranked.measure(&Measure::Space), contenders)) }
            td { (first(of.ranked.measure(&Measure::Memory), contenders)) }
        }
    }
}

/// Stores that share the first place since each of them wins something.
fn either(of: &Overall, contenders: &Contenders) -> Markup {
    let names: Vec<Markup> = of.ranking.tied.iter().map(|key| store_of(key, contenders)).collect();
    html! { (joined(&names, " or ")) " " span.word { "depending on the work" } }
}

fn first(of: Option<&Overall>, contenders: &Contenders) -> Markup {
    html! { @match of { Some(of) => (first_place(of, contenders)), None => "–" } }
}

/// Whether only one store was measured there.
fn is_alone(of: &Line) -> bool {
    of.ranked.whole().is_some_and(|whole| whole.ranking.verdict == Verdict::Alone)
}

/// In how many of all lines each store is fastest, or shares the first place.
fn headline(lines: &[Line], contenders: &Contenders) -> Markup {
    let answers = lines.iter().filter_map(|line| line.ranked.answer()).map(|whole| &whole.ranking);
    let places = most_often_first(&Tally::of_rankings(answers), contenders);
    if places.is_empty() && lines.iter().all(is_alone) {
        return html! { "Nothing to rank: each of these has one store" };
    }
    if places.is_empty() {
        return html! { "In none of " (lines.len()) " is it proven who is fastest" };
    }
    let parts: Vec<Markup> = places
        .iter()
        .enumerate()
        .map(|(rank, OftenFirst { contender, wins, ties })| {
            let of_all = if rank == 0 { format!(" of {}", lines.len()) } else { String::new() };
            html! {
                (store(contender))
                @match (wins, ties) {
                    (0, ties) => { " shares the first place in " (ties) (of_all) }
                    (wins, 0) => { " is fastest in " (wins) (of_all) }
                    (wins, ties) => { " is fastest in " (wins) (of_all) ", tied in " (ties) }
                }
            }
        })
        .collect();
    joined(&parts, "; ")
}
