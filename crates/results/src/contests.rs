//! Contests from results. A contest is one workload and one kind of operation in a phase (or the whole cell). It has
//! every store's figures under every measure, and who is best. Only rounds of cells that never failed count.
//!
//! Tables rank some of the measures already, and those rankings are reused here. The others are ranked in the same way.

pub mod course;
pub mod curve;
pub mod measures;
pub mod over_workloads;
pub mod trade_offs;

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, AxisValue, Latency, Mode, PhaseResult, shown_axes};
use bakeoff_stats::{Candidate, Field, RankOptions, Ranking, Rounds};

use crate::analysis::Analysis;
use crate::cell_rounds::{CellRound, failed_cells, phase_order};
use crate::circumstances::Circumstances;
use crate::contender::{Contender, Contenders};
use crate::contests::measures::{MEASURES, Subject};
use crate::figures::{Family, Measure, asked_per_second, is_per_entry, timings};
use crate::run::Run;
use crate::verdict::{Column, rank_together};
use bakeoff_limits::in_parallel;

/// One store's rounds in a contest.
#[derive(Default)]
pub struct Entry<'a> {
    /// The cell's id.
    pub cell: &'a str,
    /// Its figures by measure, one per round.
    pub rounds: [Rounds; MEASURES.len()],
    /// The displayed figures by measure: the typical round and, with several rounds, the lowest and the highest; see
    /// [`OfRounds`](measures::OfRounds). Empty if there is no figure, or if there are too few operations for it.
    pub shown: [Vec<f64>; MEASURES.len()],
    /// Its latencies, one per round.
    pub latencies: Vec<&'a Latency>,
    /// The number of operations behind each of them.
    pub operations: Vec<u64>,
    /// The round with the slowest operation of all. The page shows its latency over time.
    pub slowest_round: Option<&'a PhaseResult>,
}

impl Entry<'_> {
    /// Its figures under a measure, one per round. `None` if there are too few operations for them.
    pub fn told(&self, measure: usize) -> Option<&Rounds> {
        let rounds = &self.rounds[measure];
        (rounds.is_empty() || MEASURES[measure].is_told(&self.operations)).then_some(rounds)
    }

    /// Its figure of a typical round under a measure.
    pub fn typical(&self, measure: usize) -> Option<f64> {
        self.shown[measure].first().copied()
    }

    fn shown(&self) -> [Vec<f64>; MEASURES.len()] {
        let of = |at: usize| self.told(at).map_or_else(Vec::new, |told| MEASURES[at].of_rounds.figures(told));
        std::array::from_fn(of)
    }
}

/// The subject of a contest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event<'a> {
    /// The phase's place among all phases. The whole cell comes last.
    place: usize,
    /// The phase. `None` for the whole cell.
    pub phase: Option<&'a str>,
    /// The kind of operation, if the phase mixes several.
    pub operation: Option<&'a str>,
    /// Whether figures are per entry of a scan.
    pub per_entry: bool,
}

impl Event<'_> {
    const WHOLE: Self = Self { place: usize::MAX, phase: None, operation: None, per_entry: false };

    /// The matching measure of tables in a family, if there is one.
    pub fn measure(&self, family: Family) -> Option<Measure> {
        match (family, self.phase) {
            (Family::Time, Some(phase)) => {
                Some(Measure::Time { phase: phase.to_owned(), operation: self.operation.map(str::to_owned) })
            }
            (Family::Space, None) => Some(Measure::Space),
            (Family::Memory, None) => Some(Measure::Memory),
            _ => None,
        }
    }
}

/// Where contests took place: a run, and everything that its cells there share.
pub struct Place<'a> {
    /// The index of the run.
    pub run: usize,
    /// The axes of one of the cells.
    pub axes: &'a Axes,
}

/// Stores on the same workload, compared.
#[derive(Default)]
pub struct Contest<'a> {
    /// How the phase was timed.
    pub mode: Option<Mode>,
    /// Operations per second that were due, of all kinds. `None` in a closed loop.
    pub asked_per_second: Option<f64>,
    /// The measured contenders, by key.
    pub entries: BTreeMap<&'a str, Entry<'a>>,
    /// Keys of contenders that failed in this workload.
    pub failed: BTreeSet<&'a str>,
    /// Keys of contenders that do not offer the phase, with the reason.
    pub not_offered: BTreeMap<&'a str, &'a str>,
    /// The verdict under each measure. `None` if nobody is ranked.
    pub rankings: [Option<Ranking>; MEASURES.len()],
}

impl Contest<'_> {
    /// The rankable entries, compared under each measure that tables do not rank.
    fn compared(&self, contenders: &Contenders) -> [Option<Field>; MEASURES.len()] {
        std::array::from_fn(|at| {
            let measure = MEASURES.get(at).filter(|measure| measure.table.is_none())?;
            let ranked = self.entries.iter().filter(|(key, _)| contenders.get(key).is_none_or(|each| each.ranked));
            let candidates = ranked.filter_map(|(key, entry)| Some(Candidate::new(*key, entry.told(at)?.clone())));
            let options =
                RankOptions { resolution: measure.resolution(self.mode), ..RankOptions::new(measure.better()) };
            Field::new(candidates, options)
        })
    }
}

/// All contests of some runs.
#[derive(Default)]
pub struct Contests<'a> {
    /// Where they took place.
    pub places: Vec<Place<'a>>,
    /// The contests, by subject and index of the place.
    pub all: BTreeMap<(Event<'a>, usize), Contest<'a>>,
}

impl<'a> Contests<'a> {
    /// The contests of these runs among `contenders`, ranked.
    pub fn new(runs: &[&'a Analysis<'a>], contenders: &'a Contenders) -> Self {
        let mut gathering = Gathering { order: order_of_all(runs), of: Self::default() };
        for (index, of) in runs.iter().enumerate() {
            let failed = failed_cells(&of.run.cells);
            let mut known: BTreeMap<Vec<AxisValue>, usize> = BTreeMap::new();
            for cell in measured(of.run) {
                let axes = &cell.end.axes;
                let Some(contender) = contenders.of(axes) else { continue };
                let values = shown_axes().iter().map(|axis| axis.shared(axes)).collect();
                let places = &mut gathering.of.places;
                let at = *known.entry(values).or_insert_with(|| {
                    places.push(Place { run: index, axes });
                    places.len() - 1
                });
                gathering.add(cell, contender, at, failed.contains(cell.end.cell.as_str()));
            }
        }
        gathering.mark_failed_everywhere();
        let mut contests = gathering.of;
        contests.rank(runs, contenders);
        contests.show();
        contests
    }

    /// Fills in the displayed figures of every entry.
    fn show(&mut self) {
        let mut entries: Vec<&mut Entry> =
            self.all.values_mut().flat_map(|contest| contest.entries.values_mut()).collect();
        let shown = in_parallel(&entries, |entry| entry.shown());
        for (entry, shown) in entries.iter_mut().zip(shown) {
            entry.shown = shown;
        }
    }

    /// Ranks every contest under every measure. Contests of the same run and circumstances form one family.
    fn rank(&mut self, runs: &[&Analysis], contenders: &Contenders) {
        type Ranked<'r, 'a> = (&'r Event<'a>, &'r Axes, &'r mut Contest<'a>);
        let mut tables: BTreeMap<(usize, Circumstances), Vec<Ranked>> = BTreeMap::new();
        for ((event, place), contest) in &mut self.all {
            let Place { run, axes } = &self.places[*place];
            tables.entry((*run, Circumstances::of(axes))).or_default().push((event, axes, contest));
        }
        for ((run, circumstances), mut contests) in tables {
            let compared = in_parallel(&contests, |(_, _, contest)| contest.compared(contenders));
            let table = runs[run].tables().iter().find(|table| table.circumstances == circumstances);
            for (at, measure) in MEASURES.iter().enumerate() {
                let rankings = match measure.table {
                    None => {
                        rank_together(&compared.iter().map(|fields| fields[at].as_ref()).collect::<Vec<_>>()).rankings
                    }
                    Some(family) => {
                        let field = |(event, axes, _): &Ranked| {
                            let column = Column { data: axes.data.clone(), records: axes.records };
                            let size = (axes.value_bytes_min, axes.value_bytes_max);
                            table?.fields.get(&(event.measure(family)?, size, column))?.ranking.clone()
                        };
                        contests.iter().map(field).collect()
                    }
                };
                for ((_, _, contest), ranking) in contests.iter_mut().zip(rankings) {
                    contest.rankings[at] = ranking;
                }
            }
        }
    }
}

/// The rounds of a run that may be compared: figures of profiled cells are not measurements.
fn measured(run: &Run) -> impl Iterator<Item = &CellRound> {
    run.cells.iter().filter(|cell| cell.end.axes.profile.is_none())
}

/// The phases of all runs, in order of execution.
fn order_of_all<'a>(runs: &[&'a Analysis<'a>]) -> Vec<&'a str> {
    let mut order = Vec::new();
    for phase in runs.iter().flat_map(|of| phase_order(&of.run.cells)) {
        if !order.contains(&phase) {
            order.push(phase);
        }
    }
    order
}

struct Gathering<'a> {
    order: Vec<&'a str>,
    of: Contests<'a>,
}

impl<'a> Gathering<'a> {
    fn add(&mut self, cell: &'a CellRound, contender: &'a Contender, at: usize, failed: bool) {
        if failed {
            self.contest(Event::WHOLE, at).failed.insert(&contender.key);
            return;
        }
        self.round(Event::WHOLE, at, contender, &Subject { cell, phase: None });
        for phase in &cell.phases {
            for timing in timings(&phase.result) {
                let event = self.event(&phase.result.phase, timing.mixed.then_some(timing.operation), timing.operation);
                let contest = self.contest(event, at);
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

    fn round(&mut self, event: Event<'a>, at: usize, contender: &'a Contender, subject: &Subject<'a, '_>) {
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

    fn event(&self, phase: &'a str, named: Option<&'a str>, operation: &str) -> Event<'a> {
        let place = self.order.iter().position(|name| *name == phase).unwrap_or(self.order.len());
        Event { place, phase: Some(phase), operation: named, per_entry: is_per_entry(operation) }
    }

    /// The subject that other stores have under a phase's name, so that stores without the phase appear next to them.
    fn event_not_offered(&self, phase: &'a str) -> Event<'a> {
        let known = self.of.all.keys().map(|(event, _)| event).find(|event| event.phase == Some(phase));
        known.copied().unwrap_or_else(|| self.event(phase, None, ""))
    }

    fn contest(&mut self, event: Event<'a>, at: usize) -> &mut Contest<'a> {
        self.of.all.entry((event, at)).or_default()
    }

    /// A store that failed in a workload failed in all contests of it.
    fn mark_failed_everywhere(&mut self) {
        let whole = self.of.all.iter().filter(|((event, _), _)| *event == Event::WHOLE);
        let failed: BTreeMap<usize, BTreeSet<&str>> =
            whole.map(|((_, at), contest)| (*at, contest.failed.clone())).collect();
        for ((_, at), contest) in &mut self.of.all {
            contest.failed.extend(failed.get(at).into_iter().flatten());
        }
    }
}
