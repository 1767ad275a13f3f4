//! Who leads so far, for the display of a run that goes on.

use bakeoff_protocol::{Axes, StoreDescription};
use bakeoff_text::{format_count, format_size_range, printable, ratio, time};

use crate::cell_rounds::CellRound;
use crate::circumstances::is_same_but_contender;
use crate::contender::Contenders;
use crate::figures::Measure;
use crate::verdict::{Column, Field, Size, gather};

/// A line for each timed measure of the workload that `axes` belong to (whichever store they name): who leads by the mean
/// of the rounds so far, and who follows. No verdict: intervals are for the end.
///
/// `rounds` are all results so far, `stores` the descriptions that give titles and say who is never ranked.
pub fn live_leaders(rounds: &[CellRound], stores: &[StoreDescription], axes: &Axes) -> Vec<String> {
    let cells: Vec<&CellRound> = rounds.iter().filter(|round| is_same_but_contender(&round.end.axes, axes)).collect();
    let contenders = Contenders::new(&cells, stores);
    let mut leaders = Vec::new();
    for table in gather(&cells, &contenders) {
        for measure in table.measures.iter().filter(|measure| measure.is_time()) {
            let fields = table.places_of(measure);
            leaders.extend(fields.filter_map(|((_, size, column), field)| {
                Some(format!("{}: {}", workload(measure, *size, column), standing(field, &contenders)?))
            }));
        }
    }
    leaders
}

fn workload(measure: &Measure, size: Size, column: &Column) -> String {
    let data = printable(&column.data);
    format!("{} {} × {} {data}", measure.label(), format_size_range(size.0, size.1), format_count(column.records))
}

/// `SQLite 3.21 µs (then LMDB 1.2×)`.
fn standing(field: &Field, contenders: &Contenders) -> Option<String> {
    let mut means: Vec<(f64, &String)> =
        field.rounds.iter().filter_map(|(key, rounds)| Some((rounds.centre()?, key))).collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (best, key) = means.first()?;
    let then = match means.get(1) {
        Some((second, key)) if *best > 0.0 => format!(" (then {} {})", contenders.title(key), ratio(second / best)),
        _ => String::new(),
    };
    Some(format!("{} {}{then}", contenders.title(key), time(*best)))
}
