//! Two runs side by side: what became better, worse, or cannot be told, for each store in each workload and over all of them.
//!
//! Only what both runs measured under the same circumstances is compared. Every figure is taken as a cost (time, bytes on disk
//! per byte of data, bytes of memory), so that a ratio above 1 always means worse.
//!
//! There are three tables: each store's time over everything, each store and measure over all workloads, every workload. The first
//! one sees a small change of a store that no single workload proves. Within a table levels are Benjamini and Hochberg's
//! ([`bakeoff_stats::discovery_confidence`]); the tables share what may go wrong, so that between two equal runs something is called
//! worse in at most one of twenty comparisons, and better likewise.

pub(crate) mod document;
mod facts;
mod html;

use std::collections::BTreeMap;

use bakeoff_protocol::Structure;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::{Measure, resolution};
use bakeoff_results::rounds::{Rounds, over_workloads, with_enough_rounds};
use bakeoff_results::run::Run;
use bakeoff_results::verdict::{Column, Size, Table, gather};
use bakeoff_stats::{CommonScatter, Interval};
use bakeoff_text::{counted, format_count, listed, printable};

pub use html::write_comparison_html;

use crate::error::ReportError;
use crate::format::describe_workload;

/// What part of what is called better or worse may be neither, of stores, of stores and measures, and of single workloads. Half of each lies on
/// the side of the worse, which is one in twenty of all.
const WRONG: [f64; 3] = [0.05, 0.025, 0.025];

/// What can be said of one store under one measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The second run's costs are lower.
    Better,
    /// The second run's costs are higher.
    Worse,
    /// The interval contains 1, or a run has too few rounds.
    CannotTell,
}

impl Change {
    /// The word shown for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// One line: a store under a measure, in one workload or over all that both runs have.
#[derive(Clone, Debug)]
pub struct Line {
    /// The store's title, safe to print.
    pub store: String,
    /// The store's colour and mark.
    pub(crate) slot: usize,
    /// The measure's name.
    pub measure: String,
    /// The workload in words, or over how many workloads.
    pub workload: String,
    /// The second run's cost by the first one's; `None` where a run has too few rounds for an interval.
    pub ratio: Option<Interval>,
    /// What that says.
    pub change: Change,
}

/// Two runs, compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What the runs are called: their directories.
    pub labels: [String; 2],
    /// A line for each store: its time over everything that was timed.
    pub stores: Vec<Line>,
    /// A line for each store and measure over all workloads.
    pub overall: Vec<Line>,
    /// A line for each store, measure and workload.
    pub lines: Vec<Line>,
    /// What the two runs differ in besides their figures: machine, versions, settings.
    pub differences: Vec<String>,
    /// Cells that failed in the second run only.
    pub newly_failed: Vec<String>,
    /// How many figures the first run has and the second one lacks.
    pub missing: usize,
    /// What the runs themselves warn of.
    pub warnings: Vec<String>,
    /// What was left out: workloads that only one run has, and what could not be read; and the runtime, where both have the same.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Compares two runs, the later or changed one second.
    ///
    /// # Errors
    /// They have nothing in common, or one was profiled.
    pub fn new(a: &Run, b: &Run) -> Result<Self, ReportError> {
        a.must_be_measured()?;
        b.must_be_measured()?;
        let contenders = Contenders::of_all(&[(&a.cells, a.stores()), (&b.cells, b.stores())]);
        let (tables_a, tables_b) = (gather(&a.cells, &contenders), gather(&b.cells, &contenders));
        let (common, only_a) = pairs(&tables_a, &tables_b);
        if common.is_empty() {
            return Err(ReportError::NothingToCompare { a: a.directory.clone(), b: b.directory.clone() });
        }
        let (_, only_b) = pairs(&tables_b, &tables_a);
        let missing = only_a;
        let warnings = [a, b].into_iter().flat_map(|run| {
            let messages = run.record.warnings.iter().map(|warning| &warning.message);
            messages.map(|message| printable(&format!("{}: {message}", run.directory.display())))
        });
        let files = a.stores().iter().filter(|store| store.structure == Structure::Files);
        let files: Vec<String> = files.map(|store| store.title.clone()).collect();
        let files = (!files.is_empty()).then(|| {
            printable(&format!(
                "{}: plain files are as fast as the file system is at that time; for minutes after many were removed it can be several times \
                 slower, which no number of rounds in one run shows",
                listed(&files)
            ))
        });
        let mut notes: Vec<String> = [(a, only_a), (b, only_b)]
            .into_iter()
            .filter(|(_, number)| *number > 0)
            .map(|(run, number)| {
                format!("only in {}: {} figures", run.directory.display(), format_count(number as u64))
            })
            .collect();
        notes.extend(facts::runtime_of_both(a, b));
        for run in [a, b] {
            notes.extend(run.notes.iter().map(|note| format!("{}: {note}", run.directory.display())));
        }
        Ok(Self {
            labels: [a, b].map(|run| printable(&run.directory.display().to_string())),
            stores: stores(&common, &contenders),
            overall: overall(&common, &contenders),
            lines: lines(&common, &contenders),
            differences: facts::differences(a, b),
            newly_failed: facts::newly_failed(a, b, &contenders),
            missing,
            warnings: warnings.chain(files).collect(),
            notes: notes.iter().map(|note| printable(note)).collect(),
        })
    }

    /// Lines that are worse by more than this part (0.05 is 5 %), beyond doubt: all of their interval is.
    pub fn worse_by(&self, part: f64) -> Vec<&Line> {
        let worse = |line: &&Line| line.ratio.is_some_and(|ratio| ratio.low > 1.0 + part);
        self.all().filter(worse).filter(|line| line.change == Change::Worse).collect()
    }

    /// Figures of single workloads that may be worse by more than this part without being proven so: their interval reaches beyond
    /// it, or there are too few rounds for one.
    pub fn undecided_by(&self, part: f64) -> Vec<&Line> {
        let open = |line: &&Line| line.ratio.is_none_or(|of| of.low <= 1.0 + part && of.high > 1.0 + part);
        self.lines.iter().filter(open).collect()
    }

    /// Every line, the widest first.
    fn all(&self) -> impl Iterator<Item = &Line> {
        self.stores.iter().chain(&self.overall).chain(&self.lines)
    }

    /// How many figures have too few rounds in one of the runs for anything to be told.
    pub fn untold(&self) -> usize {
        self.lines.iter().filter(|line| line.ratio.is_none()).count()
    }
}

/// The same figure in both runs, as costs, a round each.
struct Pair<'a> {
    circumstances: &'a Circumstances,
    measure: &'a Measure,
    size: Size,
    column: &'a Column,
    key: &'a str,
    a: Rounds,
    b: Rounds,
    resolution: f64,
}

/// All figures that both runs have, and how many only the first one has.
fn pairs<'a>(a: &'a [Table], b: &'a [Table]) -> (Vec<Pair<'a>>, usize) {
    let (mut common, mut only_a) = (Vec::new(), 0);
    for table in a {
        let other = b.iter().find(|other| other.circumstances == table.circumstances);
        for measure in &table.measures {
            for ((_, size, column), field) in table.places_of(measure) {
                let place = (measure.clone(), *size, column.clone());
                let twin = other.and_then(|other| other.fields.get(&place));
                for (key, rounds) in &field.rounds {
                    let Some(rounds_b) = twin.and_then(|twin| twin.rounds.get(key)) else {
                        only_a += 1;
                        continue;
                    };
                    let circumstances = &table.circumstances;
                    let (a, b) = (field.costs(measure, rounds), field.costs(measure, rounds_b));
                    let resolution = resolution(measure, field.mode);
                    common.push(Pair { circumstances, measure, size: *size, column, key, a, b, resolution });
                }
            }
        }
    }
    (common, only_a)
}

/// A line that is still to be judged, with the rounds of both runs.
struct Open {
    line: Line,
    a: Vec<f64>,
    b: Vec<f64>,
    /// Whether the means differ by less than can be resolved.
    same: bool,
}

impl Open {
    fn new(
        of: &Pair,
        measure: String,
        workload: String,
        (a, b): (Vec<f64>, Vec<f64>),
        contenders: &Contenders,
    ) -> Self {
        let (store, slot) = (contenders.title(of.key), contenders.slot(of.key));
        let line = Line { store, slot, measure, workload, ratio: None, change: Change::CannotTell };
        Self { line, a, b, same: false }
    }

    fn ratio(&self, scatter: &Scatter, confidence: f64) -> Option<Interval> {
        let common = scatter.get(&self.line.measure).and_then(Option::as_ref);
        bakeoff_stats::compare_among(common, &self.b, &self.a, confidence, 1)
    }

    fn change(&self, ratio: Interval) -> Change {
        match ratio {
            _ if self.same => Change::CannotTell,
            of if of.low > 1.0 => Change::Worse,
            of if of.high < 1.0 => Change::Better,
            _ => Change::CannotTell,
        }
    }
}

/// What the rounds of a table's lines have in common, measure by measure.
type Scatter = BTreeMap<String, Option<CommonScatter>>;

fn scatter_of(open: &[Open]) -> Scatter {
    let mut rounds: BTreeMap<String, Vec<&[f64]>> = BTreeMap::new();
    for each in open {
        rounds.entry(each.line.measure.clone()).or_default().extend([each.a.as_slice(), each.b.as_slice()]);
    }
    rounds.into_iter().map(|(measure, rounds)| (measure, CommonScatter::of(rounds))).collect()
}

/// Says of each line of a table what can be said, such that no more than this share of what is called different is not.
fn judge(open: Vec<Open>, wrong: f64) -> Vec<Line> {
    let scatter = scatter_of(&open);
    let able = open.iter().filter(|each| each.ratio(&scatter, 1.0 - wrong).is_some()).count();
    let proven = |confidence| {
        let differs =
            |each: &&Open| each.ratio(&scatter, confidence).is_some_and(|of| each.change(of) != Change::CannotTell);
        open.iter().filter(differs).count()
    };
    let confidence = bakeoff_stats::discovery_confidence(able, wrong, proven);
    let judged = |each: &Open| {
        let ratio = each.ratio(&scatter, confidence);
        Line { ratio, change: ratio.map_or(Change::CannotTell, |of| each.change(of)), ..each.line.clone() }
    };
    open.iter().map(judged).collect()
}

fn lines(pairs: &[Pair], contenders: &Contenders) -> Vec<Line> {
    let all = circumstances_of(pairs);
    let open = |pair: &Pair| {
        let rounds = (pair.a.figures(), pair.b.figures());
        let open = Open::new(pair, cost_label(pair.measure), workload_words(pair, &all), rounds, contenders);
        let same = pair.a.mean().zip(pair.b.mean()).is_some_and(|(a, b)| (a - b).abs() < pair.resolution);
        Open { same, ..open }
    };
    judge(pairs.iter().map(open).collect(), WRONG[2])
}

/// Each store under each measure over all workloads: the geometric mean of its costs, relative to the first run's, round by round.
fn overall(pairs: &[Pair], contenders: &Contenders) -> Vec<Line> {
    let groups = grouped(pairs.iter(), |one, other| {
        (one.key, one.measure, one.circumstances) == (other.key, other.measure, other.circumstances)
    });
    let all = circumstances_of(pairs);
    let open = |group: &Vec<&Pair>| {
        let kept = whole(group);
        let (part, varying) = (part_of(&kept, group, ""), varying_words(group[0].circumstances, &all));
        let words = format!("{part}{}{varying}", counted(group.len(), "workload"));
        Open::new(group[0], cost_label(group[0].measure), words, scores_of(&kept), contenders)
    };
    judge(groups.iter().map(open).collect(), WRONG[1])
}

/// Each store's time over everything that was timed, in the same way.
fn stores(pairs: &[Pair], contenders: &Contenders) -> Vec<Line> {
    let timed = pairs.iter().filter(|pair| matches!(pair.measure, Measure::Time { .. }));
    let groups = grouped(timed, |one, other| one.key == other.key);
    let open = |group: &Vec<&Pair>| {
        let kept = whole(group);
        let words = format!("{}{} timed", part_of(&kept, group, "all "), group.len());
        Open::new(group[0], "time".to_owned(), words, scores_of(&kept), contenders)
    };
    judge(groups.iter().map(open).collect(), WRONG[0])
}

/// Those of a group that have enough rounds in both runs to be taken together.
fn whole<'p, 'a>(group: &[&'p Pair<'a>]) -> Vec<&'p Pair<'a>> {
    with_enough_rounds(group.to_vec(), |pair| pair.a.len().min(pair.b.len()))
}

/// What stands before the number of all: `8 of `, or other words if all were kept.
fn part_of(kept: &[&Pair], all: &[&Pair], whole: &str) -> String {
    if kept.len() == all.len() { whole.to_owned() } else { format!("{} of ", kept.len()) }
}

/// Pairs that belong together, in the order of the first of each group.
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

fn scores_of(group: &[&Pair]) -> (Vec<f64>, Vec<f64>) {
    (scores(group, |pair| &pair.a), scores(group, |pair| &pair.b))
}

/// One figure a round: the geometric mean over the group of its costs, each relative to the first run's mean.
fn scores<'a>(group: &[&'a Pair<'a>], of: fn(&'a Pair<'a>) -> &'a Rounds) -> Vec<f64> {
    let relative = |pair: &&'a Pair<'a>| pair.a.mean().map(|mean| of(pair).map(|cost| cost / mean));
    let costs: Option<Vec<Rounds>> = group.iter().map(relative).collect();
    costs.map_or_else(Vec::new, |costs| over_workloads(&costs.iter().collect::<Vec<_>>()))
}

/// Every circumstances once.
fn circumstances_of(pairs: &[Pair]) -> Vec<Circumstances> {
    let mut all: Vec<Circumstances> = pairs.iter().map(|pair| pair.circumstances.clone()).collect();
    all.dedup();
    all
}

/// A measure's name as a cost.
fn cost_label(measure: &Measure) -> String {
    match measure {
        Measure::Space => "space on disk".to_owned(),
        other => other.label(),
    }
}

fn workload_words(of: &Pair, all: &[Circumstances]) -> String {
    let words = describe_workload(of.size, of.column.records, &of.column.data);
    printable(&format!("{words}{}", varying_words(of.circumstances, all)))
}

/// The circumstances that differ between tables, behind a comma.
fn varying_words(of: &Circumstances, all: &[Circumstances]) -> String {
    let words = crate::circumstances::varying_among(of, all);
    let durability = all.iter().any(|other| other.durability() != of.durability());
    let class =
        of.durability().filter(|_| durability).map_or_else(String::new, |class| format!(" · durability {class}"));
    format!("{words}{class}").replace(" · ", ", ")
}
