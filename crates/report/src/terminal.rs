//! Reports as text: documents in lines that fit the terminal.

mod blocks;
pub(crate) mod matrix;
mod options;
mod tables;

pub use crate::terminal::options::TerminalOptions;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;

use crate::brief::{self, Further, LINES_MAX, LINES_MAX_WITH_CODE};
use crate::compare::ComparisonReport;
use crate::compare::document::document as comparison;
use crate::document::{Block, Document, Form};
use crate::error::ReportError;
use crate::published::against::against;
use crate::published::report::report as published;
use crate::sections::report;
use crate::terminal::blocks::document;

/// Rows that the longest table of a short answer has at most.
const ROWS_MAX: usize = 14;

/// The short answer of a run as text that ends with a line break: 20 lines at most on 80 columns.
pub fn render_answer(of: &Analysis, options: &TerminalOptions, further: &Further) -> String {
    fitting(brief::answer(of, further), *options)
}

/// The same for a comparison; `part` is the part by which figures may be worse.
pub fn render_comparison_answer(
    of: &ComparisonReport,
    part: Option<f64>,
    options: &TerminalOptions,
    further: &Further,
) -> String {
    fitting(brief::compared(of, part, further), *options)
}

/// What failed, was skipped or left out, warnings and notes, all of them, as text that ends with a line break.
pub fn render_notices(of: &Analysis, options: &TerminalOptions) -> String {
    document(&brief::notices(of), TerminalOptions { full: true, ..*options })
}

/// The same for a comparison, with the differences between the two runs.
pub fn render_comparison_notices(of: &ComparisonReport, options: &TerminalOptions) -> String {
    document(&brief::notices_of_comparison(of), TerminalOptions { full: true, ..*options })
}

/// A short answer with the rows of its longest table that fit.
fn fitting(mut of: Document, options: TerminalOptions) -> String {
    let mut rows = ROWS_MAX;
    let has_code = of.sections.iter().flat_map(|section| &section.blocks).any(|block| matches!(block, Block::Code(_)));
    let most = if has_code { LINES_MAX_WITH_CODE } else { LINES_MAX };
    loop {
        brief::fold(&mut of, rows);
        let text = document(&of, TerminalOptions { full: false, ..options });
        if rows == 1 || text.lines().count() <= most {
            return text;
        }
        rows -= 1;
    }
}

/// A run's report as text that ends with a line break.
pub fn render_terminal(of: &Analysis, options: &TerminalOptions) -> String {
    document(&report(of, options.detail(), Form::Terminal), *options)
}

/// The publication as text that ends with a line break: its matrices, how its stores were set, its notes.
pub fn render_published(of: &Published, options: &TerminalOptions) -> String {
    document(&published(of), *options)
}

/// A run next to a publication, as text that ends with a line break.
///
/// # Errors
/// The two have no field in common, or the run was profiled.
pub fn render_against(of: &Analysis, published: &Published, options: &TerminalOptions) -> Result<String, ReportError> {
    Ok(document(&against(of, published, options.detail())?, *options))
}

/// The comparison as text that ends with a line break: over all workloads first, then every workload in which something changed, or with
/// `full` every one.
pub fn render_comparison(of: &ComparisonReport, options: &TerminalOptions) -> String {
    document(&comparison(of, options.detail()), *options)
}
