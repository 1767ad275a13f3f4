//! The current leaders, for the display of a running run.

use bakeoff_protocol::{Axes, StoreDescription};

use crate::cell_rounds::CellRound;
use crate::circumstances::is_same_but_contender;
use crate::contender::Contenders;
use crate::verdict::{Field, Position, gather};

/// The leader in a field by the mean of the rounds so far. Not a verdict: intervals come at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Leader {
    /// The field.
    pub place: Position,
    /// The store's title, safe to print.
    pub title: String,
    /// Its time, nanoseconds.
    pub ns: f64,
    /// The title of the runner-up, and its time as a multiple of the leader's. `None` if there is none.
    pub next: Option<(String, f64)>,
}

/// The leader for each timed measure of the workload that `axes` belong to (the store in `axes` does not matter).
///
/// `rounds` are all results so far. `stores` are the descriptions, for titles and for what is never ranked.
pub fn live_leaders(rounds: &[CellRound], stores: &[StoreDescription], axes: &Axes) -> Vec<Leader> {
    let cells: Vec<&CellRound> = rounds.iter().filter(|round| is_same_but_contender(&round.end.axes, axes)).collect();
    let contenders = Contenders::new(&cells, stores);
    let mut leaders = Vec::new();
    for table in gather(&cells, &contenders) {
        for measure in table.measures.iter().filter(|measure| measure.is_time()) {
            leaders.extend(table.places_of(measure).filter_map(|(place, field)| leader(place, field, &contenders)));
        }
    }
    leaders
}

fn leader(place: &Position, field: &Field, contenders: &Contenders) -> Option<Leader> {
    let mut means: Vec<(f64, &String)> =
        field.rounds.iter().filter_map(|(key, rounds)| Some((rounds.centre()?, key))).collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ns, key) = *means.first()?;
    let next = means.get(1).filter(|_| ns > 0.0).map(|(second, key)| (contenders.title(key), second / ns));
    Some(Leader { place: place.clone(), title: contenders.title(key), ns, next })
}
