//! The answer of one table of rankings on the first screen, as plain HTML that needs no script: who is best at what and by how
//! much, under which promise.

use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_stats::{Ranking, TIED_WITHIN, Verdict};
use bakeoff_text::{counted, ratio};
use maud::{Markup, html};

use crate::circumstances::varying;
use crate::labels::{AHEAD, undecided};
use crate::page::first_place::{ahead, first_place};
use crate::page::html::{is_empty, store_of, stores, table_head};
use crate::page::standings::standings;
use crate::sections::answer::{
    Promise, describe_comparisons, describe_depends, describe_flushes_of, describe_power_cut, fastest, promise,
};
use bakeoff_results::analysis::{Analysis, Ranked};
use bakeoff_results::overall::{Overall, next};

/// What memory is, where stores are compared by it.
const MEMORY_COUNTS: &str = "Memory counts the pages of files that a store maps. It does not count what the page cache holds for stores that read and write files.";

/// The answer of one table: a sentence on speed, one on space and memory, and a line for each operation.
pub(crate) fn answer(of: Ranked, analysis: &Analysis, id: &str) -> Markup {
    let contenders = &*analysis.contenders;
    let lines: Vec<(&Measure, &Overall)> = of
        .table
        .measures
        .iter()
        .zip(of.measures())
        .filter_map(|(measure, overall)| Some((measure, overall.as_ref()?)))
        .collect();
    let least = |wanted: Measure| lines.iter().find(|(measure, _)| **measure == wanted).map(|(_, overall)| *overall);
    let others = [("Least disk space", least(Measure::Space)), ("Least memory", least(Measure::Memory))];
    let whole = of.whole();
    html! {
        section.answer id=(id) {
            (promise_line(of))
            (headline(of, contenders))
            @if let Some(left) = describe_power_cut(of.table, contenders) {
                p.promise { b { "After a power cut" } ": " span { (left) } }
            }
            @if let Some(share) = describe_flushes_of(of.table, analysis) {
                p.promise { b { "Flushes" } ": " span { (share) } }
            }
            p.others {
                @for (title, overall) in others { @if let Some(overall) = overall { (other(title, overall, contenders)) } }
                @if let Some(whole) = whole { (left_out(whole, contenders)) }
            }
            @if let Some(whole) = whole.filter(|whole| has_margin(of, whole)) { (margins(whole)) }
            @if others[1].1.is_some_and(|memory| memory.ranking.order.len() > 1) { p.hint { (MEMORY_COUNTS) } }
            (workloads(of, contenders))
            (standings(of.table, &lines, contenders))
        }
    }
}

/// What the figures of a table have in common: the promise, and what differs between tables.
fn promise_line(of: Ranked) -> Markup {
    let Promise { class, meaning } = promise(of.table.circumstances.durability());
    html! { p.promise { b { (class) } (varying(&of.table.circumstances, of.tables)) ": " span { (meaning) } } }
}

/// Whether the headline gives a margin, which is to be explained.
fn has_margin(of: Ranked, whole: &Overall) -> bool {
    whole.ranking.verdict != Verdict::Unproven && next(&whole.ranking).is_some() && of.depends().is_none()
}

/// What the figures in the answer are.
fn margins(of: &Overall) -> Markup {
    html! {
        p.hint {
            "Geometric means over " (describe_comparisons(of)) "; in brackets where the true ratio lies, with 95 % confidence."
        }
    }
}

/// Who to take, in a sentence.
fn headline(of: Ranked, contenders: &Contenders) -> Markup {
    let sentence = of.whole().map_or_else(
        || html! { "No workload has figures of every store that never failed: see the matrix." },
        |whole| best(of, whole, contenders),
    );
    html! { h2.headline { (sentence) } }
}

fn best(of: Ranked, whole: &Overall, contenders: &Contenders) -> Markup {
    let Overall { ranking, .. } = whole;
    let first = stores(&ranking.tied, contenders);
    let ahead = ahead(ranking, contenders, " faster than ");
    if let Some(depends) = of.depends() {
        return html! { (describe_depends(depends, contenders)) };
    }
    match ranking.verdict {
        Verdict::Winner => html! { (first) " is fastest of " (counted(ranking.order.len(), "store")) ": " (ahead) },
        Verdict::Tie => html! {
            (first) " are fastest, within " (TIED_WITHIN) "×" @if !is_empty(&ahead) { ": " (ahead) }
        },
        Verdict::Undecided => html! {
            (first) @if ranking.tied.len() == 1 { " is" } @else { " are" } " first by figures, and not told apart from "
            (undecided(whole, contenders).unwrap_or_default())
            @if !is_empty(&ahead) { "; " (ahead) }
        },
        Verdict::Unproven => html! {
            (first) " is first by its figures: too few rounds to prove it" (lead(ranking, contenders))
        },
        Verdict::Alone => html! { (first) " was measured without a competitor" },
    }
}

/// By how much the first one leads though nothing is proven.
fn lead(ranking: &Ranking, contenders: &Contenders) -> Markup {
    html! {
        @if let Some(second) = ranking.order.get(1) {
            " "
            span.interval {
                "(as it stands " (ratio(ranking.times_the_best(second))) " faster than "
                (store_of(&second.name, contenders)) ")"
            }
        }
    }
}

/// Who is fastest in each workload, by how much, with the interval; or who shares the first place.
fn workloads(of: Ranked, contenders: &Contenders) -> Markup {
    let words = |overall: &Overall| [first_place(overall, contenders), ahead(&overall.ranking, contenders, " ")];
    let (rows, fold) = fastest(of, words);
    let (shown, folded) = rows.split_at(fold.as_ref().map_or(rows.len(), |fold| fold.shown));
    let table = |rows: &[(String, [Markup; 2])]| {
        html! {
            table class="standings workloads" {
                (table_head(&["workload", "fastest", AHEAD]))
                tbody {
                    @for (workload, words) in rows {
                        tr { th scope="row" { (workload) } @for of in words { td { (of) } } }
                    }
                }
            }
        }
    };
    html! {
        @if !shown.is_empty() {
            h3 { "Fastest in each workload, over all operations" }
            (table(shown))
            @if let Some(fold) = &fold {
                details.more { summary { (fold.rest) } (table(folded)) }
            }
            h3 { "Each operation, over all workloads" }
        }
    }
}

/// Who is best at something else than speed.
fn other(title: &str, of: &Overall, contenders: &Contenders) -> Markup {
    let next = ahead(&of.ranking, contenders, " ahead of ");
    html! { span { b { (title) } " " (first_place(of, contenders)) @if !is_empty(&next) { ", " (next) } } }
}

/// Stores that are not ranked, and why.
fn left_out(of: &Overall, contenders: &Contenders) -> Markup {
    let reasons = [("Failed somewhere, not ranked", &of.left_out), ("No whole round, not ranked", &of.incomplete)];
    html! {
        @for (why, keys) in reasons {
            @if !keys.is_empty() {
                span.failed { b { (why) } " " (stores(&keys.iter().cloned().collect::<Vec<_>>(), contenders)) }
            }
        }
    }
}
