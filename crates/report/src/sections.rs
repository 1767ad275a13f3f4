//! What stands around the tables: what failed, what was left out, what spoils the figures, where they come from.

pub(crate) mod background_work;
pub(crate) mod disk_usage;
pub(crate) mod gc;
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod phase_tables;
pub(crate) mod reopening;
pub(crate) mod slow_operations;
pub(crate) mod store_counters;
pub(crate) mod warm_up;

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{CellEnd, StoreDescription};
use bakeoff_text::{bytes, command_lines, counted, listed, paragraph, printable, shell_command};
use serde_json::Value;

use crate::contender::Contenders;
use crate::format::workload_of;
use crate::run::Run;

/// Entries of a list that are shown unless everything is asked for.
const SHOWN: usize = 5;

/// Failed cells, grouped by store and reason, each with its log and how to see it again.
pub(crate) fn failed(run: &Run, contenders: &Contenders, width: usize, full: bool) -> String {
    let mut groups: BTreeMap<(String, &str), Vec<&CellEnd>> = BTreeMap::new();
    for end in run.cells.iter().filter(|cell| !cell.is_ok()).map(|cell| &cell.end) {
        let title = contenders.of(&end.axes).map_or_else(String::new, |contender| contender.title.clone());
        groups.entry((title, end.failure.map_or("no reason given", |kind| kind.words()))).or_default().push(end);
    }
    let mut out = String::new();
    for ((title, kind), ends) in &groups {
        out.push_str(&paragraph(&format!("{title}: {kind}, {}", counted(ends.len(), "time")), width, "", "  "));
        for end in ends.iter().take(if full { usize::MAX } else { 1 }) {
            out.push_str(&failure(run, end, width));
        }
        if !full && ends.len() > 1 {
            out.push_str(&format!("  and {} more: `--full` lists all\n", ends.len() - 1));
        }
    }
    section("Failed (never ranked, never averaged)", &out)
}

fn failure(run: &Run, end: &CellEnd, width: usize) -> String {
    let axes = &end.axes;
    let phase = end.failure_phase.as_ref().map_or_else(String::new, |phase| format!(", in {phase}"));
    let place = format!("{}, durability {}", workload_of(axes), axes.durability);
    let directory = run.directory.display();
    let (message, again) = run.failure(end);
    let lines = [format!("{place}, round {}{phase}", end.round), message, format!("log: {directory}/{}", end.log)];
    let shown = lines.iter().filter(|line| !line.is_empty());
    let words: String = shown.map(|line| paragraph(&printable(line), width, "  ", "    ")).collect();
    words + &command_lines(&printable(&again), width, "  again: ", "    ")
}

/// What the plan skipped and what the time did not suffice for.
pub(crate) fn left_out(run: &Run, width: usize, full: bool) -> String {
    let pairs = |key: &str| -> Vec<String> {
        let word = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
        run.list(key).iter().map(|entry| format!("{}: {}", word(entry, "what"), word(entry, "why"))).collect()
    };
    section("Skipped", &bullets(&pairs("skipped"), width, full))
        + &section("Given up", &bullets(&pairs("given_up"), width, full))
}

/// Warnings, each with its advice.
pub(crate) fn warnings(run: &Run, width: usize) -> String {
    let words = |entry: &Value| {
        let parts = ["message", "advice"].iter().filter_map(|key| entry.get(key)?.as_str());
        parts.collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> = run.list("warnings").iter().map(words).filter(|line| !line.is_empty()).collect();
    section("Warnings", &bullets(&lines, width, true))
}

/// How each store was set, where stores promise different things: class and settings, and in which variants.
pub(crate) fn as_set(run: &Run, contenders: &Contenders, width: usize) -> String {
    let mut ways: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    for axes in run.cells.iter().map(|cell| &cell.end.axes).filter(|axes| axes.unequal) {
        let title = contenders.of(axes).map_or_else(|| axes.store.clone(), |contender| contender.title.clone());
        let settings: Vec<String> = axes.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let settings = if settings.is_empty() { "defaults".to_owned() } else { settings.join(", ") };
        ways.entry((title, settings)).or_default().insert(axes.variant.as_deref().unwrap_or_default());
    }
    let line = |((title, settings), variants): (&(String, String), &BTreeSet<&str>)| {
        let variants: Vec<_> = variants.iter().copied().filter(|variant| !variant.is_empty()).collect();
        let of = if variants.is_empty() { String::new() } else { format!(" [{}]", variants.join(", ")) };
        paragraph(&printable(&format!("{title}: {settings}{of}")), width, "  ", "    ")
    };
    section("How the stores were set (UNEQUAL)", &ways.iter().map(line).collect::<String>())
}

/// What a reader of the figures must know.
pub(crate) fn notes(run: &Run, width: usize) -> String {
    section("Notes", &bullets(&all_notes(run), width, true))
}

/// What was left out while the results were read, and what several threads mean for figures, and for stores that one thread at a time
/// writes.
pub(crate) fn all_notes(run: &Run) -> Vec<String> {
    let mut notes = run.notes.clone();
    let threads = run.cells.iter().any(|cell| cell.end.axes.threads > 1);
    if threads {
        notes.push(
            "with several threads, times are those of an operation in its thread, rates those of all threads together; CPU time, bytes and \
             memory are the whole process's"
                .to_owned(),
        );
    }
    let takes_turns = |store: &&StoreDescription| {
        let mut cells = run.cells.iter().map(|cell| &cell.end.axes).filter(|axes| axes.store == store.name);
        store.capabilities.keeps_data && cells.any(|axes| !store.writes_in_parallel(axes.durability))
    };
    let turns: Vec<String> = run.stores.iter().filter(takes_turns).map(|store| store.title.clone()).collect();
    if !turns.is_empty() && threads {
        notes.push(format!("with several threads, those that write take turns in {}", listed(&turns)));
    }
    let lines = run.cells.iter().flat_map(|cell| &cell.phases);
    let open: BTreeSet<&str> =
        lines.filter(|line| line.result.open_loop.is_some()).map(|line| line.result.phase.as_str()).collect();
    if !open.is_empty() {
        let open = listed(&open.into_iter().map(str::to_owned).collect::<Vec<_>>());
        notes.push(format!(
            "open loop: times of {open} count from when operations were due, the wait for others included"
        ));
    }
    notes
}

/// What is told of a disk.
const DISK: [&str; 6] = ["file_system", "mount_options", "device_name", "device_model", "rotational", "scheduler"];

/// Machine, media, values, versions, command line: what figures depend on.
pub(crate) fn origin(run: &Run, width: usize) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            out.push_str(&paragraph(&printable(&format!("{name:<9} {value}")), width, "  ", "            "));
        }
    };
    line(
        "machine",
        facts(run.info.get("machine"), &["cpu_model", "cpus_usable", "memory_bytes", "os", "kernel", "hypervisor"]),
    );
    for (name, medium) in run.info.get("media").and_then(Value::as_object).into_iter().flatten() {
        let image = medium
            .get("image_on")
            .map_or_else(String::new, |on| format!("; in an image on {}", facts(Some(on), &DISK)));
        let keys = [&["directory"], &DISK[..], &["free_bytes"]].concat();
        line("medium", format!("{name}: {}{image}", facts(Some(medium), &keys)));
    }
    // Pools of several lengths mostly read the same.
    for pool in run.list("pools").iter().map(pool_words).collect::<BTreeSet<_>>() {
        line("values", pool);
    }
    let versions: Vec<String> = run.stores.iter().map(|store| format!("{} {}", store.title, store.version)).collect();
    line("stores", versions.join(", "));
    for (runtime, stores) in run.runtimes() {
        line("runtime", format!("{runtime}: {}", Vec::from_iter(stores).join(", ")));
    }
    line("seed", run.info.get("seed").map_or_else(String::new, Value::to_string));
    let command = printable(&command_line(run));
    if !command.is_empty() {
        out.push_str(&command_lines(&command, width, "  command   ", "            "));
    }
    section("Where this comes from", &out)
}

/// The named values that are there, in words.
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
                Some(format!("{} {}", bytes(number), key_words(key, "_bytes")))
            }
            (_, Some(_)) => Some(format!("{value} {}", key_words(key, ""))),
            _ => None,
        }
    };
    keys.iter().filter_map(word).collect::<Vec<_>>().join(", ")
}

fn key_words(key: &str, unit: &str) -> String {
    key.trim_end_matches(unit).replace("cpus_usable", "CPUs").replace('_', " ")
}

fn pool_words(pool: &Value) -> String {
    let word = |key: &str| pool.get(key).and_then(Value::as_str);
    let data = word("data").unwrap_or("?");
    let data = word("values").map_or_else(|| data.to_owned(), |values| format!("{data} ({values})"));
    let ratio = |key: &str| {
        pool.get(key).and_then(Value::as_f64).map(|ratio| format!("{} {ratio:.2}", key_words(key, "_ratio")))
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

fn bullets(lines: &[String], width: usize, full: bool) -> String {
    let shown = if full { lines.len() } else { SHOWN.min(lines.len()) };
    let mut out: String =
        lines.iter().take(shown).map(|line| paragraph(&printable(line), width, "  ", "    ")).collect();
    if shown < lines.len() {
        out.push_str(&format!("  and {} more: `--full` lists all\n", lines.len() - shown));
    }
    out
}

/// A titled section; nothing if it is empty.
pub(crate) fn section(title: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("\n{title}\n{body}") }
}
