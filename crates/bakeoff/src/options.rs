//! From what was typed to what the engine takes: the suite's text, and the options of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Drivers, Kind, SuiteSource, kind_of, left_out};
use bakeoff_results::record::RunRecord;
use bakeoff_suite::RunOptions;

use crate::cli::{RunArguments, SuiteArguments};

/// The shortest time that a run may be given.
const BUDGET_MIN: Duration = Duration::from_secs(1);

/// The requested suite: it replays a tape, or has a name.
pub(crate) fn suite_source(arguments: &SuiteArguments) -> Result<SuiteSource> {
    match &arguments.tape {
        Some(tape) => SuiteSource::replaying(tape),
        None => SuiteSource::find(&arguments.suite),
    }
}

/// The options of a run, without its suite.
pub(crate) fn run_options(arguments: &RunArguments) -> Result<RunOptions> {
    let budget = arguments.budget.as_deref().map(parse_budget).transpose()?;
    let options = RunOptions {
        overrides: arguments.suite.overrides.0.clone(),
        corpus: arguments.suite.corpus.clone(),
        dir: arguments.dir.clone(),
        media: media(&arguments.medium)?,
        out: arguments.out.clone(),
        budget_ns: None,
        driver: None,
        profile: arguments.profile,
    };
    Ok(options.within(budget))
}

/// The options of a plan: nothing is measured, and `out` is the directory that cells would be measured in.
pub(crate) fn plan_options(arguments: &SuiteArguments, out: PathBuf) -> RunOptions {
    RunOptions {
        overrides: arguments.overrides.0.clone(),
        corpus: arguments.corpus.clone(),
        dir: Some(out.clone()),
        out,
        ..RunOptions::default()
    }
}

/// The record of an earlier run.
///
/// # Errors
/// The directory is not that of a run, or `run.json` cannot be read.
pub(crate) fn record_of(run: &Path) -> Result<RunRecord> {
    if kind_of(run) != Some(Kind::Results) {
        let program = bakeoff_text::program();
        bail!("{} is not a run of bakeoff's: give a directory that `{program} run` made", run.display());
    }
    Ok(RunRecord::read_whole(run)?)
}

/// The options of a run, to plan it again. Results may have been moved: where no directory was given for the stores, they are next to the results,
/// as before.
///
/// # Errors
/// An older version made the run, or its directory is gone.
pub(crate) fn options_of(file: &RunRecord, directory: &Path) -> Result<RunOptions> {
    let mut options = file.options()?.clone();
    let directory = directory.canonicalize().with_context(|| format!("cannot find {}", directory.display()))?;
    if let Some(out) = directory.parent() {
        out.clone_into(&mut options.out);
    }
    Ok(options)
}

/// The time that `--budget` gives.
///
/// # Errors
/// It is no time, or too short.
pub(crate) fn parse_budget(text: &str) -> Result<Duration> {
    let budget = bakeoff_text::parse_duration(text).map_err(|why| anyhow::anyhow!("--budget {text}: {why}"))?;
    if budget < BUDGET_MIN {
        bail!("--budget {text}: too short to measure anything in: give at least 1s, such as 3m");
    }
    Ok(budget)
}

/// What `--medium` says.
fn media(given: &[String]) -> Result<BTreeMap<String, PathBuf>> {
    let mut media = BTreeMap::new();
    for medium in given {
        let Some((name, directory)) =
            medium.split_once('=').filter(|(name, directory)| !name.is_empty() && !directory.is_empty())
        else {
            bail!("--medium {medium}: write NAME=DIR, for example --medium ssd=/mnt/a");
        };
        if media.insert(name.to_owned(), PathBuf::from(directory)).is_some() {
            bail!("--medium {medium}: the medium `{name}` was given before: give each a name of its own");
        }
    }
    Ok(media)
}

/// Reports drivers that do not answer and drivers that could not be built. The run goes on without them.
///
/// # Errors
/// As [`left_out`].
pub(crate) fn tell_left_out(drivers: &Drivers) -> Result<()> {
    for reason in left_out(drivers)?.values().chain(&drivers.notes) {
        tell!("note: {}", bakeoff_text::printable(reason));
    }
    Ok(())
}
