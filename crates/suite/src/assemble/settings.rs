//! The tables `[settings.STORE]`, checked against the settings that the store describes.

use bakeoff_protocol::{Durability, Setting, SettingKind, Settings, Step, StoreDescription};
use bakeoff_text::{format_size, parse_size, shorten};
use serde_json::Value as Json;

use crate::axes::{self, StoreChoice};
use crate::error::Problems;
use crate::node::{Entry, Node, SuiteFile, Value};
use crate::place::Place;
use crate::read::{self, Table};

/// Notes settings of stores that the suite does not name, and values that are not tables.
pub(crate) fn check_names(root: &Table<'_>, stores: &StoreChoice, file: &SuiteFile, problems: &mut Problems) {
    let Some(node) = root.get("settings") else { return };
    let Value::Table(entries) = &node.value else {
        return read::wrong_kind(node, "settings", "tables such as [settings.sqlite]", problems);
    };
    for entry in entries {
        if !matches!(entry.node.value, Value::Table(_)) {
            let what = format!("settings.{}", shorten(&entry.key));
            read::wrong_kind(&entry.node, &what, "a table of the store's settings", problems);
        }
        if let Some(node) = entry.node.get(DURABILITY) {
            axes::durability(node, DURABILITY, problems);
        }
    }
    // `--stores` may leave out stores that the suite has settings for.
    let is_flag = matches!(file.axis_place("stores", 0), Place::Flag { .. });
    let (StoreChoice::Named(names), false) = (stores, is_flag) else { return };
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    for Entry { key, key_place, .. } in entries.iter().filter(|entry| !names.contains(&entry.key.as_str())) {
        let message = format!("there are settings for `{}`, which the suite does not compare", shorten(key));
        let help = format!("the axis `stores` has {}", names.join(", "));
        problems.add_unknown(key_place, key, &names, message, help);
    }
}

/// Notes settings of unknown stores.
pub(crate) fn check_stores(file: &SuiteFile, known: &[String], hidden: &[String], problems: &mut Problems) {
    let Some(Value::Table(entries)) = file.root.get("settings").map(|node| &node.value) else { return };
    let names: Vec<_> = known.iter().map(String::as_str).collect();
    for entry in entries.iter().filter(|entry| !known.contains(&entry.key) && !hidden.contains(&entry.key)) {
        let message = format!("there are settings for the unknown store `{}`", shorten(&entry.key));
        problems.add_unknown(
            &entry.key_place,
            &entry.key,
            &names,
            message,
            format!("drivers offer {}", names.join(", ")),
        );
    }
}

/// The key in a store's settings that sets its own durability level.
const DURABILITY: &str = "durability";

/// The level in this store's settings, if it has one. It overrides the axis. [`check_names`] notes mistakes in it once.
pub(crate) fn durability(file: &SuiteFile, store: &str) -> Option<Durability> {
    let node = file.root.get("settings")?.get(store)?.get(DURABILITY)?;
    axes::durability(node, DURABILITY, &mut Problems::default())
}

/// Whether some store that may be compared has its own level, so that levels may differ within a comparison.
pub(crate) fn is_unequal(file: &SuiteFile, stores: &StoreChoice) -> bool {
    let Some(Value::Table(entries)) = file.root.get("settings").map(|node| &node.value) else { return false };
    let compared = |name: &String| match stores {
        StoreChoice::All => true,
        StoreChoice::Named(names) => names.contains(name),
    };
    entries.iter().any(|entry| compared(&entry.key) && entry.node.get(DURABILITY).is_some())
}

/// The settings that the suite gives a store, with sizes as integers. The driver adds the store's defaults.
pub(crate) fn resolve(file: &SuiteFile, store: &StoreDescription, problems: &mut Problems) -> Settings {
    let mut settings = Settings::new();
    let Some(node) = file.root.get("settings").and_then(|tables| tables.get(&store.name)) else { return settings };
    let Value::Table(entries) = &node.value else { return settings };
    let known: Vec<_> = store.settings.iter().map(|setting| setting.name.as_str()).collect();
    for entry in entries.iter().filter(|entry| entry.key != DURABILITY) {
        match store.settings.iter().find(|setting| setting.name == entry.key) {
            Some(setting) => {
                if let Some(value) = value(setting, &entry.node, problems) {
                    settings.insert(entry.key.clone(), value);
                }
            }
            None => {
                let message = format!("{} has no setting `{}`", store.name, shorten(&entry.key));
                let help = match known.as_slice() {
                    [] => format!("leave it out: {} takes no settings", store.name),
                    known => format!("{} takes {}", store.name, known.join(", ")),
                };
                problems.add_unknown(&entry.key_place, &entry.key, &known, message, help);
            }
        }
    }
    settings
}

fn value(setting: &Setting, node: &Node, problems: &mut Problems) -> Option<Json> {
    let what = setting.name.as_str();
    match &setting.kind {
        SettingKind::Bytes { min, max } => {
            let bytes = read::quantity(node, what, (*min, *max), parse_size, format_size, problems)?;
            let Some(step) = setting.step.filter(|step| !step.takes(bytes)) else { return Some(bytes.into()) };
            let (below, above) = step.around(bytes);
            let rule = match step {
                Step::PowerOfTwo => "a power of two".to_owned(),
                Step::MultipleOf(bytes) => format!("a multiple of {}", format_size(bytes)),
            };
            let help = format!("give {rule}, such as {} or {}", format_size(below), format_size(above));
            problems.add(&node.place, format!("`{what}` is {}", format_size(bytes)), help);
            None
        }
        SettingKind::Integer { min, max } => integer(node, what, *min, *max, problems).map(Json::from),
        SettingKind::Boolean => read::boolean(node, what, problems).map(Json::from),
        SettingKind::Choice { words } => {
            let words: Vec<_> = words.iter().map(|word| (word.as_str(), word.as_str())).collect();
            read::choice(node, what, &words, problems).map(Json::from)
        }
    }
}

fn integer(node: &Node, what: &str, min: i64, max: i64, problems: &mut Problems) -> Option<i64> {
    let Value::Integer(integer) = node.value else {
        read::wrong_kind(node, what, "an integer", problems);
        return None;
    };
    if (min..=max).contains(&integer) {
        return Some(integer);
    }
    problems.add(&node.place, format!("`{what}` is {integer}"), format!("give {min} to {max}"));
    None
}
