//! What `run` and `pick` share once there is a plan: measuring it, and showing what came of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_engine::{OwnDirectory, Recipe, Setup, execute, explained, not_built, shown};
use bakeoff_protocol::StoreDescription;
use bakeoff_results::analysis::Analysis;
use bakeoff_results::record::RunRecord;
use bakeoff_results::run::Run;
use bakeoff_suite::StoreChoice;

use crate::cli::DEFAULT_RESULTS;
use crate::outcome::Outcome;
use crate::show::{Extent, columns, print_report, report_again, resume_again, write_page_beside};

/// What is to be measured, and where it is kept.
pub(crate) struct Measurement<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) directory: &'a OwnDirectory,
    pub(crate) file: RunRecord,
    pub(crate) budget: Option<Duration>,
    /// Show everything, and not the short answer.
    pub(crate) full: bool,
    /// Called with the directory of the measured run, before the run is shown.
    pub(crate) further: Option<&'a dyn Fn(&Path) -> Outcome>,
}

impl Measurement<'_> {
    /// Measures, and shows what came of it. Stores that `cannot` take part are not offered for a further run, nor are those of drivers that are
    /// not built and that `may_join` refuses.
    pub(crate) fn show(self, cannot: &[String], may_join: impl Fn(&Recipe) -> bool) -> Result<Outcome> {
        let path = self.directory.path();
        let measured = execute(self.setup, self.directory, self.file, self.budget)?;
        let ended = &measured.ended;
        if ended.interrupted {
            show_page(Run::read(path).map_err(Into::into).and_then(|run| write_page_beside(&Analysis::new(&run))))?;
            let on = match measured.is_resumable {
                true => format!("; go on with: {}", resume_again(path)),
                false => String::new(),
            };
            tell!("Stopped. What was measured is kept in {}{on}", shown(path));
            measured.remove()?;
            return Ok(Outcome::Interrupted);
        }
        // A pick shows what its budget was too short for.
        if ended.measured == 0 && self.budget.is_some() && measured.is_resumable {
            measured.remove()?;
            bail!(
                "the budget ended before a cell was done: give more time, or ask for less with --stores, --records or \
                 --value-size; what is known of the run is kept in {}",
                path.display()
            );
        }
        let of_further = self.further.map_or(Outcome::Good, |further| further(path));
        let run = Run::read(path)?;
        let of = Analysis::new(&run);
        // Of a pick or a map an answer is what was wanted: that some store failed on the way is part of it.
        let failed = of.is_answered().map_or(ended.failed > 0, |is_answered| !is_answered);
        // Before anything is printed, which ends where nobody reads it.
        let page = write_page_beside(&of);
        // The answer first: removing many files can take a while.
        let is_newest = path.parent().is_some_and(|parent| parent == Path::new(DEFAULT_RESULTS));
        let again = report_again(Some(path).filter(|_| !is_newest));
        print_report(&of, Extent::of(self.full, false), &again)?;
        // A short answer names the page.
        let has_page = if self.full || of.map().is_some() || page.is_err() {
            print_line!("\nResults: {}", shown(path))?;
            show_page(page)?
        } else {
            true
        };
        if self.full && self.setup.options.overrides.get("stores").is_none() {
            print_further_stores(self.setup, cannot, may_join)?;
        }
        if measured.ended.retried > 0 && measured.is_resumable {
            let cells = bakeoff_text::counted(measured.ended.retried as u64, "cell");
            tell!(
                "{cells} failed since something was missing here: make room, or fix what their messages say. Then: {}",
                resume_again(path)
            );
        }
        measured.remove()?;
        Ok(if failed || !has_page { Outcome::SomeFailed } else { of_further })
    }
}

/// Which stores could join, and what that costs where they are not built.
fn print_further_stores(setup: &Setup, cannot: &[String], may_join: impl Fn(&Recipe) -> bool) -> Result<()> {
    let named = setup.suite.stores();
    let is_further = |store: &&StoreDescription| {
        !store.test_only
            && !cannot.contains(&store.name)
            && match named {
                StoreChoice::All => false,
                StoreChoice::Named(names) => !names.contains(&store.name),
            }
    };
    let built: Vec<&str> = setup.stores.iter().filter(is_further).map(|store| store.name.as_str()).collect();
    let built = (!built.is_empty()).then(|| format!("{}, which are built.", built.join(", ")));
    let missing = not_built(&setup.drivers)?;
    let missing = missing.iter().filter(|recipe| may_join(recipe));
    let missing = missing.map(|recipe| format!("{}, after being built ({}).", recipe.store_list(), recipe.wait));
    for text in missing.chain(built) {
        print_text!("{}", bakeoff_text::paragraph(&text, columns(), "Could join with --stores: ", "  "))?;
    }
    Ok(())
}

/// Where the page of the results is. False if it could not be written, which takes nothing from the results.
fn show_page(page: Result<PathBuf>) -> Result<bool> {
    match &page {
        Ok(path) => print_line!("Report:  {}", shown(path))?,
        Err(error) => tell!("bakeoff: the results have no report beside them: {}", explained(error)),
    }
    Ok(page.is_ok())
}
