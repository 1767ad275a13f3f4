//! Conformance of any driver, seen from outside alone: requests and tapes go in, and what comes out
//! is held against `docs/PROTOCOL.md`.
//!
//! ```text
//! rules: Rule ─check→ Bench::ask ─request→ driver process ─events→ judge
//! ```
//! - `rules` is the table of rules.
//! - `bench` makes requests and asks the driver, in a directory of each rule's own.
//! - `program` runs the driver once.
//! - `judge` has what a right answer is, and `verdict` what a check comes to.
//! - All others have the checks of a part of the table.

mod answers;
mod bench;
mod description;
mod judge;
mod limits;
mod power_cuts;
mod program;
mod recovery;
mod requests;
mod rules;
mod settings;
mod sound;
mod tapes;
mod verdict;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use bakeoff_files::check_links;
use bakeoff_protocol::{DriverDescription, StoreDescription};
use bakeoff_tape::TapeError;

use crate::check_driver::bench::Bench;
use crate::check_driver::rules::{RULES, Rule, Scope};
use crate::check_driver::verdict::Stop;
use crate::explain::Advised;
use crate::place::names;
use crate::place::own_directory::{Kind, OwnDirectory};
use crate::surroundings::interrupt::Interrupt;

pub use verdict::Verdict;

/// What came of one rule.
pub struct RuleResult<'a> {
    /// The rule's name.
    pub rule: &'static str,
    /// The store it was tried with; `None` for rules about the driver as a whole.
    pub store: Option<&'a str>,
    /// How it was kept.
    pub verdict: Verdict,
}

/// A check that was stopped because the driver does not answer.
pub struct GivenUp {
    /// Rules that were not tried, counted for each store.
    pub untried: usize,
}

/// The check stops after this many rules with a request that the driver did not answer.
const UNANSWERED_MAX: u32 = 2;

/// What to check.
pub struct DriverToCheck<'a> {
    /// The driver's executable.
    pub program: &'a Path,
    /// The one store to check; `None` for all.
    pub store: Option<&'a str>,
    /// The rules to check, by name; all if empty.
    pub rules: &'a [String],
    /// Where the stores' directories are made, and removed afterwards.
    pub directory: &'a Path,
    /// Where requests and tapes are kept; made here. `None` to keep nothing.
    pub keep: Option<&'a Path>,
}

/// Every rule by name, and what it says in one sentence.
pub fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.name, rule.says))
}

/// Checks a driver rule by rule, and reports each. Returns how the check was stopped, if the driver does not answer.
///
/// # Errors
/// The driver cannot be started or does not describe itself, there is no such store or rule, or
/// there is no room for the checks.
pub fn check_driver(
    asked: &DriverToCheck<'_>,
    on_result: &mut dyn FnMut(&RuleResult<'_>) -> Result<()>,
) -> Result<Option<GivenUp>> {
    for name in asked.rules {
        ensure!(
            RULES.iter().any(|rule| rule.name == name),
            "there is no rule `{name}`: {} check-driver --list names them",
            bakeoff_text::program()
        );
    }
    let interrupt = Interrupt::install()?;
    let program = asked.program.canonicalize().with_context(|| {
        Advised(format!("cannot find the driver {}: give the path of its executable", asked.program.display()))
    })?;
    let own = make_directory(asked)?;
    let checked = describe_and_check(asked, &program, &own, &interrupt, on_result);
    let removed = match own {
        Place::Own(own) => own.remove(),
        Place::Kept(_) => Ok(()),
    };
    let given_up = checked?;
    removed.map(|()| given_up)
}

/// Where everything is made.
enum Place {
    /// A directory that bakeoff makes and removes.
    Own(OwnDirectory),
    /// A directory that the user gave.
    Kept(PathBuf),
}

impl Place {
    fn path(&self) -> &Path {
        match self {
            Self::Own(own) => own.path(),
            Self::Kept(path) => path,
        }
    }
}

fn make_directory(asked: &DriverToCheck<'_>) -> Result<Place> {
    if let Some(keep) = asked.keep {
        check_links(keep).and_then(|()| std::fs::create_dir(keep)).with_context(|| {
            Advised(format!("cannot make {}: name a new directory in an existing one", keep.display()))
        })?;
        return Ok(Place::Kept(keep.canonicalize()?));
    }
    let path = asked.directory.join(names::of_run("check-driver"));
    Ok(Place::Own(OwnDirectory::create(&path, Kind::Scratch)?))
}

fn describe_and_check(
    asked: &DriverToCheck<'_>,
    program: &Path,
    place: &Place,
    interrupt: &Interrupt,
    on_result: &mut dyn FnMut(&RuleResult<'_>) -> Result<()>,
) -> Result<Option<GivenUp>> {
    let description = description::read(program, place.path(), interrupt)?;
    let stores = chosen(asked, &description)?;
    let is_asked = |name: &str| asked.rules.is_empty() || asked.rules.iter().any(|rule| rule == name);
    // What holds for the driver as a whole is tried with its first store.
    let is_tried = |number: usize, rule: &Rule| is_asked(rule.name) && (number == 0 || rule.scope == Scope::Store);
    let tried = stores.into_iter().enumerate().flat_map(|(number, store)| {
        RULES.iter().filter(move |rule| is_tried(number, rule)).map(move |rule| (store, rule))
    });
    let tried: Vec<_> = tried.collect();
    let mut unanswered = 0;
    for (number, (store, rule)) in tried.iter().enumerate() {
        let bench = Bench::new(program, &description, store, (place.path(), rule.name), interrupt)?;
        let verdict = match (rule.check)(&bench) {
            Ok(()) => Verdict::Ok,
            Err(Stop::NotOffered(why)) => Verdict::NotOffered(why),
            Err(Stop::Broken { expected, found }) => Verdict::Failed { expected, found },
            Err(Stop::Trouble(why)) => return Err(why.context(format!("the rule {} cannot be checked", rule.name))),
        };
        unanswered += u32::from(bench.was_unanswered());
        if asked.keep.is_none() {
            bench.remove()?;
        }
        let of_store = (rule.scope == Scope::Store).then_some(store.name.as_str());
        on_result(&RuleResult { rule: rule.name, store: of_store, verdict })?;
        if interrupt.requested() {
            bail!(TapeError::Stopped);
        }
        let untried = tried.len() - number - 1;
        if unanswered >= UNANSWERED_MAX && untried > 0 {
            return Ok(Some(GivenUp { untried }));
        }
    }
    Ok(None)
}

/// The stores to check: only stores that can be opened here.
fn chosen<'a>(asked: &DriverToCheck<'_>, description: &'a DriverDescription) -> Result<Vec<&'a StoreDescription>> {
    let is_there = |store: &&StoreDescription| !description.missing.contains_key(&store.name);
    let Some(name) = asked.store else {
        let stores: Vec<_> = description.stores.iter().filter(is_there).collect();
        ensure!(
            !stores.is_empty(),
            "the driver describes no store that can be opened here: its `missing` shows what they lack"
        );
        return Ok(stores);
    };
    let found = description.stores.iter().find(|store| store.name == name);
    let store = found.with_context(|| {
        let names: Vec<_> = description.stores.iter().map(|store| store.name.as_str()).collect();
        format!("the driver describes no store `{name}`: use one of {}", names.join(", "))
    })?;
    if let Some(why) = description.missing.get(name) {
        bail!("{name} cannot be opened here: {why}");
    }
    Ok(vec![store])
}
