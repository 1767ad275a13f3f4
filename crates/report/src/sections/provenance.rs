//! Where figures come from: machine, media, values, versions, command line.

use std::collections::BTreeSet;

use bakeoff_text::{bytes, printable, shell_command};
use serde_json::Value;

use crate::document::{Block, Fact, Part, Section, SectionId};
use crate::run::Run;

/// What is shown of a disk.
const DISK: [&str; 6] = ["file_system", "mount_options", "device_name", "device_model", "rotational", "scheduler"];

/// The section: machine, media, values, versions, command line. `None` if nothing of it is known.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let mut all: Vec<Fact> = Vec::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            all.push(Fact::new(name, value));
        }
    };
    fact(
        "machine",
        facts(run.info.get("machine"), &["cpu_model", "cpus_usable", "memory_bytes", "os", "kernel", "hypervisor"]),
    );
    for (name, medium) in run.info.get("media").and_then(Value::as_object).into_iter().flatten() {
        let image = medium
            .get("image_on")
            .map_or_else(String::new, |on| format!("; in an image on {}", facts(Some(on), &DISK)));
        let keys = [&["directory"], &DISK[..], &["free_bytes"]].concat();
        fact("medium", format!("{name}: {}{image}", facts(Some(medium), &keys)));
    }
    // Pools of several lengths mostly read the same.
    for pool in run.list("pools").iter().map(describe_pool).collect::<BTreeSet<_>>() {
        fact("values", pool);
    }
    let versions: Vec<String> = run.stores.iter().map(|store| format!("{} {}", store.title, store.version)).collect();
    fact("stores", versions.join(", "));
    for (runtime, stores) in run.runtimes() {
        fact("runtime", format!("{runtime}: {}", Vec::from_iter(stores).join(", ")));
    }
    fact("seed", run.info.get("seed").map_or_else(String::new, Value::to_string));
    let command = printable(&command_line(run));
    if !command.is_empty() {
        all.push(Fact { name: "command".to_owned(), value: Part::Command("", command) });
    }
    let blocks = if all.is_empty() { Vec::new() } else { vec![Block::Facts(all)] };
    Section::titled(SectionId::Provenance, "Where this comes from", blocks)
}

/// The named values that are there.
fn facts(of: Option<&Value>, keys: &[&str]) -> String {
    let word = |key: &&str| {
        let value = of?.get(*key)?;
        match (value, value.as_f64()) {
            (Value::String(text), _) if ["kernel", "scheduler"].contains(key) => Some(format!("{key} {text}")),
            (Value::Bool(is_so), _) => Some(if *is_so { (*key).to_owned() } else { format!("not {key}") }),
            (Value::Array(words), _) if *key == "mount_options" => {
                let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
                (!words.is_empty()).then(|| format!("mounted {}", words.join(" ")))
            }
            (Value::String(text), _) => Some(text.clone()),
            (_, Some(number)) if key.ends_with("_bytes") => {
                Some(format!("{} {}", bytes(number), key_label(key, "_bytes")))
            }
            (_, Some(_)) => Some(format!("{value} {}", key_label(key, ""))),
            _ => None,
        }
    };
    keys.iter().filter_map(word).collect::<Vec<_>>().join(", ")
}

fn key_label(key: &str, unit: &str) -> String {
    key.trim_end_matches(unit).replace("cpus_usable", "CPUs").replace('_', " ")
}

fn describe_pool(pool: &Value) -> String {
    let word = |key: &str| pool.get(key).and_then(Value::as_str);
    let data = word("data").unwrap_or("?");
    let data = word("values").map_or_else(|| data.to_owned(), |values| format!("{data} ({values})"));
    let ratio = |key: &str| {
        pool.get(key).and_then(Value::as_f64).map(|ratio| format!("{} {ratio:.2}", key_label(key, "_ratio")))
    };
    let ratios: Vec<String> = ["snappy_ratio", "lz4_ratio", "zstd_ratio"].iter().filter_map(|key| ratio(key)).collect();
    if ratios.is_empty() { data } else { format!("{data}, compressible by {}", ratios.join(", ")) }
}

/// The command line, to be pasted into a shell.
pub(crate) fn command_line(run: &Run) -> String {
    match run.info.get("command_line") {
        Some(Value::String(line)) => line.clone(),
        Some(Value::Array(arguments)) => {
            shell_command(&arguments.iter().map(|each| each.as_str().unwrap_or_default()).collect::<Vec<_>>())
        }
        _ => String::new(),
    }
}
