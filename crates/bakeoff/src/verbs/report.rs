//! `bakeoff report`: a run's result again, as a page, or as a file for other programs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use bakeoff_engine::{Readers, explained, results_newest_first, shown};
use bakeoff_report::{
    ReportError, describe_note, render_against, render_published, write_csv, write_json, write_markdown, write_page,
    write_parquet, write_samples, write_xlsx,
};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;
use bakeoff_results::run::Run;
use bakeoff_text::printable;

use crate::cli::{DEFAULT_RESULTS, ReportArguments};
use crate::export::{check_files, export, place_of};
use crate::named::find;
use crate::outcome::Outcome;
use crate::show::{Extent, print, print_report, report_again, terminal};

/// Writes one run in some format.
type Writer = fn(&Analysis, &mut dyn Write) -> Result<(), ReportError>;

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
    if arguments.runs.len() > 1 && arguments.html.is_none() {
        return Err(several(arguments.runs.len()));
    }
    let runs = match arguments.runs.as_slice() {
        [] => vec![newest(&arguments.out)?],
        named => named.iter().map(|called| Ok(Run::read(&find(called, &arguments.out)?)?)).collect::<Result<_>>()?,
    };
    // What is written of a trace is its owner's, as the results are.
    runs.iter().for_each(|run| Readers::of(&run.directory).hold());
    let analysed = Analysis::of_all(&runs);
    if arguments.samples.is_some() && analysed.iter().any(|of| of.map().is_none()) {
        bail!("--samples: only a map has samples of a plane: give one, or --csv for a run's rounds");
    }
    if has_text || !exports.is_empty() {
        runs.iter().for_each(say_notes);
    }
    if let Some(path) = &arguments.html {
        let file = place_of(path);
        let place = file.parent().unwrap_or(Path::new("."));
        export(path, |out| write_page(&analysed, against.as_ref(), place, out))?;
    }
    let [of] = analysed.as_slice() else {
        let is_only_page = arguments.markdown.is_none() && exports.is_empty();
        return if is_only_page { Ok(Outcome::Good) } else { Err(several(runs.len())) };
    };
    if exports.is_empty() && !has_text {
        match &against {
            Some(published) => print(&render_against(of, published, &terminal(arguments.full))?)?,
            None => {
                print_report(of, Extent::of(arguments.full, arguments.notes), &again(arguments, &of.run.directory))?
            }
        }
    }
    if let Some(path) = &arguments.markdown {
        export(path, |out| write_markdown(of, against.as_ref(), out))?;
    }
    for (path, write) in exports {
        export(&path, |out| write(of, out))?;
    }
    Ok(Outcome::Good)
}

/// The newest run below `out` that can be read. Newer ones are named, each with what is wrong with it.
fn newest(out: &Path) -> Result<Run> {
    let mut damaged: Vec<anyhow::Error> = Vec::new();
    for directory in results_newest_first(out)? {
        match Run::read(&directory) {
            Ok(run) => {
                for why in &damaged {
                    tell!("warning: the newest run cannot be shown: {}", printable(&explained(why)));
                }
                return Ok(run);
            }
            Err(why) => damaged.push(why.into()),
        }
    }
    Err(damaged.swap_remove(0))
}

/// The command that shows the same run again.
fn again(arguments: &ReportArguments, directory: &Path) -> String {
    let is_newest = arguments.runs.is_empty() && arguments.out == Path::new(DEFAULT_RESULTS);
    let called = arguments.runs.first().map_or(directory, PathBuf::as_path);
    report_again(Some(called).filter(|_| !is_newest))
}

/// Why several runs cannot be shown.
fn several(number: usize) -> anyhow::Error {
    anyhow!(
        "{number} runs were named: only --html shows several in one; for everything else name one, and `{} compare` \
         says what differs between two",
        bakeoff_text::program()
    )
}

/// Reports omissions of a run, which a file for another program does not show.
fn say_notes(run: &Run) {
    for note in &run.notes {
        tell!("bakeoff: {}: {}", shown(&run.directory), printable(&describe_note(note)));
    }
}

/// The exports besides the page and the Markdown.
fn exports(arguments: &ReportArguments) -> Vec<(PathBuf, Writer)> {
    let all: [(Option<PathBuf>, Writer); 5] = [
        (arguments.csv.clone(), |of, out| write_csv(of.run, out)),
        (arguments.json.clone(), write_json),
        (arguments.parquet.clone(), |of, out| write_parquet(of.run, out)),
        (arguments.xlsx.clone(), write_xlsx),
        (arguments.samples.clone(), |of, out| of.map().map_or(Ok(()), |map| write_samples(map, out))),
    ];
    all.into_iter().filter_map(|(path, write)| Some((path?, write))).collect()
}

/// Prints what a publication found, or its figures from `published/`.
fn show_published(name: &str, arguments: &ReportArguments) -> Result<Outcome> {
    let published = Published::find(name)?;
    let ReportArguments { runs, csv, html, against, markdown, .. } = arguments;
    let others = exports(arguments).len() > usize::from(csv.is_some());
    if runs.len() > 1 || html.is_some() || against.is_some() || markdown.is_some() || others {
        bail!("published:{name} can be shown, or written with --csv: leave the other options out");
    }
    match &arguments.csv {
        Some(path) => export(path, |out| out.write_all(published.csv().as_bytes()))?,
        None => print(&render_published(&published, &terminal(arguments.full)))?,
    }
    Ok(Outcome::Good)
}
