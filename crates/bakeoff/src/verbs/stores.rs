//! `bakeoff stores`: what can be compared, and what each store says of itself.

use anyhow::{Result, bail};
use bakeoff_protocol::{Durability, MemoryShare, MemorySplit, Setting, SettingKind, StoreDescription};
use bakeoff_suite::format_size;

use crate::Outcome;
use crate::cli::StoresArguments;
use crate::drivers::Drivers;

/// Runs the verb.
pub(crate) fn main(arguments: &StoresArguments) -> Result<Outcome> {
    let stores = Drivers::discover()?.stores();
    match &arguments.name {
        Some(name) => match stores.iter().find(|store| store.name == *name) {
            Some(store) => print_store(store),
            None => {
                let names: Vec<_> =
                    stores.iter().filter(|store| !store.test_only).map(|store| store.name.as_str()).collect();
                bail!(
                    "unknown store `{name}`{}: there are {}",
                    bakeoff_suite::did_you_mean(name, &names),
                    names.join(", ")
                )
            }
        },
        None => print_table(&stores),
    }
    Ok(Outcome::Good)
}

fn print_table(stores: &[StoreDescription]) {
    let row = |cells: [&str; 7]| {
        let [name, version, structure, ordered, classes, threads, license] = cells;
        anstream::println!("{name:<18} {version:<7} {structure:<9} {ordered:<7} {classes:<18} {threads:<11} {license}");
    };
    row(["store", "version", "structure", "ordered", "durability", "threads", "licence"]);
    for store in stores.iter().filter(|store| !store.test_only) {
        let capabilities = &store.capabilities;
        let classes: Vec<_> = store.durability.keys().map(|class| class.name()).collect();
        let threads = match (capabilities.parallel_readers, capabilities.parallel_writers) {
            (_, true) => "read, write",
            (true, false) => "read",
            (false, false) => "one",
        };
        let ordered = match (capabilities.scan_from, capabilities.scan_ordered) {
            (true, _) => "yes",
            (false, true) => "whole",
            (false, false) => "no",
        };
        row([
            &store.name,
            &store.version,
            store.structure.name(),
            ordered,
            &classes.join(" "),
            threads,
            &store.license,
        ]);
    }
    anstream::println!("\n`bakeoff stores NAME` explains one: its promises, limits, settings and their sources.");
}

fn print_store(store: &StoreDescription) {
    anstream::println!("{} {}: {}", store.title, store.version, store.summary);
    anstream::println!("  structure  {}, in {}", store.structure.name(), store.language);
    anstream::println!("  licence    {}", store.license);
    anstream::println!("  files      {}", store.files);
    let limit = |bytes: Option<u64>| bytes.map_or_else(|| "memory".to_owned(), format_size);
    anstream::println!("  keys       {} B to {}", store.key_bytes_min, limit(store.key_bytes_max));
    anstream::println!("  values     up to {}", limit(store.value_bytes_max));
    print_capabilities(store);
    anstream::println!("\nDurability: how each promise is reached");
    for class in Durability::ALL {
        match store.durability.get(&class) {
            Some(support) => anstream::println!("  {class:<8} {}\n           {}", support.how, support.source),
            None => anstream::println!("  {class:<8} not offered"),
        }
    }
    if !store.settings.is_empty() {
        anstream::println!("\nSettings, in a suite under [settings.{}]", store.name);
    }
    for setting in &store.settings {
        print_setting(setting);
    }
    if let Some(memory) = &store.memory {
        print_memory(memory);
    }
}

fn print_memory(memory: &MemorySplit) {
    anstream::println!("\nMemory that a suite gives it");
    anstream::println!("  {}", memory.how);
    anstream::println!("  {}", memory.source);
    for MemoryShare { setting, percent, pieces, per_thread } in &memory.shares {
        let parts = if *pieces == 1 { String::new() } else { format!(", for {pieces} of its size") };
        let threads = if *per_thread { ", divided by the number of threads" } else { "" };
        anstream::println!("  {setting:<18} {percent} %{parts}{threads}");
    }
}

fn print_capabilities(store: &StoreDescription) {
    let capabilities = &store.capabilities;
    let all = [
        ("ordered scans from a key", capabilities.scan_from),
        ("ordered whole scans", capabilities.scan_ordered),
        ("batches", capabilities.batch),
        ("atomic batches", capabilities.atomic_batch),
        ("parallel readers", capabilities.parallel_readers),
        ("parallel writers", capabilities.parallel_writers),
        ("several processes", capabilities.multi_process),
    ];
    let words = |offered: bool| {
        let some: Vec<_> = all.iter().filter(|(_, has)| *has == offered).map(|(name, _)| *name).collect();
        if some.is_empty() { "–".to_owned() } else { some.join(", ") }
    };
    anstream::println!("  offers     {}", words(true));
    anstream::println!("  not        {}", words(false));
}

fn print_setting(setting: &Setting) {
    let kind = match &setting.kind {
        SettingKind::Bytes { min, max } => format!("{}..{}", format_size(*min), format_size(*max)),
        SettingKind::Integer { min, max } => format!("{min}..{max}"),
        SettingKind::Boolean => "true or false".to_owned(),
        SettingKind::Choice { words } => words.join(", "),
    };
    let default = match (&setting.kind, &setting.default) {
        (SettingKind::Bytes { .. }, Some(value)) => value.as_u64().map_or_else(|| value.to_string(), format_size),
        (_, Some(serde_json::Value::String(word))) => word.clone(),
        (_, Some(value)) => value.to_string(),
        (_, None) => "from the data".to_owned(),
    };
    anstream::println!(
        "  {:<18} {} (default {default}; {kind})\n  {:<18} {}",
        setting.name,
        setting.help,
        "",
        setting.source
    );
}
