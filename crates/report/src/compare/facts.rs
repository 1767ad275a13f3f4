//! What two runs differ in besides their figures, and what failed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bakeoff_protocol::CellEnd;
use bakeoff_results::assembly::replayed;
use bakeoff_results::contender::Contenders;
use bakeoff_results::record::known;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count, printable};
use serde_json::Value;

use crate::format::describe_cell;

/// Machine, versions and settings in which the runs differ, each as `what: A → B`.
pub(crate) fn differences(a: &Run, b: &Run) -> Vec<String> {
    let (mut a_facts, mut b_facts) = (facts(a), facts(b));
    let names: BTreeSet<String> = a_facts.keys().chain(b_facts.keys()).cloned().collect();
    let differ = |name: String| {
        let (a, b) = (a_facts.remove(&name), b_facts.remove(&name));
        let label = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
        (a != b).then(|| printable(&format!("{name}: {} → {}", label(a), label(b))))
    };
    names.into_iter().filter_map(differ).chain(other_operations(a, b)).collect()
}

/// How many phases that both runs have replayed other operations, or the same at another speed.
fn other_operations(a: &Run, b: &Run) -> Option<String> {
    let tapes = |run: &Run| -> BTreeMap<_, _> { run.cells.iter().flat_map(replayed).collect() };
    let (tapes_a, tapes_b) = (tapes(a), tapes(b));
    let both: Vec<bool> = tapes_a.iter().filter_map(|(place, a)| Some(tapes_b.get(place)? != a)).collect();
    let number = both.iter().filter(|differs| **differs).count();
    let of = counted(both.len(), "phase");
    (number > 0).then(|| {
        format!("operations: {} of {of} replayed another tape, or at another speed", format_count(number as u64))
    })
}

fn facts(run: &Run) -> BTreeMap<String, String> {
    let machine = run.record.machine.clone().unwrap_or_default();
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let options = run.record.options.as_ref();
    let path = |path: Option<&PathBuf>| path.map(|path| path.display().to_string());
    let of_run = [
        ("driver program", path(options.and_then(|options| options.driver.as_ref()))),
        ("directory", path(options.and_then(|options| options.dir.as_ref()))),
        ("durability levels", Some(describe_levels(run).to_owned())),
        ("bakeoff_version", known(&run.record.bakeoff_version).map(str::to_owned)),
        ("suite name", known(&run.record.suite.name).map(str::to_owned)),
        ("seed", number(run.record.seed)),
        ("machine cpu_model", machine.cpu_model),
        ("machine cpus_usable", number(machine.cpus_usable)),
        ("machine memory_bytes", number(machine.memory_bytes)),
        ("machine os", machine.os),
        ("machine kernel", machine.kernel),
        ("machine hypervisor", machine.hypervisor),
    ];
    let mut facts: BTreeMap<String, String> =
        of_run.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    for (name, medium) in &run.record.media {
        let options = &medium.mount_options;
        let of = [
            ("file_system", medium.file_system.clone()),
            ("device_model", medium.device_model.clone()),
            ("mount_options", (!options.is_empty()).then(|| options.join(","))),
        ];
        facts.extend(of.into_iter().filter_map(|(key, value)| Some((format!("medium {name} {key}"), value?))));
    }
    for store in run.stores() {
        facts.insert(format!("version of {}", store.title), store.version.clone());
    }
    facts.extend(runtimes(run).map(|words| ("runtime".to_owned(), words)));
    for end in run.cells.iter().map(|cell| &cell.end) {
        for (name, value) in end.opened.iter().flat_map(|opened| &opened.settings) {
            facts.insert(format!("setting {name} of {}", end.axes.store), describe_value(value));
        }
    }
    facts
}

/// The version of the durability levels: `process` is not the same promise in both.
fn describe_levels(run: &Run) -> &'static str {
    if run.record.has_older_levels() { "version 1 (process says nothing about power cuts)" } else { "version 2" }
}

/// What ran drivers that need more than a processor, in words; `None` if nothing did.
fn runtimes(run: &Run) -> Option<String> {
    let all: Vec<&str> = run.runtimes().into_keys().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// What ran such drivers in both runs alike.
pub(crate) fn runtime_of_both(a: &Run, b: &Run) -> Option<String> {
    let words = runtimes(a).filter(|words| runtimes(b).as_ref() == Some(words))?;
    Some(format!("runtime of both: {words}"))
}

fn describe_value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What failed, and how.
pub(crate) fn failure(end: &CellEnd, contenders: &Contenders) -> String {
    let title = contenders.of(&end.axes).map_or_else(|| end.axes.store.clone(), |each| each.title.clone());
    let why = end.failure.map_or("failed", |kind| kind.label());
    printable(&format!("{title}, {}: {why}", describe_cell(&end.axes)))
}
