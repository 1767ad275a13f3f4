//! Two runs side by side: what became better, worse, or cannot be told, for each store in each workload and over all of them.
//!
//! Only what both runs measured under the same circumstances is compared. Every figure is taken as a cost (time, bytes on disk
//! per byte of data, bytes of memory), so that a ratio above 1 always means worse. The interval of each ratio holds at 95 % for
//! all comparisons of its table together (Bonferroni): between two equal runs something is called better or worse in at
//! most one of twenty such tables.

mod facts;
mod html;
mod markdown;
mod terminal;

use bakeoff_stats::Interval;

pub use html::write_comparison_html;
pub use markdown::write_comparison_markdown;
pub use terminal::render_comparison;

use crate::contender::Contenders;
use crate::figures::{Measure, resolution};
use crate::format::{count, counted, printable, size_range};
use crate::matrix::measure_label;
use crate::rounds::{Rounds, over_workloads};
use crate::run::{ReportError, Run};
use crate::verdict::{Circumstances, Column, Size, Table, gather};

/// Confidence of each table as a whole.
const CONFIDENCE: f64 = 0.95;

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
    /// What was left out: workloads that only one run has, and what could not be read.
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
        let contenders = Contenders::of_all(&[(&a.cells, &a.stores), (&b.cells, &b.stores)]);
        let (tables_a, tables_b) = (gather(&a.cells, &contenders), gather(&b.cells, &contenders));
        let (common, only_a) = pairs(&tables_a, &tables_b);
        if common.is_empty() {
            return Err(ReportError::NothingToCompare { a: a.directory.clone(), b: b.directory.clone() });
        }
        let (_, only_b) = pairs(&tables_b, &tables_a);
        let missing = only_a;
        let warnings = [a, b].into_iter().flat_map(|run| {
            let messages = run.list("warnings").iter().filter_map(|warning| warning.get("message")?.as_str());
            messages.map(|message| printable(&format!("{}: {message}", run.directory.display())))
        });
        let mut notes: Vec<String> = [(a, only_a), (b, only_b)]
            .into_iter()
            .filter(|(_, number)| *number > 0)
            .map(|(run, number)| format!("only in {}: {} figures", run.directory.display(), count(number as u64)))
            .collect();
        for run in [a, b] {
            notes.extend(run.notes.iter().map(|note| format!("{}: {note}", run.directory.display())));
        }
        Ok(Self {
            labels: [a, b].map(|run| printable(&run.directory.display().to_string())),
            overall: overall(&common, &contenders),
            lines: lines(&common, &contenders),
            differences: facts::differences(a, b),
            newly_failed: facts::newly_failed(a, b, &contenders),
            missing,
            warnings: warnings.collect(),
            notes: notes.iter().map(|note| printable(note)).collect(),
        })
    }

    /// Lines that are worse by more than this part (0.05 is 5 %), beyond doubt: all of their interval is.
    pub fn worse_by(&self, part: f64) -> Vec<&Line> {
        let worse = |line: &&Line| line.ratio.is_some_and(|ratio| ratio.low > 1.0 + part);
        self.overall.iter().chain(&self.lines).filter(worse).filter(|line| line.change == Change::Worse).collect()
    }

    /// Figures of single workloads that may be worse by more than this part without being proven so: their interval reaches beyond
    /// it, or there are too few rounds for one.
    pub fn undecided_by(&self, part: f64) -> Vec<&Line> {
        let open = |line: &&Line| line.ratio.is_none_or(|of| of.low <= 1.0 + part && of.high > 1.0 + part);
        self.lines.iter().filter(open).collect()
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
            for ((_, size, column), field) in table.fields.iter().filter(|((of, _, _), _)| of == measure) {
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

fn lines(pairs: &[Pair], contenders: &Contenders) -> Vec<Line> {
    let all = circumstances_of(pairs);
    let line = |pair: &Pair| {
        let same = pair.a.mean().zip(pair.b.mean()).is_some_and(|(a, b)| (a - b).abs() < pair.resolution);
        let ratio = ratio(&pair.a.figures(), &pair.b.figures(), pairs.len());
        new_line(pair, ratio, same, workload_words(pair, &all), contenders)
    };
    pairs.iter().map(line).collect()
}

/// Each store under each measure over all workloads: the geometric mean of its costs, relative to the first run's, round by round.
fn overall(pairs: &[Pair], contenders: &Contenders) -> Vec<Line> {
    let mut groups: Vec<(&Pair, Vec<&Pair>)> = Vec::new();
    for pair in pairs {
        let same = |(first, _): &&mut (&Pair, Vec<&Pair>)| {
            (first.key, first.measure, first.circumstances) == (pair.key, pair.measure, pair.circumstances)
        };
        match groups.iter_mut().find(same) {
            Some((_, group)) => group.push(pair),
            None => groups.push((pair, vec![pair])),
        }
    }
    let (number, all) = (groups.len(), circumstances_of(pairs));
    let line = |(first, group): (&Pair, Vec<&Pair>)| {
        let (a, b) = (scores(&group, |pair| &pair.a), scores(&group, |pair| &pair.b));
        let words = format!("{}{}", counted(group.len(), "workload"), varying_words(first.circumstances, &all));
        new_line(first, ratio(&a, &b, number), false, words, contenders)
    };
    groups.into_iter().map(line).collect()
}

/// One figure a round: the geometric mean over the group of its costs, each relative to the first run's mean.
fn scores<'a>(group: &[&'a Pair<'a>], of: fn(&'a Pair<'a>) -> &'a Rounds) -> Vec<f64> {
    let relative = |pair: &&'a Pair<'a>| pair.a.mean().map(|mean| of(pair).map(|cost| cost / mean));
    let costs: Option<Vec<Rounds>> = group.iter().map(relative).collect();
    costs.map_or_else(Vec::new, |costs| over_workloads(&costs.iter().collect::<Vec<_>>()))
}

fn ratio(a: &[f64], b: &[f64], comparisons: usize) -> Option<Interval> {
    bakeoff_stats::compare(b, a, 1.0 - (1.0 - CONFIDENCE) / comparisons.max(1) as f64, 1)
}

fn new_line(of: &Pair, ratio: Option<Interval>, same: bool, workload: String, contenders: &Contenders) -> Line {
    let change = match ratio {
        Some(ratio) if !same && ratio.low > 1.0 => Change::Worse,
        Some(ratio) if !same && ratio.high < 1.0 => Change::Better,
        _ => Change::CannotTell,
    };
    let (store, slot) = (contenders.title(of.key), contenders.slot(of.key));
    Line { store, slot, measure: cost_label(of.measure), workload, ratio, change }
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
        other => measure_label(other),
    }
}

fn workload_words(of: &Pair, all: &[Circumstances]) -> String {
    let words = format!("{} × {} {}", size_range(of.size.0, of.size.1), count(of.column.records), of.column.data);
    printable(&format!("{words}{}", varying_words(of.circumstances, all)))
}

/// The circumstances that differ between tables, behind a comma.
fn varying_words(of: &Circumstances, all: &[Circumstances]) -> String {
    let words = crate::terminal::varying_among(of, all);
    let durability = all.iter().any(|other| other.durability != of.durability);
    let class = of.durability.filter(|_| durability).map_or_else(String::new, |class| format!(" · durability {class}"));
    format!("{words}{class}").replace(" · ", ", ")
}
