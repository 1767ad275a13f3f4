//! Reports for a person: on the terminal, and as the page beside a run's results.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use bakeoff_files::replace_file;
use bakeoff_report::{TerminalOptions, render_terminal, write_page};
use bakeoff_results::analysis::Analysis;

/// The page's name in a run's directory.
const PAGE: &str = "report.html";

/// Tables fit this width, and do not use more. A narrower terminal gets narrower ones.
const WIDTH: usize = 100;

/// Prints the report of a run for a person.
pub(crate) fn print_report(of: &Analysis, full: bool) -> Result<()> {
    print(&render_terminal(of, &terminal(full)))
}

/// How standard output is written to: with colours if it takes them and the user wants them.
pub(crate) fn terminal(full: bool) -> TerminalOptions {
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let columns = terminal_size::terminal_size_of(io::stdout()).map_or(WIDTH, |(columns, _)| usize::from(columns.0));
    TerminalOptions { width: columns.min(WIDTH), color, full }
}

/// Prints a report.
pub(crate) fn print(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes()).context("cannot print the report")
}

/// Writes a run's page beside its results and gives its path.
pub(crate) fn write_page_beside(of: &Analysis) -> Result<PathBuf> {
    let mut page = Vec::new();
    write_page(std::slice::from_ref(of), None, &of.run.directory, &mut page)?;
    let path = of.run.directory.join(PAGE);
    replace_file(&path, &page).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
