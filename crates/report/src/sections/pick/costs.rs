//! What the stores of a pick cost by every measure, and where the losing ones are better.

use bakeoff_results::goal::Goal;
use bakeoff_results::pick_costs::{Cost, PickCosts, paused};
use bakeoff_stats::{Interval, Ranking};
use bakeoff_text::{listed, or_dash, ratio};

use crate::document::{Block, Cell, Column, Table};
use crate::sections::pick::picked::Picked;

/// A row a store, best first, a column a measure; then what the others are better at.
pub(crate) fn blocks(picked: &Picked<'_>, ranking: &Ranking) -> Vec<Block> {
    let costs = picked.outcome.costs();
    let heads = costs.goals().map(|goal| Column::right(heading(goal)));
    let names = [Column::left("store"), Column::right("rounds")];
    let mut table = Table::new(1, names.into_iter().chain(heads).collect());
    let mut is_all_told = true;
    for place in &ranking.order {
        let mut row = vec![Cell::from(picked.title(&place.name)), Cell::from(place.rounds.to_string())];
        let of_store = costs.of_store(&place.name);
        is_all_told &= !of_store.contains(&Cost::TooFew);
        row.extend(costs.goals().zip(of_store).map(|(goal, cost)| match cost {
            Cost::Told(mean) => Cell::from(goal.show(mean)),
            Cost::TooFew | Cost::Unknown => Cell::from(or_dash(None, |mean: f64| goal.show(mean))),
        }));
        table.row(row);
    }
    let few = "A percentile that too few operations tell is –: ten at least must lie beyond it.";
    let remarks = [(!is_all_told).then(|| few.to_owned()), describe_paused(picked, ranking)];
    let remarks = remarks.into_iter().flatten().map(|remark| Block::paragraph_at(1, remark));
    std::iter::once(Block::Table(table)).chain(remarks).chain(better_at(picked, ranking, costs)).collect()
}

/// Which stores have fewer rounds though they were in the race at its end; `None` if there are none.
fn describe_paused(picked: &Picked<'_>, ranking: &Ranking) -> Option<String> {
    let paused = paused(picked.facts(), ranking);
    (!paused.is_empty()).then(|| {
        format!(
            "Fewer rounds of {}: out of the race as worse, until later rounds of the best were no better.",
            picked.titles(&paused)
        )
    })
}

/// A measure as the head of a column.
pub(crate) fn heading(goal: Goal) -> &'static str {
    match goal {
        Goal::Mean => "mean",
        Goal::P50 => "median",
        Goal::P99 => "p99",
        Goal::P999 => "p99.9",
        Goal::SlowestCommit => "commit",
        Goal::Throughput => "rate",
        Goal::Space => "disk/data",
        Goal::PeakDisk => "peak/data",
        Goal::Memory => "memory",
        Goal::Cpu => "CPU/op",
        Goal::Open => "open",
        Goal::Recovery => "recovery",
    }
}

/// A factor of costs as a factor of shown figures: a rate is compared by its inverse.
fn as_shown(goal: Goal, times: f64) -> f64 {
    if goal == Goal::Throughput { times.recip() } else { times }
}

/// A line for each store that is better than the best at something.
fn better_at(picked: &Picked<'_>, ranking: &Ranking, costs: &PickCosts) -> Vec<Block> {
    let best = picked.title(&ranking.best);
    let describe =
        |(goal, by): &(Goal, Interval)| format!("{} ({})", heading(*goal), ratio(as_shown(*goal, by.estimate)));
    let line = |(store, better): (String, Vec<(Goal, Interval)>)| {
        let better: Vec<String> = better.iter().map(describe).collect();
        format!("{} is better than {best} in {}.", picked.title(&store), listed(&better))
    };
    let lines: Vec<String> = costs.better_at(ranking).into_iter().map(line).collect();
    if lines.is_empty() { Vec::new() } else { vec![Block::Gap, Block::list(lines)] }
}
