//! A line for each operation: who is best, how far ahead, in how many workloads, and everyone on a scale.

use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::verdict::Table;
use bakeoff_stats::Ranking;
use bakeoff_text::ratio;
use maud::{Markup, html};

use crate::labels::AHEAD;
use crate::page::first_place::{ahead, first_place};
use crate::page::html::{marks, scrolled};
use bakeoff_results::overall::{FirstPlaces, Overall};

/// Largest ratios that a scale may end at.
const SCALE_ENDS: [f64; 10] = [2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0, 10_000.0, 100_000.0];

/// Ratios that a scale may name.
const TICKS: [f64; 10] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0, 10_000.0, 100_000.0];

/// More numbers than this would run into each other.
const TICKS_MAX: usize = 6;

/// The table of all operations of a table of rankings.
pub(crate) fn standings(table: &Table, lines: &[(&Measure, &Overall)], contenders: &Contenders) -> Markup {
    let rankings = lines.iter().map(|(_, overall)| &overall.ranking);
    let all = rankings.flat_map(|ranking| ranking.order.iter().map(|place| ranking.times_the_best(place)));
    let furthest = all.filter(|times| times.is_finite()).fold(1.0, f64::max);
    let end = SCALE_ENDS.into_iter().find(|end| *end >= furthest).unwrap_or(furthest);
    scrolled(html! {
        table class="standings ranks" {
            thead { tr {
                th scope="col" { "operation" }
                th scope="col" { "best" }
                th scope="col" { (AHEAD) }
                th scope="col" { "workloads" }
                th.scale scope="col" { (ticks(end)) }
            } }
            tbody { @for (measure, overall) in lines { (standing(table, measure, overall, contenders, end)) } }
        }
    })
}

fn standing(table: &Table, measure: &Measure, of: &Overall, contenders: &Contenders, end: f64) -> Markup {
    let ranking = &of.ranking;
    let first = FirstPlaces::of(table, measure, ranking);
    html! {
        tr {
            th scope="row" { (measure.label()) }
            td { (first_place(of, contenders)) }
            td { (ahead(ranking, contenders, " ")) }
            td.won { (describe_wins(&first, contenders)) }
            td.scale { div.strip { (dots(ranking, contenders, end)) } }
        }
    }
}

/// In how many of all workloads those in the first place of all win or share the first place.
fn describe_wins(of: &FirstPlaces, contenders: &Contenders) -> String {
    let FirstPlaces { wins, ties, open, is_alone, comparisons: all } = of;
    // Stores that are alike over all workloads need not be so in any.
    if wins.len() > 1 {
        let each: Vec<String> =
            wins.iter().map(|(key, wins)| format!("{} wins {wins}", contenders.title(key))).collect();
        let ties = if *ties > 0 { format!(", tied in {ties}") } else { String::new() };
        return format!("{}{ties}, of {all}", each.join(", "));
    }
    match (wins.values().sum::<usize>(), ties) {
        (0, 0) if *is_alone => "no competitor".to_owned(),
        (0, 0) if *open > 0 => format!("first in {open} of {all}, not proven"),
        (0, 0) => format!("wins none of {all}"),
        (0, _) => format!("tied in {ties} of {all}"),
        (wins, 0) => format!("wins {wins} of {all}"),
        (wins, _) => format!("wins {wins}, tied in {ties}, of {all}"),
    }
}

/// Everyone's dot, at the logarithm of how many times worse than the best it is. The best comes last, so that it lies on top.
fn dots(ranking: &Ranking, contenders: &Contenders, end: f64) -> Markup {
    html! {
        @for place in ranking.order.iter().rev() {
            @let times = ranking.times_the_best(place);
            @let share = (times.max(1.0).ln() / end.ln()).clamp(0.0, 1.0) * 100.0;
            i class={ "dot " (marks(contenders.slot(&place.name))) } style=(format!("left:{share:.1}%"))
                title=(format!("{} {}", contenders.title(&place.name), ratio(times))) {}
        }
    }
}

/// The numbers above the dots.
fn ticks(end: f64) -> Markup {
    let shown: Vec<f64> = TICKS.into_iter().filter(|tick| *tick <= end).collect();
    let step = shown.len().div_ceil(TICKS_MAX).max(1);
    html! {
        div.ticks {
            "times the best "
            @for tick in shown.iter().step_by(step) {
                span style=(format!("left:{:.1}%", tick.ln() / end.ln() * 100.0)) { (tick) "×" }
            }
        }
    }
}
