//! Drivers that are built when a store of theirs is first asked for: what `drivers.toml` says of
//! them, and how they are built.
//!
//! The script `./bakeoff` knows how to build each one; if it did not start this program, nothing is
//! built here.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_protocol::Platform;
use bakeoff_suite::StoreChoice;
use serde::Deserialize;

use crate::drivers::discovery::{Drivers, UnresponsiveDriver};
use crate::explain::explained;
use crate::programs::script;
use crate::reporter::Reporter;

/// A driver of `drivers.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name in the file and for `./bakeoff build`.
    #[serde(skip)]
    pub name: String,
    /// Its executable, which is built into this executable's directory.
    pub program: String,
    /// What programs its stores are libraries for.
    pub platform: Platform,
    /// The stores it offers.
    pub stores: Vec<String>,
    /// How long building it takes, in words.
    pub wait: String,
    /// Packages that building it needs, as Debian calls them.
    pub needs: Vec<String>,
    /// Each store in a few words, for as long as its driver cannot describe it.
    pub about: BTreeMap<String, String>,
}

impl Recipe {
    /// The command that builds it, or the store of it that is meant.
    pub fn command(&self, store: Option<&str>) -> String {
        let program = if script().is_some() { bakeoff_text::program() } else { "./bakeoff" };
        format!("{program} build {}", store.unwrap_or(&self.name))
    }

    /// Its stores, as a list for a sentence.
    pub fn store_list(&self) -> String {
        self.stores.join(", ")
    }

    /// What its building still lacks here, as the script finds it; `None` without the script.
    pub fn missing(&self) -> Option<Vec<String>> {
        let output = Command::new(script()?).args(["missing", &self.name]).stdin(Stdio::null()).output().ok()?;
        let names = String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect();
        output.status.success().then_some(names)
    }

    /// What to do about the driver, which is there and does not answer.
    fn left_out(&self, UnresponsiveDriver { path, why }: &UnresponsiveDriver) -> String {
        let (path, stores, command) = (path.display(), self.store_list(), self.command(None));
        format!("{path} is left out, so {stores} cannot be opened: {why}. Fix that, or build it again: {command}")
    }

    fn is_wanted(&self, stores: &StoreChoice) -> bool {
        match stores {
            StoreChoice::All => true,
            StoreChoice::Named(names) => self.stores.iter().any(|store| names.contains(store)),
        }
    }

    /// Whether any of its stores is offered.
    fn is_built(&self, found: &Drivers) -> bool {
        self.stores.iter().any(|store| found.of_store(store).is_some())
    }

    /// Whether it is not there, and no other driver has its stores.
    fn is_missing(&self, found: &Drivers) -> bool {
        !self.is_built(found) && !found.unresponsive.contains_key(&self.program)
    }

    /// Refuses a driver that is not built.
    fn check_built(&self, found: &Drivers) -> Result<()> {
        if !self.is_missing(found) {
            return Ok(());
        }
        bail!(
            "{} is not built, and a plan builds nothing: run {} first ({}), or leave out {} with --stores",
            self.program,
            self.command(None),
            self.wait,
            self.store_list()
        )
    }

    /// The program, if it does not answer and no other driver has its stores.
    fn unresponsive<'a>(&self, found: &'a Drivers) -> Option<&'a UnresponsiveDriver> {
        found.unresponsive.get(&self.program).filter(|_| !self.is_built(found))
    }

    /// Refuses a program that exists and does not answer, unless another driver has its stores.
    fn check_answers(&self, found: &Drivers) -> Result<()> {
        self.unresponsive(found).map_or(Ok(()), |unresponsive| Err(anyhow!(self.left_out(unresponsive))))
    }

    /// Has the script build it, which does nothing if it is built and nothing has changed since.
    fn build(&self, found: &Drivers, reporter: Reporter) -> Result<()> {
        let is_there = found.has_program(&self.program) || found.unresponsive.contains_key(&self.program);
        let Some(script) = script() else {
            if is_there {
                return Ok(());
            }
            bail!("{} is not built: run {} in a clone of bakeoff ({})", self.program, self.command(None), self.wait);
        };
        if !is_there {
            reporter.report(&format!(
                "{} is needed for {} and not built yet: building it, which takes {}. Installed if missing: {}.",
                self.program,
                self.store_list(),
                self.wait,
                self.needs.join(", ")
            ));
        }
        let status = Command::new(&script)
            .args(["build", &self.name])
            .stdout(std::io::stderr())
            .status()
            .with_context(|| format!("cannot start {}", script.to_string_lossy()))?;
        if !status.success() {
            bail!("{} could not be built: the reason is above; try again with {}", self.program, self.command(None));
        }
        Ok(())
    }
}

/// Every driver that can be built on demand, by name.
///
/// # Errors
/// If `drivers.toml`, which is part of this program, is not what it should be.
pub fn recipes() -> Result<Vec<Recipe>> {
    let tables: BTreeMap<String, Recipe> =
        toml::from_str(include_str!("../../../../drivers.toml")).context("drivers.toml is not right")?;
    Ok(tables.into_iter().map(|(name, recipe)| Recipe { name, ..recipe }).collect())
}

/// Why a store that people ask for is in no driver; `None` for any other name.
///
/// # Errors
/// If the list, which is part of this program, is not what it should be.
pub fn not_included(store: &str) -> Result<Option<String>> {
    let mut reasons: BTreeMap<String, String> =
        toml::from_str(include_str!("not-included.toml")).context("not-included.toml is not right")?;
    Ok(reasons.remove(store))
}

/// The names of all stores that bakeoff can offer, including those of drivers that are not built, and of test-only
/// stores.
pub struct StoreNames {
    /// Stores that bakeoff can offer, including those of drivers that are not built.
    pub known: Vec<String>,
    /// Test-only stores.
    pub hidden: Vec<String>,
}

/// What may be asked for, with these drivers built.
///
/// # Errors
/// As [`recipes`].
pub fn store_names(drivers: &Drivers) -> Result<StoreNames> {
    let (hidden, built): (Vec<_>, Vec<_>) = drivers.stores().into_iter().partition(|store| store.test_only);
    let mut known: Vec<String> = built.into_iter().map(|store| store.name).collect();
    for name in recipes()?.into_iter().flat_map(|recipe| recipe.stores) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    Ok(StoreNames { known, hidden: hidden.into_iter().map(|store| store.name).collect() })
}

/// The drivers there are, `drivers` being built, after those were built that `stores` ask for and
/// `suits` allows, if anything may be built.
///
/// # Errors
/// No driver works, a driver of a named store cannot be built, or none of the named stores' drivers answers. Where all
/// stores are requested, drivers that cannot be built are left out with a note.
pub fn drivers_for(
    mut drivers: Drivers,
    stores: &StoreChoice,
    suits: impl Fn(&Recipe) -> bool,
    may_build: bool,
    reporter: Reporter,
) -> Result<Drivers> {
    let recipes = recipes()?;
    let (mut notes, mut not_built) = (Vec::new(), Vec::new());
    for recipe in recipes.iter().filter(|recipe| recipe.is_wanted(stores) && suits(recipe)) {
        let built = if may_build { recipe.build(&drivers, reporter) } else { recipe.check_built(&drivers) };
        if built.is_ok() && may_build {
            drivers = drivers.again()?;
        }
        match (built, stores) {
            (Ok(()), _) => {}
            (Err(error), StoreChoice::Named(_)) => return Err(error),
            (Err(error), StoreChoice::All) => {
                notes.push(format!("going on without {}: {}", recipe.store_list(), explained(&error)));
                not_built.push(&recipe.program);
            }
        }
    }
    // Building does nothing where all seems to be there. Where a store that was named can be had,
    // the others are left out.
    if let StoreChoice::Named(names) = stores
        && !names.iter().any(|name| drivers.of_store(name).is_some())
    {
        recipes
            .iter()
            .filter(|recipe| recipe.is_wanted(stores))
            .try_for_each(|recipe| recipe.check_answers(&drivers))?;
    }
    // What to do about these is to build them, which has just failed.
    drivers.unresponsive.retain(|program, _| !not_built.contains(&program));
    drivers.notes = notes;
    Ok(drivers)
}

/// For each program that exists and does not answer: what is lost with it, why, and what to do.
///
/// # Errors
/// As [`recipes`].
pub fn left_out(drivers: &Drivers) -> Result<BTreeMap<String, String>> {
    let recipes = recipes()?;
    let describe = |(program, unresponsive): (&String, &UnresponsiveDriver)| {
        // A program that no recipe knows, or whose stores another driver has, loses nothing.
        let of_other = || format!("{}. Fix it, or remove it", unresponsive.describe());
        let recipe = recipes.iter().find(|recipe| recipe.program == *program && !recipe.is_built(drivers));
        (program.clone(), recipe.map_or_else(of_other, |recipe| recipe.left_out(unresponsive)))
    };
    Ok(drivers.unresponsive.iter().map(describe).collect())
}

/// Stores that are lost with programs that are there and do not answer, each with why.
///
/// # Errors
/// As [`recipes`].
pub fn lost(drivers: &Drivers) -> Result<BTreeMap<String, String>> {
    let lost = |recipe: Recipe| {
        let why = recipe.unresponsive(drivers).map(|unresponsive| unresponsive.why.clone());
        recipe.stores.into_iter().filter_map(move |store| Some((store, why.clone()?)))
    };
    Ok(recipes()?.into_iter().flat_map(lost).collect())
}

/// The drivers that are not built: they are not there, and none of their stores is offered.
pub fn not_built(drivers: &Drivers) -> Result<Vec<Recipe>> {
    let mut recipes = recipes()?;
    recipes.retain(|recipe| recipe.is_missing(drivers));
    Ok(recipes)
}
