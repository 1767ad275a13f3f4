//! `bakeoff report`: a run's result again, as a page, or as a file for other programs.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_report::{
    Published, ReportError, TerminalOptions, render_against, render_published, render_terminal, write_csv,
    write_hines_csv, write_json, write_markdown, write_page, write_parquet, write_xlsx,
};
use bakeoff_results::run::Run;
use bakeoff_text::printable;

use crate::cli::ReportArguments;
use crate::engine::results::RESULTS;
use crate::engine::run_file::RUN_FILE;
use crate::files::{Kind, MARKER, kind_of, newest_results, replace_file, shown};
use crate::outcome::Outcome;

/// The page's name in a run's directory.
const PAGE: &str = "report.html";

/// Tables fit this width, and do not use more. A narrower terminal gets narrower ones.
const WIDTH: usize = 100;

/// Writes one run in some format.
type Writer = fn(&Run, &mut dyn Write) -> Result<(), ReportError>;

/// Runs the verb.
pub(crate) fn main(arguments: &ReportArguments) -> Result<Outcome> {
    let published = |run: &PathBuf| Some(run.to_str()?.strip_prefix("published:")?.to_owned());
    if let Some(name) = arguments.runs.iter().find_map(published) {
        return show_published(&name, arguments);
    }
    let exports = exports(arguments);
    let texts = [&arguments.html, &arguments.markdown].into_iter().flatten();
    check_files(texts.clone().chain(exports.iter().map(|(path, _)| path)))?;
    let against = arguments.against.as_deref().map(Published::find).transpose()?;
    let has_text = texts.count() > 0;
    let directories = match arguments.runs.as_slice() {
        [] => vec![newest_results(&arguments.out)?],
        named => named.to_vec(),
    };
    if let Some(path) = &arguments.html {
        let runs = directories.iter().map(|directory| Run::read(directory)).collect::<Result<Vec<_>, _>>()?;
        runs.iter().for_each(say_notes);
        let file = place_of(path);
        let place = file.parent().unwrap_or(Path::new("."));
        export(path, |out| write_page(&runs, against.as_ref(), place, out))?;
    }
    let only = match directories.as_slice() {
        [only] => only,
        _ if arguments.html.is_some() && arguments.markdown.is_none() && exports.is_empty() => {
            return Ok(Outcome::Good);
        }
        several => bail!(
            "{} runs were named: only --html shows several in one; for everything else name one, and `bakeoff compare` \
             says what differs between two",
            several.len()
        ),
    };
    if exports.is_empty() && !has_text {
        match &against {
            Some(published) => print(&render_against(&Run::read(only)?, published, &terminal(arguments.full))?)?,
            None => show(only, arguments.full)?,
        }
        return Ok(Outcome::Good);
    }
    let run = Run::read(only)?;
    if arguments.html.is_none() {
        say_notes(&run);
    }
    if let Some(path) = &arguments.markdown {
        export(path, |out| write_markdown(&run, against.as_ref(), out))?;
    }
    for (path, write) in exports {
        export(&path, |out| write(&run, out))?;
    }
    Ok(Outcome::Good)
}

/// Says what was left out of a run, which a file that is written for another program does not show.
fn say_notes(run: &Run) {
    for note in &run.notes {
        tell!("bakeoff: {}: {}", shown(&run.directory), printable(note));
    }
}

/// What was asked for besides the page and the Markdown.
fn exports(arguments: &ReportArguments) -> Vec<(PathBuf, Writer)> {
    let hines = arguments.csv.as_ref().and_then(|path| hines_columns(path.to_str()?));
    let csv: (Option<PathBuf>, Writer) = match hines {
        Some(path) => (Some(path.into()), write_hines_csv),
        None => (arguments.csv.clone(), write_csv),
    };
    let all: [(Option<PathBuf>, Writer); 4] = [
        csv,
        (arguments.json.clone(), write_json),
        (arguments.parquet.clone(), write_parquet),
        (arguments.xlsx.clone(), write_xlsx),
    ];
    all.into_iter().filter_map(|(path, write)| Some((path?, write))).collect()
}

/// Where to write the columns of Hines 2023, if those are asked for: `hines` or `hines:FILE`.
fn hines_columns(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("hines")?;
    if rest.is_empty() { Some("-") } else { rest.strip_prefix(':') }
}

/// Each export must have a name, and two must not be written into each other.
pub(crate) fn check_files<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    let mut seen = Vec::new();
    for file in files {
        if file.as_os_str().is_empty() {
            bail!("an export has no file name: give it one, or - for standard output");
        }
        let place = place_of(file);
        if seen.contains(&place) {
            bail!("two exports would be written into {}: give them different files", file.display());
        }
        seen.push(place);
    }
    Ok(())
}

/// Where a file is or will be, whatever links and detours lead there.
fn place_of(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let place = |parent: PathBuf| file.file_name().map(|name| parent.join(name));
    let found = file.canonicalize().ok().or_else(|| parent.canonicalize().ok().and_then(place));
    found.unwrap_or_else(|| file.to_owned())
}

/// Whether a run keeps something there that cannot be made again.
fn is_of_a_run(place: &Path) -> bool {
    let is_named = place.file_name().is_some_and(|name| [RUN_FILE, RESULTS, MARKER].iter().any(|own| name == *own));
    let directory = place.parent();
    (is_named && directory.and_then(kind_of) == Some(Kind::Results))
        || directory
            .is_some_and(|logs| logs.ends_with("logs") && logs.parent().and_then(kind_of) == Some(Kind::Results))
}

/// Prints the report of a run for a person.
pub(crate) fn show(directory: &Path, full: bool) -> Result<()> {
    let run = Run::read(directory)?;
    print(&render_terminal(&run, &terminal(full)))
}

/// Prints what a publication found, or its figures as they stand in `published/`.
fn show_published(name: &str, arguments: &ReportArguments) -> Result<Outcome> {
    let published = Published::find(name)?;
    let ReportArguments { runs, csv, html, against, markdown, .. } = arguments;
    let others = exports(arguments).len() > usize::from(csv.is_some());
    if runs.len() > 1 || html.is_some() || against.is_some() || markdown.is_some() || others {
        bail!("published:{name} can be shown, or written with --csv: leave the other options out");
    }
    if csv.as_ref().and_then(|path| hines_columns(path.to_str()?)).is_some() {
        bail!(
            "--csv hines is for runs of ours: --csv FILE writes all that published:{name} says, in columns of its own"
        );
    }
    match &arguments.csv {
        Some(path) => export(path, |out| out.write_all(published.csv().as_bytes()))?,
        None => print(&render_published(&published, &terminal(arguments.full)))?,
    }
    Ok(Outcome::Good)
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
pub(crate) fn write_page_beside(directory: &Path) -> Result<PathBuf> {
    let mut page = Vec::new();
    write_page(&[Run::read(directory)?], None, directory, &mut page)?;
    let path = directory.join(PAGE);
    replace_file(&path, &page)?;
    Ok(path)
}

/// Writes an export to a file, or to standard output for `-`.
pub(crate) fn export<E>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        write(&mut out).context("cannot print the export")?;
        return out.flush().context("cannot print the export");
    }
    let place = place_of(path);
    if is_of_a_run(&place) {
        bail!("{} holds a run's results, which an export would replace: give another file", place.display());
    }
    let cannot = || format!("cannot write {}", path.display());
    // A pipe or a device is written to; a file is replaced when the export is whole.
    if place.metadata().is_ok_and(|facts| !facts.is_file()) {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(&place).with_context(cannot)?);
        write(&mut out).with_context(cannot)?;
        return out.flush().with_context(cannot);
    }
    let parent = place.parent().unwrap_or(Path::new("."));
    parent.metadata().with_context(cannot)?;
    let readable = Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().permissions(readable).tempfile_in(parent);
    // Its own message names the temporary file.
    let file = file.map_err(|error| io::Error::from(error.kind())).with_context(cannot)?;
    let mut out = BufWriter::new(file);
    write(&mut out).with_context(cannot)?;
    let file = out.into_inner().map_err(IntoInnerError::into_error).with_context(cannot)?;
    // Its own message tells its cause, which is told behind it again.
    file.persist(&place).map(drop).map_err(|error| error.error).with_context(cannot)
}
