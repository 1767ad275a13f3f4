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
use crate::check_driver::rules::{RULES, Scope};
use crate::check_driver::verdict::Stop;
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

/// Checks a driver rule by rule, and reports each.
///
/// # Errors
/// The driver cannot be started or does not describe itself, there is no such store or rule, or
/// there is no room for the checks.
pub fn check_driver(asked: &DriverToCheck<'_>, on_result: &mut dyn FnMut(&RuleResult<'_>) -> Result<()>) -> Result<()> {
    for name in asked.rules {
        ensure!(
            RULES.iter().any(|rule| rule.name == name),
            "there is no rule `{name}`: bakeoff check-driver --list names them"
        );
    }
    let interrupt = Interrupt::install()?;
    let program = asked.program.canonicalize().with_context(|| {
        format!("cannot find the driver {}: give the path of its executable", asked.program.display())
    })?;
    let own = make_directory(asked)?;
    let checked = describe_and_check(asked, &program, &own, &interrupt, on_result);
    let removed = match own {
        Place::Own(own) => own.remove(),
        Place::Kept(_) => Ok(()),
    };
    checked.and(removed)
}

/// Where everything is made.
enum Place {
    /// A directory of ours, which is removed.
    Own(OwnDirectory),
    /// One that the user gave.
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
            format!("cannot make {}: name a directory that is not there, in one that is", keep.display())
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
) -> Result<()> {
    let description = description::read(program, place.path(), interrupt)?;
    let stores = chosen(asked, &description)?;
    let is_asked = |name: &str| asked.rules.is_empty() || asked.rules.iter().any(|rule| rule == name);
    for (number, store) in stores.into_iter().enumerate() {
        // What holds for the driver as a whole is tried with its first store.
        let scopes: &[Scope] = if number == 0 { &[Scope::Driver, Scope::Store] } else { &[Scope::Store] };
        for rule in RULES.iter().filter(|rule| scopes.contains(&rule.scope) && is_asked(rule.name)) {
            let bench = Bench::new(program, &description, store, (place.path(), rule.name), interrupt)?;
            let verdict = match (rule.check)(&bench) {
                Ok(()) => Verdict::Ok,
                Err(Stop::NotOffered(why)) => Verdict::NotOffered(why),
                Err(Stop::Broken { expected, found }) => Verdict::Failed { expected, found },
                Err(Stop::Trouble(why)) => return Err(why.context(format!("the rule {} cannot be checked", rule.name))),
            };
            if asked.keep.is_none() {
                bench.remove()?;
            }
            let of_store = (rule.scope == Scope::Store).then_some(store.name.as_str());
            on_result(&RuleResult { rule: rule.name, store: of_store, verdict })?;
            if interrupt.requested() {
                bail!(TapeError::Stopped);
            }
        }
    }
    Ok(())
}

/// The stores to check: those that can be opened here.
fn chosen<'a>(asked: &DriverToCheck<'_>, description: &'a DriverDescription) -> Result<Vec<&'a StoreDescription>> {
    let is_there = |store: &&StoreDescription| !description.missing.contains_key(&store.name);
    let Some(name) = asked.store else {
        let stores: Vec<_> = description.stores.iter().filter(is_there).collect();
        ensure!(!stores.is_empty(), "the driver describes no store that can be opened here");
        return Ok(stores);
    };
    let found = description.stores.iter().find(|store| store.name == name);
    let store = found.with_context(|| {
        let names: Vec<_> = description.stores.iter().map(|store| store.name.as_str()).collect();
        format!("the driver describes no store `{name}`: it has {}", names.join(", "))
    })?;
    if let Some(why) = description.missing.get(name) {
        bail!("{name} cannot be opened here: {why}");
    }
    Ok(vec![store])
}
