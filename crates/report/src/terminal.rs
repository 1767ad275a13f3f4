//! Reports as text: documents in lines that fit the terminal.

mod blocks;
mod matrix;
mod options;
mod tables;

pub use crate::terminal::options::TerminalOptions;

use bakeoff_results::pick_facts::PickFacts;
use bakeoff_results::rate_search::RateFacts;
use bakeoff_results::run::Run;

use crate::compare::Comparison;
use crate::compare::document::document as comparison;
use crate::document::{Document, Form, Section};
use crate::error::ReportError;
use crate::published::Published;
use crate::published::against::against;
use crate::published::report::report as published;
use crate::sections::{pick, rates, report};
use crate::terminal::blocks::document;
use bakeoff_results::analysis::Analysis;

/// A run's report as text that ends with a line break.
pub fn render_terminal(of: &Analysis, options: &TerminalOptions) -> String {
    document(&report(of, options.detail(), Form::Terminal), *options)
}

/// The answer of a pick as text that ends with a line break; lines have at most `width` columns.
pub fn render_pick(run: &Run, facts: &PickFacts, width: usize, color: bool) -> String {
    sections(pick::sections(run, facts), width, color)
}

/// The highest rates that were found, as text that ends with a line break; lines have at most `width` columns.
pub fn render_rates(run: &Run, facts: &RateFacts, width: usize, color: bool) -> String {
    sections(rates::section(run, facts).into_iter().collect(), width, color)
}

fn sections(sections: Vec<Section>, width: usize, color: bool) -> String {
    document(&Document { sections, ..Document::default() }, TerminalOptions { width, color, full: false })
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
pub fn render_comparison(of: &Comparison, options: &TerminalOptions) -> String {
    document(&comparison(of, options.detail()), *options)
}
