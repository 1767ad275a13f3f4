//! What the stores of a pick cost by every measure, and what those that lost are better at.

use bakeoff_stats::{CommonScatter, Ranking, compare_among};

use crate::format::{listed, ratio};
use crate::pick::answer::Picked;
use crate::pick::{CONFIDENCE, Goal, PICK_ASKED, costs, operations_done};
use crate::table::{Side, Text, TextTable, paragraph};

/// A row a store, best first, a column a measure; then what the others are better at.
pub(crate) fn cost_table(picked: &Picked<'_>, ranking: &Ranking, width: usize, color: bool) -> String {
    let goals: Vec<Goal> = shown(picked).collect();
    let mut sides = vec![Side::Left, Side::Right];
    sides.extend(goals.iter().map(|_| Side::Right));
    let mut table = TextTable::new(sides);
    let mut head = vec![Text::plain("  store"), Text::plain("rounds")];
    head.extend(goals.iter().map(|goal| Text::plain(heading(*goal))));
    table.row(head);
    for place in &ranking.order {
        let mut row =
            vec![Text::plain(format!("  {}", picked.title(&place.name))), Text::plain(place.rounds.to_string())];
        row.extend(goals.iter().map(|goal| {
            let rounds = rounds_of(picked, &place.name, *goal);
            let mean = bakeoff_stats::mean(&rounds);
            let told = goal.is_told(&operations_of(picked, &place.name));
            Text::plain(mean.filter(|_| told).map_or_else(|| "–".to_owned(), |mean| goal.show(mean)))
        }));
        table.row(row);
    }
    let mut out = table.render(width, color);
    out.push_str(&better_at(picked, ranking, width));
    out
}

/// The measures of the table. The median is the one that is missed least where all do not fit a line.
fn shown(picked: &Picked<'_>) -> impl Iterator<Item = Goal> {
    let optimize = picked.facts.optimize;
    Goal::ALL.into_iter().filter(move |goal| *goal != Goal::P50 || optimize == Goal::P50)
}

/// A measure as the head of a column.
fn heading(goal: Goal) -> &'static str {
    match goal {
        Goal::Mean => "mean",
        Goal::P50 => "median",
        Goal::P99 => "p99",
        Goal::P999 => "p99.9",
        Goal::Throughput => "rate",
        Goal::Space => "disk/data",
        Goal::Memory => "memory",
        Goal::Cpu => "CPU/op",
    }
}

/// Operations of each round of what was asked.
fn operations_of(picked: &Picked<'_>, store: &str) -> Vec<u64> {
    let asked = picked.cells(PICK_ASKED).filter(|cell| cell.end.axes.store == store && cell.is_ok());
    asked.filter_map(operations_done).collect()
}

fn rounds_of(picked: &Picked<'_>, store: &str, goal: Goal) -> Vec<f64> {
    costs(&picked.run.cells, PICK_ASKED, goal).remove(store).unwrap_or_default()
}

/// For each store that is not the best: where it is better than the best, beyond doubt.
fn better_at(picked: &Picked<'_>, ranking: &Ranking, width: usize) -> String {
    let others = &ranking.order[1..];
    let comparisons = (others.len() * shown(picked).count()).max(1);
    let scatter: Vec<(Goal, Option<CommonScatter>)> = shown(picked)
        .map(|goal| {
            let all = costs(&picked.run.cells, PICK_ASKED, goal);
            (goal, CommonScatter::of(all.values().map(Vec::as_slice)))
        })
        .collect();
    let confidence = 1.0 - (1.0 - CONFIDENCE) / comparisons as f64;
    let best = picked.title(&ranking.best);
    let mut out = String::new();
    for place in others {
        let better = scatter.iter().filter_map(|(goal, scatter)| {
            let (own, of_best) = (rounds_of(picked, &place.name, *goal), rounds_of(picked, &ranking.best, *goal));
            let interval = compare_among(scatter.as_ref(), &own, &of_best, confidence, 1)?;
            (interval.high < 1.0).then(|| format!("{} ({})", heading(*goal), ratio(interval.estimate)))
        });
        let better: Vec<String> = better.collect();
        if !better.is_empty() {
            let text = format!("{} costs less than {best} in {}.", picked.title(&place.name), listed(&better));
            out.push_str(&paragraph(&text, width, "  ", "    "));
        }
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}
