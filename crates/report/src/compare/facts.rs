//! What two runs differ in besides their figures, and what failed, in words.

use bakeoff_protocol::CellEnd;
use bakeoff_results::contender::Contenders;
use bakeoff_results::differences::{Difference, Differences, Fact};
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count, printable};
use serde_json::Value;

use crate::format::describe_cell;

/// Machine, versions and settings in which the runs differ, each as `name: A → B`; and their operations.
pub(crate) fn differences(of: &Differences) -> Vec<String> {
    let mut lines: Vec<String> = of.facts.iter().map(difference).collect();
    lines.sort();
    let (other, all) = of.other_operations;
    lines.extend((other > 0).then(|| {
        let (other, of) = (format_count(other as u64), counted(all, "phase"));
        format!("operations: {other} of {of} replayed another tape, or at another speed")
    }));
    lines
}

fn difference(Difference { fact, values }: &Difference) -> String {
    let [a, b] = values.each_ref().map(|value| value.as_ref().map_or("unknown".to_owned(), |value| label(fact, value)));
    printable(&format!("{}: {a} → {b}", name(fact)))
}

fn name(of: &Fact) -> String {
    match of {
        Fact::DriverProgram => "driver program".to_owned(),
        Fact::Directory => "directory".to_owned(),
        Fact::DurabilityLevels => "durability levels".to_owned(),
        Fact::BakeoffVersion => "bakeoff_version".to_owned(),
        Fact::SuiteName => "suite name".to_owned(),
        Fact::Seed => "seed".to_owned(),
        Fact::Machine(name) => format!("machine {name}"),
        Fact::Medium { medium, name } => format!("medium {medium} {name}"),
        Fact::StoreVersion(title) => format!("version of {title}"),
        Fact::Runtimes => "runtime".to_owned(),
        Fact::Setting { store, name } => format!("setting {name} of {store}"),
    }
}

fn label(fact: &Fact, value: &Value) -> String {
    let listed = |all: &[Value], separator| all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(separator);
    match (fact, value) {
        (Fact::DurabilityLevels, value) if *value == 1 => {
            "version 1 (process says nothing about power cuts)".to_owned()
        }
        (Fact::DurabilityLevels, value) => format!("version {value}"),
        (Fact::Medium { .. }, Value::Array(options)) => listed(options, ","),
        (Fact::Runtimes, Value::Array(all)) => listed(all, ", "),
        (_, Value::String(text)) => text.clone(),
        (_, value) => value.to_string(),
    }
}

/// What ran drivers that need more than a processor, in both runs alike.
pub(crate) fn runtime_of_both(a: &Run, b: &Run) -> Option<String> {
    let [a, b] = [a, b].map(|run| run.runtimes().into_keys().collect::<Vec<_>>());
    (!a.is_empty() && a == b).then(|| format!("runtime of both: {}", a.join(", ")))
}

/// What failed, and how.
pub(crate) fn failure(end: &CellEnd, contenders: &Contenders) -> String {
    let title = contenders.of(&end.axes).map_or_else(|| end.axes.store.clone(), |each| each.title.clone());
    let why = end.failure.map_or("failed", |kind| kind.label());
    printable(&format!("{title}, {}: {why}", describe_cell(&end.axes)))
}
