//! What the command line changes in a suite.

use serde::{Deserialize, Serialize};

use crate::node::{Node, Place, SuiteFile, Value};
use crate::variants;

/// Flags that take the place of what a suite says, as typed. They are held to the same rules as the suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overrides {
    /// `--stores`: names, or `all` alone for every store that is not there for tests only.
    pub stores: Option<Vec<String>>,
    /// `--durability`: classes.
    pub durability: Option<Vec<String>>,
    /// `--records`: counts.
    pub records: Option<Vec<String>>,
    /// `--value-size`: sizes or ranges.
    pub value_size: Option<Vec<String>>,
    /// `--data`: data types.
    pub data: Option<Vec<String>>,
    /// `--threads`: counts.
    pub threads: Option<Vec<String>>,
    /// `--variants`: names of variants to measure, the others are left out. Applied by itself, before the other flags.
    pub variants: Option<Vec<String>>,
    /// `--scale`: a part of the records, or `levels=N` for a tree. Applied last.
    pub scale: Option<String>,
    /// `--disturbance`: words.
    pub disturbance: Option<Vec<String>>,
    /// Names given with `--medium`; they take the place of the axis only where the suite leaves it out.
    pub media: Option<Vec<String>>,
    /// `--memory-limit`: sizes, or `none`.
    pub memory_limit: Option<Vec<String>>,
    /// `--memory`: a size.
    pub memory: Option<String>,
    /// `--speed`: a number.
    pub speed: Option<String>,
    /// `--rounds`: a count.
    pub rounds: Option<String>,
    /// `--seed`: a number.
    pub seed: Option<String>,
    /// `--max-db-size`: a size.
    pub max_db_size: Option<String>,
    /// `--timeout`: a time.
    pub timeout: Option<String>,
}

/// The axis that takes the place of `durability` for some stores.
const OTHERWISE: &str = "durability-otherwise";

impl Overrides {
    /// Puts the flags into a suite as typed.
    pub(crate) fn apply(&self, file: &mut SuiteFile) {
        let lists = [
            ("stores", "--stores", &self.stores),
            ("durability", "--durability", &self.durability),
            ("records", "--records", &self.records),
            ("value-size", "--value-size", &self.value_size),
            ("data", "--data", &self.data),
            ("threads", "--threads", &self.threads),
            ("disturbance", "--disturbance", &self.disturbance),
            ("memory-limit", "--memory-limit", &self.memory_limit),
        ];
        let names_media = file.root.get("axes").is_some_and(|axes| axes.get("media").is_some());
        let media = [("media", "--medium", &self.media)];
        let lists = lists.into_iter().chain(media.into_iter().filter(|_| !names_media));
        for (key, flag, values) in lists {
            let Some(values) = values else { continue };
            variants::forget_axis(file, key);
            if key == "durability" {
                // Who names a class wants no other.
                variants::forget_axis(file, OTHERWISE);
                file.root.table("axes").into_iter().for_each(|axes| variants::remove(axes, OTHERWISE));
            }
            if let Some(axes) = file.root.table("axes") {
                axes.set(key, list(flag, values));
            }
        }
        let of_the_suite = [
            ("rounds", "--rounds", &self.rounds),
            ("seed", "--seed", &self.seed),
            ("memory", "--memory", &self.memory),
            ("speed", "--speed", &self.speed),
        ];
        for (key, flag, text) in of_the_suite {
            if let Some(text) = text {
                file.root.set(key, value(flag, text, text));
            }
        }
        for (key, flag, text) in
            [("max-db-size", "--max-db-size", &self.max_db_size), ("timeout", "--timeout", &self.timeout)]
        {
            if let (Some(text), Some(limits)) = (text, file.root.table("limits")) {
                limits.set(key, value(flag, text, text));
            }
        }
    }
}

fn list(flag: &'static str, values: &[String]) -> Node {
    let typed = values.join(",");
    let elements = values.iter().map(|text| value(flag, text, &typed)).collect();
    Node { place: place(flag, &typed), value: Value::Array(elements) }
}

fn value(flag: &'static str, text: &str, typed: &str) -> Node {
    Node { place: place(flag, typed), value: Value::Text(text.trim().to_owned()) }
}

fn place(flag: &'static str, typed: &str) -> Place {
    Place::Flag { flag, value: typed.to_owned() }
}
