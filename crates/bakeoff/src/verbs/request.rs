//! `bakeoff request`: one cell's request, with its tapes on disk, so that a driver can be run by hand.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Kind, RequestByHand, Setup, SuiteSource, kind_of};
use bakeoff_results::record::RunRecord;

use crate::cli::{DEFAULT_RESULTS, RequestArguments};
use crate::options::{options_of, plan_options, suite_source};
use crate::outcome::Outcome;
use crate::output::REPORTER;

/// Runs the verb.
pub(crate) fn main(arguments: &RequestArguments) -> Result<Outcome> {
    let file = arguments.run.as_deref().map(run_of).transpose()?;
    let setup = setup(arguments, file.as_ref())?;
    let rates = file.as_ref().and_then(|file| file.find_rate.as_ref());
    let parent = arguments.dir.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_RESULTS));
    let by_hand = RequestByHand::prepare(&setup, &arguments.cell, rates, &parent)?;
    let request = serde_json::to_string_pretty(&by_hand.request).context("cannot write the request")?;
    print_line!("{request}")?;
    if let Some(bytes) = by_hand.memory_limit_bytes {
        tell!("note: by hand the cell runs without its memory-limit of {}", bakeoff_text::format_size(bytes));
    }
    let (directory, driver) = (by_hand.directory.display(), by_hand.driver.display());
    tell!("tapes and the store's directory are in {directory}; pipe this into: {driver} run");
    Ok(Outcome::Good)
}

/// What is known of the run that the cell belongs to.
fn run_of(run: &Path) -> Result<RunRecord> {
    if kind_of(run) != Some(Kind::Results) {
        let program = bakeoff_text::program();
        bail!("{} is not a run of bakeoff's: give a directory that `{program} run` made", run.display());
    }
    Ok(RunRecord::read_whole(run)?)
}

/// The plan that the cell is in: that of a run, or of a suite.
fn setup(arguments: &RequestArguments, file: Option<&RunRecord>) -> Result<Setup> {
    let Some((file, run)) = file.zip(arguments.run.as_deref()) else {
        let options = plan_options(&arguments.suite, std::env::temp_dir());
        return Setup::new(&options, &suite_source(&arguments.suite)?, true, REPORTER);
    };
    let source = SuiteSource { name: file.suite.name.clone(), text: file.suite.text.clone() };
    Setup::new(&options_of(file, run)?, &source, true, REPORTER)
}
