//! Reports as text: documents in lines that fit the terminal.

mod blocks;
pub(crate) mod matrix;
mod options;
mod tables;

pub use crate::terminal::options::TerminalOptions;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;

use crate::compare::ComparisonReport;
use crate::compare::document::document as comparison;
use crate::document::Form;
use crate::error::ReportError;
use crate::published::against::against;
use crate::published::report::report as published;
use crate::sections::report;
use crate::terminal::blocks::document;

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
