//! Results → contests: one for each workload and kind of operation in a phase (or the cell as a whole), in it every store's
//! figures under every measure. Only rounds of cells that never failed count.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Latency, Mode, PhaseResult};
use bakeoff_results::cell_rounds::{CellRound, failed_cells, phase_order};
use bakeoff_results::contender::{Contender, Contenders};
use bakeoff_results::figures::{asked_per_second, is_per_entry, timings};
use bakeoff_results::run::Run;
use bakeoff_stats::Rounds;

use crate::page::axes::{Axis, Workload, axes_of, indices, workload};
use crate::page::labelled::Labelled;
use crate::page::measures::{MEASURES, Subject};
use crate::page::run_differences::telling_labels;

/// One store's rounds in a contest.
#[derive(Default)]
pub(crate) struct Entry<'a> {
    /// The cell's id.
    pub(crate) cell: &'a str,
    /// Its figures in each round, by measure.
    pub(crate) rounds: [Rounds; MEASURES.len()],
    /// Its latencies, a round each.
    pub(crate) latencies: Vec<&'a Latency>,
    /// Of how many operations each of them is.
    pub(crate) operations: Vec<u64>,
    /// The round with the slowest operation of all: how its latency went over time.
    pub(crate) slowest_round: Option<&'a PhaseResult>,
}

impl Entry<'_> {
    /// Its figures under a measure, a round each; `None` if it has some, and too few operations to tell them.
    pub(crate) fn told(&self, measure: usize) -> Option<&Rounds> {
        let rounds = &self.rounds[measure];
        (rounds.is_empty() || MEASURES[measure].is_told(&self.operations)).then_some(rounds)
    }
}

/// What takes place in a contest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    /// The place of the phase among all phases; the cell as a whole comes last.
    place: usize,
    /// The phase; absent for the cell as a whole.
    pub(crate) phase: Option<String>,
    /// The kind of operation, named where the phase mixes several.
    pub(crate) operation: Option<String>,
    /// Whether figures are per entry of a scan.
    pub(crate) per_entry: bool,
}

impl Event {
    const WHOLE: Self = Self { place: usize::MAX, phase: None, operation: None, per_entry: false };
}

/// Stores side by side on the same workload.
#[derive(Default)]
pub(crate) struct Contest<'a> {
    /// How the phase was timed.
    pub(crate) mode: Option<Mode>,
    /// Operations a second that were due, of all kinds; absent in a closed loop.
    pub(crate) asked_per_second: Option<f64>,
    /// Who was measured, by key.
    pub(crate) entries: BTreeMap<&'a str, Entry<'a>>,
    /// Keys of those that failed in this workload.
    pub(crate) failed: BTreeSet<&'a str>,
    /// Keys of those that do not offer the phase, with the reason.
    pub(crate) not_offered: BTreeMap<&'a str, &'a str>,
}

/// All contests of some runs, by event and by the workload's places on the axes.
pub(crate) struct Contests<'a> {
    /// The axes.
    pub(crate) axes: Vec<Axis>,
    /// The contests.
    pub(crate) all: BTreeMap<(Event, Vec<usize>), Contest<'a>>,
}

impl<'a> Contests<'a> {
    /// The table that a place belongs to: its places on the axes by which tables differ.
    pub(crate) fn table_of(&self, at: &[usize]) -> Vec<usize> {
        let of_tables = self.axes.iter().map(Axis::is_of_tables);
        at.iter().zip(of_tables).filter(|(_, is_of_tables)| *is_of_tables).map(|(at, _)| *at).collect()
    }

    /// The contests of these runs, each with a label of its own.
    pub(crate) fn new(runs: &'a [Labelled<'a>], contenders: &'a Contenders) -> Self {
        let labels = telling_labels(runs);
        let places: Vec<Vec<Workload>> = runs
            .iter()
            .zip(&labels)
            .enumerate()
            .map(|(index, ((_, run), label))| {
                measured(run).map(|cell| workload(&cell.end.axes, (index, label))).collect()
            })
            .collect();
        let distinct: BTreeSet<Workload> = places.iter().flatten().cloned().collect();
        let axes = axes_of(&distinct);
        let at: BTreeMap<&Workload, Vec<usize>> =
            distinct.iter().map(|workload| (workload, indices(workload, &axes))).collect();
        let order: Vec<&str> = order_of_all(runs);
        let mut gathering = Gathering { order: &order, all: BTreeMap::new() };
        for ((_, run), places) in runs.iter().zip(&places) {
            let failed = failed_cells(&run.cells);
            for (cell, place) in measured(run).zip(places) {
                let (Some(contender), Some(at)) = (contenders.of(&cell.end.axes), at.get(place)) else { continue };
                gathering.add(cell, contender, at, failed.contains(cell.end.cell.as_str()));
            }
        }
        gathering.mark_failed_everywhere();
        let all = gathering.all;
        Self { axes, all }
    }
}

/// The rounds of a run that may be set against others: figures of profiled cells are no measurement.
fn measured(run: &Run) -> impl Iterator<Item = &CellRound> {
    run.cells.iter().filter(|cell| cell.end.axes.profile.is_none())
}

/// The phases of all runs, in the order in which they ran.
fn order_of_all<'a>(runs: &[Labelled<'a>]) -> Vec<&'a str> {
    let mut order = Vec::new();
    for phase in runs.iter().flat_map(|(_, run)| phase_order(&run.cells)) {
        if !order.contains(&phase) {
            order.push(phase);
        }
    }
    order
}

struct Gathering<'o, 'a> {
    order: &'o [&'a str],
    all: BTreeMap<(Event, Vec<usize>), Contest<'a>>,
}

impl<'a> Gathering<'_, 'a> {
    fn add(&mut self, cell: &'a CellRound, contender: &'a Contender, at: &[usize], failed: bool) {
        if failed {
            self.contest(Event::WHOLE, at).failed.insert(&contender.key);
            return;
        }
        self.round(Event::WHOLE, at, contender, &Subject { cell, phase: None });
        for phase in &cell.phases {
            for timing in timings(&phase.result) {
                let event = self.event(&phase.result.phase, timing.mixed.then_some(timing.operation), timing.operation);
                let contest = self.contest(event.clone(), at);
                contest.mode = contest.mode.or(Some(phase.result.mode));
                contest.asked_per_second = contest.asked_per_second.or(asked_per_second(phase));
                self.round(event, at, contender, &Subject { cell, phase: Some((phase, &timing)) });
            }
        }
        for (phase, reason) in &cell.end.not_offered {
            let event = self.event_not_offered(phase);
            self.contest(event, at).not_offered.insert(&contender.key, reason);
        }
    }

    fn round(&mut self, event: Event, at: &[usize], contender: &'a Contender, subject: &Subject<'a, '_>) {
        let entry = self.contest(event, at).entries.entry(&contender.key).or_default();
        entry.cell = &subject.cell.end.cell;
        for (rounds, measure) in entry.rounds.iter_mut().zip(&MEASURES) {
            if let Some(figure) = measure.of(subject) {
                rounds.add(subject.cell.end.round, figure);
            }
        }
        let timing = subject.phase.map(|(_, timing)| timing).filter(|timing| timing.latency.is_some());
        entry.latencies.extend(timing.and_then(|timing| timing.latency));
        entry.operations.extend(timing.map(|timing| timing.operations));
        let slowest = |result: &PhaseResult| result.slow.as_ref()?.slowest.first().map(|slow| slow.latency_ns);
        let timed = subject.phase.map(|(phase, _)| &phase.result).filter(|result| result.over_time.is_some());
        entry.slowest_round = [entry.slowest_round, timed].into_iter().flatten().max_by_key(|result| slowest(result));
    }

    fn event(&self, phase: &str, named: Option<&str>, operation: &str) -> Event {
        let place = self.order.iter().position(|name| *name == phase).unwrap_or(self.order.len());
        let (phase, operation) = (Some(phase.to_owned()), (named.map(str::to_owned), is_per_entry(operation)));
        Event { place, phase, operation: operation.0, per_entry: operation.1 }
    }

    /// The event that others have under a phase's name, so that whoever does not offer it is shown beside them.
    fn event_not_offered(&self, phase: &str) -> Event {
        let known = self.all.keys().map(|(event, _)| event).find(|event| event.phase.as_deref() == Some(phase));
        known.cloned().unwrap_or_else(|| self.event(phase, None, ""))
    }

    fn contest(&mut self, event: Event, at: &[usize]) -> &mut Contest<'a> {
        self.all.entry((event, at.to_vec())).or_default()
    }

    /// Who failed in a workload has failed in all that others did there.
    fn mark_failed_everywhere(&mut self) {
        let failed: BTreeMap<Vec<usize>, BTreeSet<&str>> = self
            .all
            .iter()
            .filter(|((event, _), _)| *event == Event::WHOLE)
            .map(|((_, at), contest)| (at.clone(), contest.failed.clone()))
            .collect();
        for ((_, at), contest) in &mut self.all {
            contest.failed.extend(failed.get(at).into_iter().flatten());
        }
    }
}
