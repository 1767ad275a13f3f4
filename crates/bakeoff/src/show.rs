//! Reports for people: on the terminal, and as the page in a run's directory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_engine::shown;
use bakeoff_files::replace_file;
use bakeoff_report::{Further, TerminalOptions, render_answer, render_notices, render_terminal, write_page};
use bakeoff_results::analysis::Analysis;
use bakeoff_text::{program, shell_command};

use crate::cli::COLUMNS;

/// The page's name in a run's directory.
const PAGE: &str = "report.html";

/// How much of a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The short answer.
    Answer,
    /// Warnings and skips alone.
    Notices,
    /// Everything.
    Full,
}

impl Extent {
    /// What two flags ask for.
    pub(crate) fn of(full: bool, notices: bool) -> Self {
        match (full, notices) {
            (true, _) => Self::Full,
            (_, true) => Self::Notices,
            _ => Self::Answer,
        }
    }
}

/// Prints the report of a run for a person. `again` is the command that does so again.
pub(crate) fn print_report(of: &Analysis, extent: Extent, again: &str) -> Result<()> {
    let options = terminal(extent == Extent::Full);
    let page = of.run.directory.join(PAGE);
    let page = page.exists().then(|| shown(&page));
    print(&match extent {
        Extent::Notices => render_notices(of, &options),
        // A map is a picture, and its own answer.
        Extent::Answer if of.map().is_none() => render_answer(of, &options, &further(again, page.as_deref())),
        Extent::Answer | Extent::Full => render_terminal(of, &options),
    })
}

/// Where a short answer leads.
pub(crate) fn further<'a>(again: &'a str, page: Option<&'a str>) -> Further<'a> {
    Further { program: program(), again, page }
}

/// The command that reports a run again: of the newest one without its directory.
pub(crate) fn report_again(directory: Option<&Path>) -> String {
    let command = format!("{} report", program());
    directory.map_or(command.clone(), |path| format!("{command} {}", shell_command(&[shown(path).as_str()])))
}

/// The command that goes on with a run.
pub(crate) fn resume_again(directory: &Path) -> String {
    format!("{} run {}", program(), shell_command(&["--resume", shown(directory).as_str()]))
}

/// How standard output is written to: with colours if it takes them and the user wants them.
pub(crate) fn terminal(full: bool) -> TerminalOptions {
    let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    TerminalOptions { width: columns(), color, full }
}

/// Columns of standard output that text is to take at most: where it is no terminal, what the variable `COLUMNS` says.
pub(crate) fn columns() -> usize {
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns =
        terminal_size::terminal_size_of(io::stdout()).map(|(columns, _)| usize::from(columns.0)).or_else(told);
    columns.map_or(COLUMNS, |columns| columns.min(COLUMNS))
}

/// Prints a report.
pub(crate) fn print(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes()).context("cannot print the report")
}

/// Writes the page into a run's directory and returns its path.
pub(crate) fn write_page_beside(of: &Analysis) -> Result<PathBuf> {
    let mut page = Vec::new();
    write_page(std::slice::from_ref(of), None, &of.run.directory, &mut page)?;
    let path = of.run.directory.join(PAGE);
    replace_file(&path, &page).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
