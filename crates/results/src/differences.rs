//! Differences between two runs besides their figures: machine, versions, settings, operations.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::assembly::replayed;
use crate::record::known;
use crate::run::Run;

/// A fact about a run besides its figures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// The driver program given by the user.
    DriverProgram,
    /// The directory for stores given by the user.
    Directory,
    /// The version of the durability levels: `process` differs between versions.
    DurabilityLevels,
    /// The version of bakeoff.
    BakeoffVersion,
    /// The suite's name.
    SuiteName,
    /// The seed.
    Seed,
    /// A fact about the machine, by its name in `run.json`.
    Machine(&'static str),
    /// A fact about a medium, by its name in `run.json`.
    Medium {
        /// The medium.
        medium: String,
        /// The fact.
        name: &'static str,
    },
    /// The version of the store with this title.
    StoreVersion(String),
    /// Runtimes of drivers, such as a Java virtual machine.
    Runtimes,
    /// An effective setting.
    Setting {
        /// The store.
        store: String,
        /// The setting.
        name: String,
    },
}

/// A fact that differs between two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The fact.
    pub fact: Fact,
    /// Its values in the first and in the second run. `None` if unknown.
    pub values: [Option<Value>; 2],
}

/// All differences of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Differences {
    /// The facts.
    pub facts: Vec<Difference>,
    /// The number of phases that replayed other operations or another speed, and the number of phases that both runs
    /// have.
    pub other_operations: (usize, usize),
}

impl Differences {
    /// The differences between two runs.
    pub fn of(a: &Run, b: &Run) -> Self {
        let (mut facts_a, mut facts_b) = (facts(a), facts(b));
        let all: BTreeSet<Fact> = facts_a.keys().chain(facts_b.keys()).cloned().collect();
        let difference = |fact: Fact| {
            let values = [facts_a.remove(&fact), facts_b.remove(&fact)];
            (values[0] != values[1]).then_some(Difference { fact, values })
        };
        Self { facts: all.into_iter().filter_map(difference).collect(), other_operations: other_operations(a, b) }
    }
}

fn other_operations(a: &Run, b: &Run) -> (usize, usize) {
    let tapes = |run: &Run| -> BTreeMap<_, _> { run.cells.iter().flat_map(replayed).collect() };
    let (tapes_a, tapes_b) = (tapes(a), tapes(b));
    let both = tapes_a.iter().filter_map(|(place, a)| Some(tapes_b.get(place)? != a));
    both.fold((0, 0), |(other, all), differs| (other + usize::from(differs), all + 1))
}

fn facts(run: &Run) -> BTreeMap<Fact, Value> {
    let (record, options) = (&run.record, run.record.options.as_ref());
    let path = |path: Option<&PathBuf>| json!(path.map(|path| path.display().to_string()));
    let machine = record.machine.clone().unwrap_or_default();
    let mut facts = vec![
        (Fact::DriverProgram, path(options.and_then(|options| options.driver.as_ref()))),
        (Fact::Directory, path(options.and_then(|options| options.dir.as_ref()))),
        (Fact::DurabilityLevels, json!(if record.has_older_levels() { 1 } else { 2 })),
        (Fact::BakeoffVersion, json!(known(&record.bakeoff_version))),
        (Fact::SuiteName, json!(known(&record.suite.name))),
        (Fact::Seed, json!(record.seed)),
        (Fact::Machine("cpu_model"), json!(machine.cpu_model)),
        (Fact::Machine("cpus_usable"), json!(machine.cpus_usable)),
        (Fact::Machine("memory_bytes"), json!(machine.memory_bytes)),
        (Fact::Machine("os"), json!(machine.os)),
        (Fact::Machine("kernel"), json!(machine.kernel)),
        (Fact::Machine("hypervisor"), json!(machine.hypervisor)),
    ];
    for (medium, of) in &record.media {
        let options = Some(&of.mount_options).filter(|options| !options.is_empty());
        let of_medium = [
            ("file_system", json!(of.file_system)),
            ("device_model", json!(of.device_model)),
            ("mount_options", json!(options)),
        ];
        facts.extend(of_medium.map(|(name, value)| (Fact::Medium { medium: medium.clone(), name }, value)));
    }
    facts.extend(run.stores().iter().map(|store| (Fact::StoreVersion(store.title.clone()), json!(store.version))));
    let runtimes = run.runtimes();
    facts.extend((!runtimes.is_empty()).then(|| (Fact::Runtimes, json!(Vec::from_iter(runtimes.keys())))));
    facts.retain(|(_, value)| !value.is_null());
    for end in run.cells.iter().map(|cell| &cell.end) {
        let settings = end.opened.iter().flat_map(|opened| &opened.settings);
        let fact = |name: &String| Fact::Setting { store: end.axes.store.clone(), name: name.clone() };
        facts.extend(settings.map(|(name, value)| (fact(name), value.clone())));
    }
    facts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunRecord;

    fn run(info: Value) -> Run {
        Run::new(PathBuf::from("made-up"), RunRecord::from_json(info).0, Vec::new(), Vec::new())
    }

    #[test]
    fn runs_differ_in_what_both_say_and_in_what_one_of_them_says() {
        let medium = |options: &[&str]| json!({ "default": { "file_system": "ext4", "mount_options": options } });
        let a = run(json!({ "protocol": 2, "seed": 1, "machine": { "os": "Linux" }, "media": medium(&["rw"]) }));
        let b = run(json!({ "protocol": 2, "seed": 2, "media": medium(&["rw", "sync"]) }));
        let medium = Fact::Medium { medium: "default".to_owned(), name: "mount_options" };
        let difference = |fact, a: Value, b: Value| Difference {
            fact,
            values: [a, b].map(|of| Some(of).filter(|of| !of.is_null())),
        };
        let expected = [
            difference(Fact::Seed, json!(1), json!(2)),
            difference(Fact::Machine("os"), json!("Linux"), Value::Null),
            difference(medium, json!(["rw"]), json!(["rw", "sync"])),
        ];
        assert_eq!(Differences::of(&a, &b).facts, expected);
        assert_eq!(Differences::of(&a, &a), Differences { facts: Vec::new(), other_operations: (0, 0) });
    }
}
