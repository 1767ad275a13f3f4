//! Two runs compared: what became better or worse, stayed the same, or is undecided, for each store in each workload
//! and over all workloads.
//!
//! Only figures that both runs have under the same circumstances are compared. Each figure is a cost: time, bytes on
//! disk per byte of data, or bytes of memory. So a ratio above 1 always means worse.
//!
//! There are three tables: each store's time over everything, each store and measure over all workloads, and every
//! workload. The first shows a small change of a store that no single workload proves.
//!
//! Rounds of two runs are not paired, and the runs happen at different hours. So intervals of times are widened by the
//! usual difference between sessions ([`SESSION_DEVIATION`]). Runs that were measured in turn are compared round by
//! round instead. A coin decides which side of a cell comes first. So other work of the machine is no reason for one
//! side to be worse in most rounds. Therefore a change must also be proven by the signs of the rounds.
//!
//! Within a table, levels follow Benjamini and Hochberg ([`bakeoff_stats::discovery_confidence`]). The tables divide
//! the error rate: of comparisons between two equal runs, at most one in twenty marks anything worse. The same holds
//! for better.

mod pair;

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, CellEnd};
use bakeoff_stats::{CommonScatter, Interval, LogRatio, Rounds, TIED_WITHIN, discovery_confidence, median};

use crate::circumstances::Circumstances;
use crate::comparison::pair::{Pair, pairs, twins};
use crate::contender::Contenders;
use crate::error::RunError;
use crate::figures::{Family, Measure};
use crate::rounds::{over_workloads, with_enough_rounds};
use crate::run::Run;
use crate::verdict::{Column, Size, Table, gather};

/// The false discovery rate of each table: stores, stores and measures, single workloads. Half of each is on the side
/// of "worse", together one in twenty.
const WRONG: [f64; 3] = [0.05, 0.025, 0.025];

/// How much sessions differ on a quiet machine, as the standard deviation of the logarithm of a time. The same program,
/// measured in 40 runs, varied by 4 to 8 % (`docs/lab/2026-11-28-sessions.md`). If the rounds of the runs differ by
/// more, that value counts.
pub const SESSION_DEVIATION: f64 = 0.08;

/// The smallest factor of a store's slowdown over everything that two sessions hardly ever miss (`docs/RESULTS.md`).
pub const SEEN_BY_SESSIONS: f64 = 1.6;

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is known to be worse.
    SameOrBetter,
    /// Something is worse, or failed in the second run only.
    Worse,
    /// Figures are missing, have too few rounds, or may be worse by so much that it matters.
    Inconclusive,
}

/// The verdict on one store under one measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The second run's costs are lower.
    Better,
    /// The second run's costs are higher.
    Worse,
    /// The costs are the same within [`TIED_WITHIN`]: the interval contains 1 and stays within that limit, or the
    /// difference is below the resolution.
    Same,
    /// The interval contains 1 and exceeds that limit, or a run has too few rounds.
    CannotTell,
}

impl Change {
    /// Whether a change is proven.
    pub fn is_proven(self) -> bool {
        matches!(self, Self::Better | Self::Worse)
    }
}

/// The number of workloads combined in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Workloads with enough rounds in both runs.
    pub kept: usize,
    /// All workloads that both runs have.
    pub all: usize,
}

/// The subject of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The time over everything that was timed.
    Everything(Taken),
    /// One measure over all workloads under the same circumstances.
    Workloads {
        /// The measure.
        measure: Measure,
        /// The circumstances that the workloads share.
        circumstances: Circumstances,
        /// The workloads.
        taken: Taken,
    },
    /// One measure in one workload.
    Workload {
        /// The measure.
        measure: Measure,
        /// The circumstances.
        circumstances: Circumstances,
        /// The size of values.
        size: Size,
        /// Data and records.
        column: Column,
    },
}

impl Subject {
    /// The family whose lines are judged together with it.
    fn family(&self) -> Family {
        self.measure().map_or(Family::Time, Measure::family)
    }

    /// The measure; `None` for the time over everything.
    pub fn measure(&self) -> Option<&Measure> {
        match self {
            Self::Everything(_) => None,
            Self::Workloads { measure, .. } | Self::Workload { measure, .. } => Some(measure),
        }
    }
}

/// One line: a store under a measure, in one workload or over all common ones.
#[derive(Clone, Debug)]
pub struct Line {
    /// The key of the store with its settings.
    pub key: String,
    /// What is compared.
    pub subject: Subject,
    /// The ratio of the second run's cost to the first run's. `None` if a run has too few rounds for an interval.
    pub ratio: Option<Interval>,
    /// The verdict.
    pub change: Change,
}

impl Line {
    /// The distance of the ratio from 1 in either direction, as a logarithm. 0 without a ratio.
    pub fn distance(&self) -> f64 {
        self.ratio.map_or(0.0, |of| of.estimate.ln().abs())
    }
}

/// Two runs, compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The contenders of both runs.
    pub contenders: Contenders,
    /// The circumstances of all lines, each once.
    pub circumstances: Vec<Circumstances>,
    /// A line for each store: its time over everything that was timed.
    pub stores: Vec<Line>,
    /// A line for each store and measure over all workloads.
    pub overall: Vec<Line>,
    /// A line for each store, measure and workload.
    pub lines: Vec<Line>,
    /// The ends of the first failed rounds of cells that failed only in the second run.
    pub newly_failed: Vec<CellEnd>,
    /// The number of figures that only the first run has, and that only the second run has.
    pub only_in: [usize; 2],
    /// The assumed difference of the two sessions, as the standard deviation of the logarithm of a time. `None` for
    /// runs measured in turn.
    pub session_deviation: Option<f64>,
}

impl Comparison {
    /// Compares two runs, the later or changed one second. Runs measured in turn are compared round by round, others as
    /// two sessions.
    ///
    /// # Errors
    /// They have nothing in common, or one was profiled.
    pub fn new(a: &Run, b: &Run) -> Result<Self, RunError> {
        a.must_be_measured()?;
        b.must_be_measured()?;
        let contenders = Contenders::of_all(&[(&a.cells, a.stores()), (&b.cells, b.stores())]);
        let (tables_a, tables_b) = (gather(&a.cells, &contenders), gather(&b.cells, &contenders));
        let in_turn = a.record.is_in_turn_with(&b.record);
        // Runs in turn may compare two settings of a store.
        let twins = |of, other| if in_turn { twins(of, other, &contenders) } else { BTreeMap::new() };
        let (common, only_a) = pairs(&tables_a, &tables_b, &twins(&tables_a, &tables_b));
        if common.is_empty() {
            return Err(RunError::NothingToCompare { a: a.directory.clone(), b: b.directory.clone() });
        }
        let (_, only_b) = pairs(&tables_b, &tables_a, &twins(&tables_b, &tables_a));
        let session = (!in_turn).then(|| session_deviation([&tables_a, &tables_b]));
        Ok(Self {
            circumstances: circumstances_of(&common),
            stores: stores(&common, session),
            overall: overall(&common, session),
            lines: lines(&common, session),
            session_deviation: session,
            newly_failed: newly_failed(a, b),
            only_in: [only_a, only_b],
            contenders,
        })
    }

    /// The number of figures that the first run has and the second lacks.
    pub fn missing(&self) -> usize {
        self.only_in[0]
    }

    /// Lines that are proven to be worse by more than `part` (0.05 is 5 %): the whole interval is.
    pub fn worse_by(&self, part: f64) -> Vec<&Line> {
        let worse = |line: &&Line| line.ratio.is_some_and(|ratio| ratio.low > 1.0 + part);
        self.all().filter(worse).filter(|line| line.change == Change::Worse).collect()
    }

    /// Figures of single workloads that may be worse by more than `part` without proof. Their interval exceeds it, or
    /// they have too few rounds for an interval.
    pub fn undecided_by(&self, part: f64) -> Vec<&Line> {
        let open = |line: &&Line| line.ratio.is_none_or(|of| of.low <= 1.0 + part && of.high > 1.0 + part);
        self.lines.iter().filter(open).collect()
    }

    /// Whether more rounds of this cell of the first run would decide more. That is so if a figure of the cell is
    /// worse, and possibly by more than `part`. It is also so if a line over many workloads, including this one, is
    /// marked worse: that must hold over more rounds. Figures that never vary need no more rounds.
    pub fn needs_rounds(&self, cell: &Axes, part: f64) -> bool {
        let Some(contender) = self.contenders.of(cell) else { return false };
        let (size_of_cell, of_cell) = ((cell.value_bytes_min, cell.value_bytes_max), Circumstances::of(cell));
        let column_of_cell = Column { data: cell.data.clone(), records: cell.records };
        let is_open = |line: &Line| match (&line.subject, line.ratio) {
            (Subject::Workload { circumstances, size, column, .. }, ratio) => {
                let may_be_worse = |of: Interval| of.estimate > 1.0 && of.high > 1.0 + part && of.low < of.high;
                (circumstances, *size, column) == (&of_cell, size_of_cell, &column_of_cell)
                    && ratio.is_none_or(may_be_worse)
            }
            (Subject::Workloads { circumstances, .. }, Some(of)) => *circumstances == of_cell && is_doubtful(line, of),
            (Subject::Everything(_), Some(of)) => is_doubtful(line, of),
            (Subject::Workloads { .. } | Subject::Everything(_), None) => false,
        };
        self.all().filter(|line| line.key == contender.key).any(is_open)
    }

    /// Whether the second run may replace the first. `part` is the part by which figures may be worse; without it none may.
    pub fn verdict(&self, part: Option<f64>) -> Verdict {
        if !self.newly_failed.is_empty() || !self.worse_by(part.unwrap_or(0.0)).is_empty() {
            Verdict::Worse
        } else if self.missing() > 0 || self.untold() > 0 || !self.leaning(part).is_empty() {
            Verdict::Inconclusive
        } else {
            Verdict::SameOrBetter
        }
    }

    /// By what part a store's time over everything may be longer without proof, where nothing is said: what is no difference, or between two
    /// sessions what is hardly ever missed.
    pub fn unproven_part(&self) -> f64 {
        self.session_deviation.map_or(TIED_WITHIN, |_| SEEN_BY_SESSIONS) - 1.0
    }

    /// Lines over everything that lean to worse, and may be so by more than this part, or by more than [`Self::unproven_part`] without it.
    pub fn leaning(&self, part: Option<f64>) -> Vec<&Line> {
        let most = 1.0 + part.unwrap_or_else(|| self.unproven_part());
        let leans = |of: Interval| of.estimate > 1.0 && of.low <= most && of.high > most;
        self.stores.iter().filter(|line| line.ratio.is_some_and(leans)).collect()
    }

    /// Each store's line over everything: worse ones first, then better ones, and among each the largest changes first.
    pub fn stores_by_change(&self) -> Vec<&Line> {
        let order = [Change::Worse, Change::Better, Change::CannotTell, Change::Same];
        let place = |line: &Line| order.iter().position(|change| *change == line.change);
        let mut lines: Vec<&Line> = self.stores.iter().collect();
        lines.sort_by(|a, b| place(a).cmp(&place(b)).then(b.distance().total_cmp(&a.distance())));
        lines
    }

    /// Every line, beginning with the widest table.
    fn all(&self) -> impl Iterator<Item = &Line> {
        self.tables().into_iter().flatten()
    }

    /// The tables, beginning with the widest.
    fn tables(&self) -> [&[Line]; 3] {
        [&self.stores, &self.overall, &self.lines]
    }

    /// The number of figures with too few rounds in one of the runs.
    pub fn untold(&self) -> usize {
        self.lines.iter().filter(|line| line.ratio.is_none()).count()
    }

    /// One line for each store title that changed in this direction, from the widest table that has one. Within a
    /// table, the largest change comes first.
    pub fn most_changed(&self, change: Change) -> Vec<&Line> {
        let mut named: Vec<&Line> = Vec::new();
        for table in self.tables() {
            let mut changed: Vec<&Line> = table.iter().filter(|line| line.change == change).collect();
            changed.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
            for line in changed {
                let index = |line: &Line| self.contenders.index(&line.key);
                if named.iter().all(|before| index(before) != index(line)) {
                    named.push(line);
                }
            }
        }
        named
    }
}

/// Whether a line over many workloads is marked worse although its rounds vary.
fn is_doubtful(line: &Line, ratio: Interval) -> bool {
    line.change == Change::Worse && ratio.low < ratio.high
}

/// The ends of the first failed rounds of cells that never failed in the first run but did in the second.
fn newly_failed(a: &Run, b: &Run) -> Vec<CellEnd> {
    let failed_in_a: BTreeSet<&str> = failed(a).map(|end| end.cell.as_str()).collect();
    let in_a: BTreeSet<&str> = a.cells.iter().map(|cell| cell.end.cell.as_str()).collect();
    let mut seen = BTreeSet::new();
    let is_new = |end: &&CellEnd| {
        let cell = end.cell.as_str();
        in_a.contains(cell) && !failed_in_a.contains(cell)
    };
    failed(b).filter(is_new).filter(|end| seen.insert(end.cell.as_str())).cloned().collect()
}

fn failed(run: &Run) -> impl Iterator<Item = &CellEnd> {
    run.cells.iter().filter(|cell| !cell.is_ok()).map(|cell| &cell.end)
}

/// A line without a verdict yet.
struct Open {
    line: Line,
    /// The ratio of the second run's costs to the first run's. `None` if a run has too few rounds.
    ratio: Option<LogRatio>,
    /// Whether the difference of the typical rounds is below the resolution.
    same: bool,
}

impl Open {
    fn new(key: &str, subject: Subject, (a, b): (&Rounds, &Rounds), session: Option<f64>) -> Self {
        // Only times depend on the session.
        let deviation = |session| if subject.family() == Family::Time { session } else { 0.0 };
        let ratio = match session {
            Some(session) => LogRatio::of_sessions(b, a, deviation(session)),
            None => LogRatio::of_turns(b, a),
        };
        let line = Line { key: key.to_owned(), subject, ratio: None, change: Change::CannotTell };
        Self { line, ratio, same: false }
    }

    fn change(&self, ratio: Interval) -> Change {
        match ratio {
            _ if self.same => Change::Same,
            of if of.low > 1.0 => Change::Worse,
            of if of.high < 1.0 => Change::Better,
            of if of.low >= TIED_WITHIN.recip() && of.high <= TIED_WITHIN => Change::Same,
            _ => Change::CannotTell,
        }
    }
}

/// The difference between the sessions of two runs: the usual one, or that of their rounds if it is larger.
fn session_deviation(tables: [&[Table]; 2]) -> f64 {
    let fields = tables.into_iter().flatten().flat_map(|table| &table.fields);
    let times = fields.filter(|((measure, ..), _)| measure.is_time());
    let deviations: Vec<f64> =
        times.flat_map(|(_, field)| field.rounds.values()).filter_map(Rounds::deviation).collect();
    median(&deviations).unwrap_or(0.0).max(SESSION_DEVIATION)
}

/// The common scatter of a table's lines, by family: time, space and memory. Two sessions have none in common.
struct Scatter([CommonScatter; Family::ALL.len()]);

impl Scatter {
    fn of(open: &[Open]) -> Self {
        Self(Family::ALL.map(|family| {
            let of_family = open.iter().filter(|each| each.line.subject.family() == family);
            CommonScatter::of(of_family.filter_map(|each| each.ratio.as_ref()))
        }))
    }

    fn for_line(&self, line: &Line) -> &CommonScatter {
        &self.0[line.subject.family() as usize]
    }
}

/// Gives each line of a table its verdict. At most `wrong` of the lines marked different are false.
fn judge(open: &[Open], wrong: f64) -> Vec<Line> {
    let scatter = Scatter::of(open);
    let p_value = |each: &Open| {
        let ratio = each.ratio.as_ref()?;
        Some(if each.same { 1.0 } else { scatter.for_line(&each.line).p_value(ratio) })
    };
    let confidence = discovery_confidence(open.iter().filter_map(p_value), wrong);
    let judged = |each: &Open| {
        let ratio = each.ratio.as_ref();
        let ratio = ratio.and_then(|ratio| scatter.for_line(&each.line).interval(ratio, confidence));
        Line { ratio, change: ratio.map_or(Change::CannotTell, |of| each.change(of)), ..each.line.clone() }
    };
    open.iter().map(judged).collect()
}

fn lines(pairs: &[Pair], session: Option<f64>) -> Vec<Line> {
    let open = |pair: &Pair| {
        let (measure, circumstances) = (pair.measure.clone(), pair.circumstances.clone());
        let subject = Subject::Workload { measure, circumstances, size: pair.size, column: pair.column.clone() };
        let same = pair.a.centre().zip(pair.b.centre()).is_some_and(|(a, b)| (a - b).abs() < pair.resolution);
        Open { same, ..Open::new(pair.key, subject, (&pair.a, &pair.b), session) }
    };
    judge(&pairs.iter().map(open).collect::<Vec<_>>(), WRONG[2])
}

/// Each store under each measure over all workloads: the geometric mean of its costs relative to the first run's, round
/// by round.
fn overall(pairs: &[Pair], session: Option<f64>) -> Vec<Line> {
    let groups = grouped(pairs.iter(), |one, other| {
        (one.key, one.measure, one.circumstances) == (other.key, other.measure, other.circumstances)
    });
    let open = |group: &Vec<&Pair>| {
        let kept = whole(group);
        let (measure, circumstances) = (group[0].measure.clone(), group[0].circumstances.clone());
        let taken = Taken { kept: kept.len(), all: group.len() };
        let (a, b) = scores_of(&kept);
        Open::new(group[0].key, Subject::Workloads { measure, circumstances, taken }, (&a, &b), session)
    };
    judge(&groups.iter().map(open).collect::<Vec<_>>(), WRONG[1])
}

/// Each store's time over all timed figures, computed in the same way.
fn stores(pairs: &[Pair], session: Option<f64>) -> Vec<Line> {
    let timed = pairs.iter().filter(|pair| pair.measure.is_time());
    let groups = grouped(timed, |one, other| one.key == other.key);
    let open = |group: &Vec<&Pair>| {
        let kept = whole(group);
        let taken = Taken { kept: kept.len(), all: group.len() };
        let (a, b) = scores_of(&kept);
        Open::new(group[0].key, Subject::Everything(taken), (&a, &b), session)
    };
    judge(&groups.iter().map(open).collect::<Vec<_>>(), WRONG[0])
}

/// The pairs of a group with enough rounds in both runs to be combined.
fn whole<'p, 'a>(group: &[&'p Pair<'a>]) -> Vec<&'p Pair<'a>> {
    with_enough_rounds(group.to_vec(), |pair| pair.a.len().min(pair.b.len()))
}

/// Pairs grouped, in the order of the first pair of each group.
fn grouped<'p, 'a>(
    pairs: impl Iterator<Item = &'p Pair<'a>>,
    same: fn(&Pair, &Pair) -> bool,
) -> Vec<Vec<&'p Pair<'a>>> {
    let mut groups: Vec<Vec<&Pair>> = Vec::new();
    for pair in pairs {
        match groups.iter_mut().find(|group| same(group[0], pair)) {
            Some(group) => group.push(pair),
            None => groups.push(vec![pair]),
        }
    }
    groups
}

fn scores_of(group: &[&Pair]) -> (Rounds, Rounds) {
    (scores(group, |pair| &pair.a), scores(group, |pair| &pair.b))
}

/// One value per round: the geometric mean over the group of its costs, each relative to the first run's typical round.
fn scores<'a>(group: &[&'a Pair<'a>], of: fn(&'a Pair<'a>) -> &'a Rounds) -> Rounds {
    let relative = |pair: &&'a Pair<'a>| pair.a.centre().map(|centre| of(pair).map(|cost| cost / centre));
    let costs: Option<Vec<Rounds>> = group.iter().map(relative).collect();
    costs.map_or_else(Rounds::default, |costs| over_workloads(&costs.iter().collect::<Vec<_>>()))
}

/// All circumstances, each once.
fn circumstances_of(pairs: &[Pair]) -> Vec<Circumstances> {
    let mut all: Vec<Circumstances> = pairs.iter().map(|pair| pair.circumstances.clone()).collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of a store, with the rounds of two sessions.
    fn open(key: &str, phase: &str, a: &[f64], b: &[f64]) -> Open {
        open_with(Some(SESSION_DEVIATION), (key, phase), a, b)
    }

    fn open_with(session: Option<f64>, (key, phase): (&str, &str), a: &[f64], b: &[f64]) -> Open {
        let measure = Measure::Time { phase: phase.to_owned(), operation: None };
        let circumstances = Circumstances::of(&bakeoff_protocol::Axes::default());
        let subject = Subject::Workloads { measure, circumstances, taken: Taken { kept: 1, all: 1 } };
        let rounds = |figures: &[f64]| (1..).zip(figures.iter().copied()).collect::<Rounds>();
        Open::new(key, subject, (&rounds(a), &rounds(b)), session)
    }

    #[test]
    fn twice_the_cost_is_worse_half_of_it_better_and_a_single_round_tells_nothing() {
        let (once, twice) = ([1.0, 1.01, 0.99], [2.0, 2.02, 1.98]);
        let lines = [
            open("a", "get", &once, &twice),
            open("b", "get", &twice, &once),
            open("c", "get", &once, &once),
            open("d", "get", &once, &[2.0]),
        ];
        let judged = judge(&lines, WRONG[2]);
        let changes: Vec<Change> = judged.iter().map(|line| line.change).collect();
        assert_eq!(changes, [Change::Worse, Change::Better, Change::CannotTell, Change::CannotTell]);
        let ratio = |line: &Line| line.ratio.map(|of| (of.estimate * 100.0).round());
        assert_eq!(judged.iter().map(ratio).collect::<Vec<_>>(), [Some(200.0), Some(50.0), Some(100.0), None]);
        assert!((judged[0].distance() - judged[1].distance()).abs() < 1e-9 && judged[3].distance() == 0.0);
    }

    #[test]
    fn another_hour_is_no_change() {
        let lines = [open("a", "get", &[1.0, 1.001, 0.999], &[1.1, 1.101, 1.099])];
        assert_eq!(judge(&lines, WRONG[2])[0].change, Change::CannotTell);
    }

    #[test]
    fn what_changes_both_sides_of_a_round_cancels() {
        let hours = [1.0, 1.6, 0.8, 1.2, 2.0];
        let slower =
            |by: f64| [0.99, 1.01, 1.0, 1.01, 0.99].iter().zip(hours).map(|(own, hour)| own * hour * by).collect();
        let lines: Vec<Open> = [("get", 1.1), ("scan", 1.0), ("load", 0.9)]
            .map(|(phase, by)| (phase, slower(by)))
            .map(|(phase, b): (&str, Vec<f64>)| open_with(None, ("a", phase), &hours, &b))
            .into();
        let changes: Vec<Change> = judge(&lines, WRONG[2]).iter().map(|line| line.change).collect();
        assert_eq!(changes, [Change::Worse, Change::Same, Change::Better]);
    }

    #[test]
    fn a_difference_below_what_can_be_resolved_is_none() {
        let line = Open { same: true, ..open("a", "get", &[12.0; 3], &[12.4; 3]) };
        assert_eq!(judge(&[line], WRONG[2])[0].change, Change::Same);
    }
}
