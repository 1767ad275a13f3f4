//! Measurements that only some phases or cells have, such as background work. They form one group per subject, workload
//! and circumstances, with the rounds of every store.

use std::collections::BTreeMap;

use bakeoff_protocol::PhaseResult;

use crate::cell_rounds::CellRound;
use crate::circumstances::Circumstances;
use crate::contender::Contenders;
use crate::run::Run;
use crate::verdict::{Column, Size};

/// One store's rounds of such a measurement.
pub trait Gathered: Default {
    /// The part of a round that has it: a phase's result, or the whole round.
    type Part;
    /// What distinguishes groups besides the workload: the name of a phase, or a kind of cells.
    type Subject: Ord + Clone;

    /// The parts of a round, each with its subject.
    fn parts(cell: &CellRound) -> Vec<(Self::Subject, &Self::Part)>;

    /// Adds a round's part.
    fn add(&mut self, part: &Self::Part);

    /// Stores are sorted by this figure, ascending, then by key.
    fn order(&self) -> f64 {
        0.0
    }
}

/// A group to compare.
pub struct Group<'a, G: Gathered> {
    /// Its circumstances.
    pub circumstances: Circumstances,
    /// Its subject.
    pub subject: G::Subject,
    /// Smallest and largest value size.
    pub size: Size,
    /// Data type and number of records.
    pub column: Column,
    /// Every store that has the measurement, with its key, in order.
    pub stores: Vec<(&'a str, G)>,
}

/// What identifies a group.
type Place<G> = (Circumstances, <G as Gathered>::Subject, Size, Column);

/// Collects the measurement from all cells that never failed, grouped by circumstances, subject and workload.
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

/// The results of phases that have the measurement, with their names.
pub(crate) fn phases_that(cell: &CellRound, concerns: fn(&PhaseResult) -> bool) -> Vec<(String, &PhaseResult)> {
    let results = cell.phases.iter().map(|phase| &phase.result);
    results.filter(|result| concerns(result)).map(|result| (result.phase.clone(), result)).collect()
}
