//! Which stores may take part in a pick or a map, and which of them can do what is needed.

use std::path::Path;

use anyhow::{Context, Result, bail};
use bakeoff_engine::pick::{Divided, Need, Stores, check_languages_and_licenses, divide, may_suit};
use bakeoff_engine::{Drivers, drivers_for, lost, not_built, not_included, store_names};
use bakeoff_need::Typed;
use bakeoff_protocol::StoreDescription;
use bakeoff_results::pick_facts::{Excluded, by_lack};
use bakeoff_suite::{Overrides, RunOptions, StoreChoice};
use bakeoff_text::paragraph;

use crate::options::tell_left_out;
use crate::outcome::Outcome;
use crate::output::{REPORTER, columns};

/// Stores that may take part.
pub(crate) struct Candidates {
    drivers: Drivers,
    /// As their drivers describe them.
    pub(crate) stores: Vec<StoreDescription>,
    /// Which of them can do what is needed.
    pub(crate) divided: Divided,
}

impl Candidates {
    /// Finds the stores that `need` names, in `built` where drivers were looked for already, and divides them by what `asked` needs.
    ///
    /// # Errors
    /// There is no such store, language or licence, or a driver cannot be built.
    pub(crate) fn find(need: &Need, typed: &Typed, built: Option<Drivers>, asked: &Need) -> Result<Self> {
        let found = || match &need.stores {
            Stores::Named(names) => Drivers::discover_for(names),
            Stores::Built | Stores::All => Drivers::discover(),
        };
        let drivers = drivers(built.map_or_else(found, Ok)?, need, &typed.get("stores").place)?;
        let stores = stores(need, &drivers)?;
        check_languages_and_licenses(need, &stores, |key| typed.get(key).place)?;
        let platform =
            |store: &str| drivers.of_store(store).map(|driver| driver.description.platform).unwrap_or_default();
        let divided = divide(asked, &stores, platform, |store| drivers.missing(store));
        Ok(Self { drivers, stores, divided })
    }

    /// That no store can do it is an answer, and no mistake of the user.
    ///
    /// # Errors
    /// It cannot be printed.
    pub(crate) fn none(&self, need: &Need) -> Result<Outcome> {
        let (reasons, further) = (reasons(&self.divided.excluded), further(need, &self.drivers)?);
        print_line!("None: no store can do all that is needed:{reasons}{further}")?;
        Ok(Outcome::SomeFailed)
    }
}

/// The options of the run, whose suite has these stores.
pub(crate) fn run_options(need: &Need, out: &Path, stores: Vec<String>) -> RunOptions {
    let mut overrides = Overrides::default();
    // Who named stores is not shown which others there are.
    if !matches!(need.stores, Stores::Built) {
        overrides.set("stores", stores);
    }
    RunOptions { overrides, dir: need.dir.clone(), out: out.to_owned(), ..RunOptions::default() }
        .within(Some(need.budget))
}

/// The drivers of the stores that may take part; `place` is where they were asked for.
fn drivers(built: Drivers, need: &Need, place: &str) -> Result<Drivers> {
    let drivers = match &need.stores {
        Stores::Built => built,
        Stores::All => {
            drivers_for(built, &StoreChoice::All, |recipe| may_suit(&need.languages, recipe.platform), true, REPORTER)?
        }
        Stores::Named(names) => {
            check_names(names, &built, place)?;
            drivers_for(built, &StoreChoice::Named(names.clone()), |_| true, true, REPORTER)?
        }
    };
    tell_left_out(&drivers)?;
    Ok(drivers)
}

/// The stores that may take part, as their drivers describe them.
fn stores(need: &Need, drivers: &Drivers) -> Result<Vec<StoreDescription>> {
    let all = drivers.stores();
    let Stores::Named(names) = &need.stores else {
        return Ok(all.into_iter().filter(|store| !store.test_only).collect());
    };
    let of_name = |name: &String| all.iter().find(|store| store.name == *name).cloned();
    let lost = lost(drivers)?;
    let names = names.iter().filter(|name| !lost.contains_key(*name));
    names.map(|name| of_name(name).with_context(|| format!("no driver offers `{name}`"))).collect()
}

/// Refuses a name that no driver has, built or not, before one is built.
pub(crate) fn check_names(names: &[String], built: &Drivers, place: &str) -> Result<()> {
    let all = store_names(built)?;
    let known: Vec<_> = all.known.iter().map(String::as_str).collect();
    match names.iter().find(|name| !all.known.contains(name) && !all.hidden.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let program = bakeoff_text::program();
            if let Some(why) = not_included(name)? {
                bail!("{place}: `{name}` is not included: {why}. `{program} stores` lists all");
            }
            let near = bakeoff_text::did_you_mean(name, &known);
            let name = bakeoff_text::printable(name);
            bail!("{place}: unknown store `{name}`{near}. `{program} stores` lists all")
        }
    }
}

/// What each store lacks; stores that lack the same share a line.
pub(crate) fn reasons(excluded: &[Excluded]) -> String {
    let line =
        |(stores, why): (Vec<&str>, &str)| paragraph(&format!("{}: {why}", stores.join(", ")), columns(), "  ", "    ");
    let lines = by_lack(excluded).into_iter().map(line);
    lines.map(|lines| format!("\n{}", lines.trim_end())).collect()
}

/// Which stores that might do were not asked, since they are not built: none where others were named, or all asked for.
fn further(need: &Need, drivers: &Drivers) -> Result<String> {
    if !matches!(need.stores, Stores::Built) {
        return Ok(String::new());
    }
    let recipes = not_built(drivers)?;
    Ok(recipes
        .iter()
        .filter(|recipe| may_suit(&need.languages, recipe.platform))
        .map(|recipe| format!("\nNot built, and so not asked: {}; --stores builds them", recipe.store_list()))
        .collect())
}
