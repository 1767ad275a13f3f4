//! What the stores of a pick cost by every measure, and what those that lost are better at.

use std::collections::BTreeMap;

use bakeoff_results::goal::{Goal, application, operations_of};
use bakeoff_stats::{CommonScatter, Ranking, compare_among};
use bakeoff_text::{listed, or_dash, ratio};

use crate::document::{Block, Cell, Column, Table};
use crate::sections::pick::picked::Picked;
use bakeoff_results::pick::{CLOSE, CONFIDENCE, PICK_ASKED, costs};

/// The costs of every round of every store by a measure.
struct Costs {
    goal: Goal,
    rounds: BTreeMap<String, Vec<f64>>,
}

/// A row a store, best first, a column a measure; then what the others are better at.
pub(crate) fn blocks(picked: &Picked<'_>, ranking: &Ranking) -> Vec<Block> {
    let of = |goal| Costs { goal, rounds: costs(&picked.run.cells, PICK_ASKED, |cell| goal.cost(cell)) };
    let all: Vec<Costs> = shown(picked).map(of).collect();
    let heads = all.iter().map(|costs| Column::right(heading(costs.goal)));
    let names = [Column::left("store"), Column::right("rounds")];
    let mut table = Table::new(1, names.into_iter().chain(heads).collect());
    let mut is_all_told = true;
    for place in &ranking.order {
        let operations = operations_of_rounds(picked, &place.name);
        let mut row = vec![Cell::from(picked.title(&place.name)), Cell::from(place.rounds.to_string())];
        row.extend(all.iter().map(|Costs { goal, rounds }| {
            let mean = rounds.get(&place.name).and_then(|rounds| bakeoff_stats::mean(rounds));
            let told = mean.filter(|_| goal.is_told(&operations));
            is_all_told &= mean.is_none() || told.is_some();
            Cell::from(or_dash(told, |mean| goal.show(mean)))
        }));
        table.row(row);
    }
    let few = "A percentile that too few operations tell is –: ten at least must lie beyond it.";
    let remarks = [(!is_all_told).then(|| few.to_owned()), paused(picked, ranking)];
    let remarks = remarks.into_iter().flatten().map(|remark| Block::paragraph_at(1, remark));
    std::iter::once(Block::Table(table)).chain(remarks).chain(better_at(picked, ranking, &all)).collect()
}

/// Which stores have fewer rounds though they were in the race at its end; `None` if there are none.
fn paused(picked: &Picked<'_>, ranking: &Ranking) -> Option<String> {
    let most = ranking.order.iter().map(|place| place.rounds).max().unwrap_or(0);
    let is_dropped = |name: &String| picked.facts.dropped.iter().any(|each| each.store == *name);
    // One less is of a round that the time ended in.
    let paused = ranking.order.iter().filter(|place| place.rounds + 1 < most && !is_dropped(&place.name));
    let paused: Vec<String> = paused.map(|place| picked.title(&place.name)).collect();
    (!paused.is_empty()).then(|| {
        format!(
            "Fewer rounds of {}: out of the race as worse, until later rounds of the best were no better.",
            listed(&paused)
        )
    })
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

/// How many times as much a figure is as another, of how many times it costs: a rate is compared by its inverse.
fn as_shown(goal: Goal, times: f64) -> f64 {
    if goal == Goal::Throughput { times.recip() } else { times }
}

/// Operations of each round of what was asked.
fn operations_of_rounds(picked: &Picked<'_>, store: &str) -> Vec<u64> {
    let asked = picked.cells(PICK_ASKED).filter(|cell| cell.end.axes.store == store && cell.is_ok());
    asked.filter_map(application).map(operations_of).collect()
}

/// For each store that is not the best: where it is better than the best, beyond doubt and by enough to matter.
fn better_at(picked: &Picked<'_>, ranking: &Ranking, all: &[Costs]) -> Vec<Block> {
    let others = &ranking.order[1..];
    let comparisons = (others.len() * all.len()).max(1);
    let scatter: Vec<Option<CommonScatter>> =
        all.iter().map(|costs| CommonScatter::of(costs.rounds.values().map(Vec::as_slice))).collect();
    let confidence = 1.0 - (1.0 - CONFIDENCE) / comparisons as f64;
    let best = picked.title(&ranking.best);
    let mut lines = Vec::new();
    for place in others {
        let better = all.iter().zip(&scatter).filter_map(|(Costs { goal, rounds }, scatter)| {
            let (own, of_best) = (rounds.get(&place.name)?, rounds.get(&ranking.best)?);
            let interval = compare_among(scatter.as_ref(), own, of_best, confidence, 1)?;
            (interval.high < 1.0 && interval.estimate < 1.0 / CLOSE)
                .then(|| format!("{} ({})", heading(*goal), ratio(as_shown(*goal, interval.estimate))))
        });
        let better: Vec<String> = better.collect();
        if !better.is_empty() {
            lines.push(format!("{} is better than {best} in {}.", picked.title(&place.name), listed(&better)));
        }
    }
    if lines.is_empty() { Vec::new() } else { vec![Block::Gap, Block::list(lines)] }
}
