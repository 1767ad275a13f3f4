//! Two runs side by side: what a comparison found, with what the runs differ in besides their figures.

pub(crate) mod document;
mod facts;
mod html;

use bakeoff_results::caveats::caveat_compared;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::citation::citation;
use bakeoff_results::comparison::{Comparison, Line, Subject, Taken};
use bakeoff_results::differences::Differences;
use bakeoff_results::figures::Measure;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count, printable};

pub use html::write_comparison_html;

use crate::circumstances::varying_axes;
use crate::error::ReportError;
use crate::format::describe_workload;
use crate::read_notes;
use crate::sections::notes;

/// A comparison of two runs, with all text around it.
#[derive(Debug)]
pub struct ComparisonReport {
    /// The results of the comparison.
    pub found: Comparison,
    /// What the runs are called: by their names, or else by their directories.
    pub labels: [String; 2],
    /// What the two runs differ in besides their figures: machine, versions, settings.
    pub differences: Vec<String>,
    /// Cells that failed in the second run only.
    pub newly_failed: Vec<String>,
    /// What the runs themselves warn of.
    pub warnings: Vec<String>,
    /// What the comparison lacks: workloads that only one run has, and unreadable lines. Also the runtime, where both
    /// have the same.
    pub notes: Vec<String>,
    /// How each of the two runs is cited.
    pub citations: Vec<String>,
}

/// A line's texts, safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineLabels {
    /// The store's title.
    pub store: String,
    /// The store's colour and mark.
    pub(crate) slot: usize,
    /// The measure's name.
    pub measure: String,
    /// The workload, or over how many workloads.
    pub workload: String,
}

impl ComparisonReport {
    /// Compares two runs, the later or changed one second.
    ///
    /// # Errors
    /// They have nothing in common, or one was profiled.
    pub fn new(a: &Run, b: &Run) -> Result<Self, ReportError> {
        let found = Comparison::new(a, b)?;
        let newly_failed = found.newly_failed.iter().map(|end| facts::failure(end, &found.contenders)).collect();
        Ok(Self {
            labels: [a, b].map(label),
            differences: facts::differences(&Differences::of(a, b)),
            newly_failed,
            warnings: warnings(a, b),
            notes: notes(a, b, found.only_in).iter().map(|note| printable(note)).collect(),
            citations: [a, b].map(citation).into(),
            found,
        })
    }

    /// A line's texts.
    pub fn labels_of(&self, line: &Line) -> LineLabels {
        let contenders = &self.found.contenders;
        LineLabels {
            store: contenders.title(&line.key),
            slot: contenders.slot(&line.key),
            measure: line.subject.measure().map_or_else(|| "time".to_owned(), cost_label),
            workload: self.workload_label(&line.subject),
        }
    }

    /// A measure's name, as a cost.
    pub(crate) fn measure_label(&self, measure: &Measure) -> String {
        cost_label(measure)
    }

    fn workload_label(&self, subject: &Subject) -> String {
        match subject {
            Subject::Everything(taken) => format!("{}{} timed", part_label(*taken, "all "), taken.all),
            Subject::Workloads { circumstances, taken, .. } => {
                let workloads = counted(taken.all, "workload");
                format!("{}{workloads}{}", part_label(*taken, ""), self.varying_label(circumstances))
            }
            Subject::Workload { circumstances, size, column, .. } => {
                let workload = describe_workload(*size, column.records, &column.data);
                printable(&format!("{workload}{}", self.varying_label(circumstances)))
            }
        }
    }

    /// The circumstances that differ between tables, behind a comma.
    fn varying_label(&self, of: &Circumstances) -> String {
        let all = &self.found.circumstances;
        let mut labels: Vec<String> = varying_axes(of, all).map(|(_, label)| label).collect();
        let durability = all.iter().any(|other| other.durability() != of.durability());
        labels.extend(of.durability().filter(|_| durability).map(|class| format!("durability {class}")));
        labels.iter().map(|label| format!(", {label}")).collect()
    }
}

/// What a run is called.
fn label(run: &Run) -> String {
    printable(&run.record.name.clone().unwrap_or_else(|| run.directory.display().to_string()))
}

/// What the runs themselves warn of.
fn warnings(a: &Run, b: &Run) -> Vec<String> {
    let warnings = [a, b].into_iter().flat_map(|run| {
        let messages = run.record.warnings.iter().map(|warning| &warning.message);
        messages.map(|message| printable(&format!("{}: {message}", run.directory.display())))
    });
    warnings.chain(caveat_compared(a).map(|caveat| printable(&notes::describe(&caveat)))).collect()
}

/// What the comparison lacks, and the runtime of both.
fn notes(a: &Run, b: &Run, only_in: [usize; 2]) -> Vec<String> {
    let only = [a, b].into_iter().zip(only_in).filter(|(_, number)| *number > 0);
    let only = only
        .map(|(run, number)| format!("only in {}: {} figures", run.directory.display(), format_count(number as u64)));
    let mut notes: Vec<String> = only.collect();
    notes.extend(facts::runtime_of_both(a, b));
    for run in [a, b] {
        notes.extend(
            run.notes.iter().map(|note| format!("{}: {}", run.directory.display(), read_notes::describe(note))),
        );
    }
    notes
}

/// The text before the total: `8 of `, or another if all were kept.
fn part_label(taken: Taken, whole: &str) -> String {
    if taken.kept == taken.all { whole.to_owned() } else { format!("{} of ", taken.kept) }
}

/// A measure's name as a cost.
fn cost_label(measure: &Measure) -> String {
    match measure {
        Measure::Space => "space on disk".to_owned(),
        other => other.label(),
    }
}
