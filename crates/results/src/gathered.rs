//! What only some phases or cells have, such as background work: a group for each of them on each workload under each of the circumstances,
//! with the rounds of every store in it.

use std::collections::BTreeMap;

use bakeoff_protocol::PhaseResult;

use crate::cell_rounds::CellRound;
use crate::circumstances::Circumstances;
use crate::contender::Contenders;
use crate::run::Run;
use crate::verdict::{Column, Size};

/// What one store's rounds have of it.
pub trait Gathered: Default {
    /// What a round has of it: a phase's result, or the whole round.
    type Part;
    /// What a group is of besides its workload: a phase, by its name, or a kind of cells.
    type Subject: Ord + Clone;

    /// What a round has of it, each with its subject.
    fn parts(cell: &CellRound) -> Vec<(Self::Subject, &Self::Part)>;

    /// Adds a round's part.
    fn add(&mut self, part: &Self::Part);

    /// Stores are in this figure's order, the least first, and by key where it is the same.
    fn order(&self) -> f64 {
        0.0
    }
}

/// What is compared with each other.
pub struct Group<'a, G: Gathered> {
    /// Under which circumstances.
    pub circumstances: Circumstances,
    /// What it is of.
    pub subject: G::Subject,
    /// Smallest and largest value.
    pub size: Size,
    /// Data type and number of records.
    pub column: Column,
    /// Every store that has it, by its key, in order.
    pub stores: Vec<(&'a str, G)>,
}

/// Where a group is.
type Place<G> = (Circumstances, <G as Gathered>::Subject, Size, Column);

/// Everything that cells which never failed have of it, by circumstances, subject and workload.
pub fn gather<'a, G: Gathered>(run: &Run, contenders: &'a Contenders) -> Vec<Group<'a, G>> {
    let mut groups: BTreeMap<Place<G>, BTreeMap<&str, G>> = BTreeMap::new();
    for cell in run.counted() {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes) else { continue };
        for (subject, part) in G::parts(cell) {
            let column = Column { data: axes.data.clone(), records: axes.records };
            let place = (Circumstances::of(axes), subject, (axes.value_bytes_min, axes.value_bytes_max), column);
            groups.entry(place).or_default().entry(&contender.key).or_default().add(part);
        }
    }
    let group = |((circumstances, subject, size, column), stores): (Place<G>, BTreeMap<&'a str, G>)| {
        let mut stores: Vec<(&str, G)> = stores.into_iter().collect();
        stores.sort_by(|(_, a), (_, b)| a.order().total_cmp(&b.order()));
        Group { circumstances, subject, size, column, stores }
    };
    groups.into_iter().map(group).collect()
}

/// The results of those phases that have what is gathered, with their names.
pub(crate) fn phases_that(cell: &CellRound, concerns: fn(&PhaseResult) -> bool) -> Vec<(String, &PhaseResult)> {
    let results = cell.phases.iter().map(|phase| &phase.result);
    results.filter(|result| concerns(result)).map(|result| (result.phase.clone(), result)).collect()
}
