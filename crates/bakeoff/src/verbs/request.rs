//! `bakeoff request`: one cell's request, with its tapes on disk, so that a driver can be run by hand.

use std::path::PathBuf;

use anyhow::{Context, Result};
use bakeoff_engine::{RequestByHand, Setup, SuiteSource};
use bakeoff_results::record::RunRecord;

use crate::cli::{DEFAULT_RESULTS, RequestArguments};
use crate::options::{options_of, plan_options, record_of, suite_source};
use crate::outcome::Outcome;
use crate::output::REPORTER;

/// Runs the verb.
pub(crate) fn main(arguments: &RequestArguments) -> Result<Outcome> {
    let file = arguments.run.as_deref().map(record_of).transpose()?;
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

/// The plan that the cell is in: that of a run, or of a suite.
fn setup(arguments: &RequestArguments, file: Option<&RunRecord>) -> Result<Setup> {
    let Some((file, run)) = file.zip(arguments.run.as_deref()) else {
        let options = plan_options(&arguments.suite, std::env::temp_dir());
        return Setup::new(&options, &suite_source(&arguments.suite)?, true, REPORTER);
    };
    Setup::new(&options_of(file, run)?, &SuiteSource::of(file), true, REPORTER)
}
