//! Resolves the stores that a suite names.

use bakeoff_protocol::{Durability, Settings, StoreDescription};
use bakeoff_text::shorten;

use crate::assemble::settings;
use crate::axes::StoreChoice;
use crate::error::{Problems, SuiteErrors};
use crate::model::Suite;

/// Checks the names of stores in a suite, and of stores with settings, against all that can be built. This happens
/// before drivers are built for them. Names in `hidden` are accepted, but never suggested.
///
/// # Errors
/// An unknown store, with its place and the nearest known name.
pub fn check_stores(suite: &Suite, known: &[String], hidden: &[String]) -> Result<(), SuiteErrors> {
    for suite in suite.measured() {
        let mut problems = Problems::default();
        if let StoreChoice::Named(names) = suite.stores() {
            let can_be_had = |name: &String| known.contains(name) || hidden.contains(name);
            for (index, name) in names.iter().enumerate().filter(|(_, name)| !can_be_had(name)) {
                unknown_store(suite, (index, name), known, &mut problems);
            }
        }
        settings::check_stores(&suite.file, known, hidden, &mut problems);
        if !problems.is_empty() {
            return Err(suite.file.errors(problems));
        }
    }
    Ok(())
}

fn unknown_store(suite: &Suite, (index, name): (usize, &str), known: &[String], problems: &mut Problems) {
    let known: Vec<_> = known.iter().map(String::as_str).collect();
    let message = format!("unknown store `{}`", shorten(name));
    let help = format!("`{} stores` lists all", bakeoff_text::program());
    problems.add_unknown(&suite.file.axis_place("stores", index), name, &known, message, help);
}

/// A store and the settings that the suite gives it.
pub(crate) struct ConfiguredStore<'a> {
    pub(crate) store: &'a StoreDescription,
    pub(crate) settings: Settings,
    /// Its own level, which overrides the axis.
    pub(crate) durability: Option<Durability>,
}

/// The stores of a suite with their settings. Mistakes in either go to `problems`.
pub(crate) fn configured_stores<'a>(
    suite: &Suite,
    stores: &'a [StoreDescription],
    problems: &mut Problems,
) -> Vec<ConfiguredStore<'a>> {
    let mut configured = Vec::new();
    let mut add = |store: &'a StoreDescription, problems: &mut Problems| {
        let durability = settings::durability(&suite.file, &store.name);
        configured.push(ConfiguredStore {
            store,
            settings: settings::resolve(&suite.file, store, problems),
            durability,
        });
    };
    let shown = stores.iter().filter(|store| !store.test_only);
    match suite.stores() {
        StoreChoice::All => shown.for_each(|store| add(store, problems)),
        StoreChoice::Named(names) => {
            let known: Vec<_> = shown.map(|store| store.name.clone()).collect();
            for (index, name) in names.iter().enumerate() {
                match stores.iter().find(|store| store.name == *name) {
                    Some(store) => add(store, problems),
                    None => unknown_store(suite, (index, name), &known, problems),
                }
            }
        }
    }
    configured
}
