//! `bakeoff report`: a run's result again, or as a file for other programs.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use bakeoff_report::{
    Published, Run, TerminalOptions, render_against, render_published, render_terminal, write_csv, write_hines_csv,
    write_json,
};

use crate::Outcome;
use crate::cli::{DEFAULT_RESULTS, ReportArguments};
use crate::files::newest_results;

/// Tables fit this width, and do not use more. A narrower terminal gets narrower ones.
const WIDTH: usize = 100;

/// Runs the verb.
pub(crate) fn main(arguments: &ReportArguments) -> Result<Outcome> {
    if let Some(name) = arguments.run.as_ref().and_then(|run| run.to_str()?.strip_prefix("published:")) {
        return show_published(name, arguments);
    }
    let directory = match &arguments.run {
        Some(run) => run.clone(),
        None => newest_results(Path::new(DEFAULT_RESULTS))?,
    };
    if let Some(name) = &arguments.against {
        let published = Published::find(name)?;
        let text = render_against(&Run::read(&directory)?, &published, &terminal(arguments.full))?;
        print(&text)?;
        return Ok(Outcome::Good);
    }
    if arguments.csv.is_none() && arguments.json.is_none() {
        show(&directory, arguments.full)?;
        return Ok(Outcome::Good);
    }
    if arguments.csv.is_some() && arguments.csv == arguments.json {
        bail!("--csv and --json would be written into each other: give them different files");
    }
    let run = Run::read(&directory)?;
    if let Some(path) = &arguments.csv {
        match path.to_str().and_then(hines_columns) {
            Some(path) => export(Path::new(path), |out| write_hines_csv(&run, out))?,
            None => export(path, |out| write_csv(&run, out))?,
        }
    }
    if let Some(path) = &arguments.json {
        export(path, |out| write_json(&run, out))?;
    }
    Ok(Outcome::Good)
}

/// Where to write the columns of Hines 2023, if those are asked for: `hines` or `hines:FILE`.
fn hines_columns(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("hines")?;
    if rest.is_empty() { Some("-") } else { rest.strip_prefix(':') }
}

/// Prints the report of a run for a person.
pub(crate) fn show(directory: &Path, full: bool) -> Result<()> {
    let run = Run::read(directory)?;
    print(&render_terminal(&run, &terminal(full)))
}

/// Prints what a publication found, or its figures as they stand in `published/`.
fn show_published(name: &str, arguments: &ReportArguments) -> Result<Outcome> {
    let published = Published::find(name)?;
    if arguments.json.is_some() || arguments.against.is_some() {
        bail!("published:{name} can be shown, or written with --csv: leave the other options out");
    }
    match &arguments.csv {
        Some(path) => export(path, |out| out.write_all(published.csv().as_bytes()))?,
        None => print(&render_published(&published, &terminal(arguments.full)))?,
    }
    Ok(Outcome::Good)
}

fn terminal(full: bool) -> TerminalOptions {
    let color = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let columns = terminal_size::terminal_size_of(io::stdout()).map_or(WIDTH, |(columns, _)| usize::from(columns.0));
    TerminalOptions { width: columns.min(WIDTH), color, full }
}

fn print(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes()).context("cannot print the report")
}

fn export<E>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        write(&mut out).context("cannot print the export")?;
        return out.flush().context("cannot print the export");
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut out = BufWriter::new(file);
    write(&mut out).with_context(|| format!("cannot write {}", path.display()))?;
    out.flush().with_context(|| format!("cannot write {}", path.display()))
}
