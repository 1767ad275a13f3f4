//! `bakeoff run`: measure, keep, rank.

use std::path::{Path, PathBuf};

use anyhow::Result;
use bakeoff_engine::{
    Missing, Setup, SuiteSource, check_rate_budget, make_run_directory, newest_results, plan_rates, run_record,
};
use bakeoff_measure::Machine;
use bakeoff_suite::RunOptions;

use crate::announce::{nothing_left, print_plan, print_start};
use crate::cli::RunArguments;
use crate::measure::Measurement;
use crate::options::{run_options, suite_source, tell_left_out};
use crate::outcome::Outcome;
use crate::output::REPORTER;
use crate::resume::resume;
use crate::version::VERSION;

/// Runs the verb.
pub(crate) fn main(arguments: RunArguments) -> Result<Outcome> {
    match &arguments.resume {
        None => start(&arguments),
        Some(None) => resume(&newest_results(&arguments.out)?, arguments.budget.as_deref(), arguments.full),
        Some(Some(run)) => resume(run, arguments.budget.as_deref(), arguments.full),
    }
}

/// Begins a run, or shows what it would be.
fn start(arguments: &RunArguments) -> Result<Outcome> {
    let options = run_options(arguments)?;
    let (source, budget) = (suite_source(&arguments.suite)?, options.budget());
    let _looked_at = LookedAt::before(&arguments.out);
    let setup = plan(&options, &source, arguments.plan)?;
    let find_rate = arguments.find_rate.as_deref().map(|bound| plan_rates(&setup, bound)).transpose()?;
    if let (Some(facts), Some(budget)) = (&find_rate, budget) {
        check_rate_budget(&setup, facts, budget)?;
    }
    if arguments.plan {
        print_plan(&setup, budget, find_rate.is_some())?;
        return Ok(Outcome::Good);
    }
    setup.check_tools(Missing::Install)?;
    let mut file = run_record(&setup, source, Machine::read(), VERSION);
    file.name.clone_from(&arguments.name);
    if find_rate.is_some() {
        // Which cells there will be is found out on the way.
        file.cells.clear();
        file.find_rate = find_rate;
    }
    let directory = make_run_directory(&arguments.out, setup.suite.name(), setup.readers())?;
    file.write(directory.path())?;
    print_start(&setup, &file, directory.path(), budget, arguments.full);
    Measurement { setup: &setup, directory: &directory, file, budget, full: arguments.full, further: None }
        .show(&[], |_| true)
}

/// Plans the run, and reports which drivers and stores it leaves out. With `only`, nothing is measured or built.
fn plan(options: &RunOptions, source: &SuiteSource, only: bool) -> Result<Setup> {
    let setup = Setup::new(options, source, !only, REPORTER)?;
    tell_left_out(&setup.drivers)?;
    // A run has them among its warnings.
    let of_suite = if only { setup.notes() } else { Vec::new() };
    for reason in of_suite.into_iter().chain(setup.cannot_be_opened()) {
        tell!("note: {}", bakeoff_text::printable(&reason));
    }
    if setup.plan.workloads.is_empty() {
        // Where nothing can be written there is no room either.
        setup.check_tools(Missing::Tell)?;
        return Err(nothing_left(&setup));
    }
    Ok(setup)
}

/// Directories that were made to see which disk they are on. The empty ones go with this: a plan and a refused run change nothing.
struct LookedAt(Vec<PathBuf>);

impl LookedAt {
    /// To be called before `path` is made.
    fn before(path: &Path) -> Self {
        let is_missing = |directory: &&Path| !directory.as_os_str().is_empty() && !directory.exists();
        Self(path.ancestors().take_while(is_missing).map(Path::to_owned).collect())
    }
}

impl Drop for LookedAt {
    fn drop(&mut self) {
        // Only empty ones can be removed like this.
        self.0.iter().all(|directory| std::fs::remove_dir(directory).is_ok());
    }
}
