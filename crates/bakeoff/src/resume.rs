//! A run or a map that was cut short, and goes on.

use std::path::Path;

use anyhow::{Context, Result, bail};
use bakeoff_engine::{
    Advised, Kind, Missing, OwnDirectory, Readers, Setup, SuiteSource, check_unchanged, is_unbegun,
    remove_leftovers_of, shown,
};
use bakeoff_results::record::RunRecord;
use bakeoff_suite::RunOptions;

use crate::measure::Measurement;
use crate::options::{options_of, parse_budget};
use crate::outcome::Outcome;
use crate::output::REPORTER;
use crate::version::VERSION;

/// Goes on with a run that was cut short, exactly as it was begun.
pub(crate) fn resume(path: &Path, budget: Option<&str>, full: bool) -> Result<Outcome> {
    let directory = OwnDirectory::open(path, Kind::Results)?;
    Readers::of(directory.path()).hold();
    if is_unbegun(directory.path()) {
        let program = bakeoff_text::program();
        bail!("{} is of a run that was killed before it began: `{program} clean` removes it", shown(path));
    }
    let file = RunRecord::read_whole(directory.path())?;
    if file.pick.is_some() {
        bail!("{} is a pick, whose race cannot be taken up again: start another", path.display());
    }
    if file.side.is_some() {
        bail!(
            "{} was measured in turn with another run, which cannot be taken up again: start another",
            path.display()
        );
    }
    let options = options_of(&file, directory.path())?;
    enter_working_directory(&file, &options)?;
    // They take the room that the plan is about to look for.
    remove_leftovers_of(&options, directory.path(), REPORTER);
    let setup = Setup::new(&options, &SuiteSource::of(&file), true, REPORTER)?;
    check_unchanged(&file, &setup, VERSION)?;
    setup.check_tools(Missing::Install)?;
    let budget = budget.map(parse_budget).transpose()?.or(options.budget());
    tell!("Going on with {}", shown(directory.path()));
    Measurement { setup: &setup, directory: &directory, file, budget, full, further: None }.show(&[], |_| true)
}

/// Goes where the run was started, if one of its paths begins there.
fn enter_working_directory(file: &RunRecord, options: &RunOptions) -> Result<()> {
    let given = [options.dir.as_ref(), options.corpus.as_ref(), options.driver.as_ref()];
    let given = given.into_iter().flatten().chain(options.media.values());
    match std::env::set_current_dir(&file.working_directory) {
        Err(why) if given.into_iter().any(|path| path.is_relative()) => Err(why).with_context(|| {
            let place = file.working_directory.display();
            Advised(format!("the run was started in {place}, and its paths begin there: make that directory again"))
        }),
        _ => Ok(()),
    }
}
