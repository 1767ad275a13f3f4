//! `bakeoff stores`: what can be compared, and what each store says of itself.

use anyhow::{Result, anyhow};
use bakeoff_engine::{Drivers, Recipe, left_out, not_built, not_included, recipes};
use bakeoff_protocol::{
    AfterFailure, Durability, MemoryShare, MemorySplit, NotOffered, Overhead, Setting, SettingKind, StoreDescription,
};
use bakeoff_text::{Side, Text, TextTable, approximate_size, format_size, program};

use crate::cli::StoresArguments;
use crate::outcome::Outcome;
use crate::show::columns;

/// Runs the verb.
pub(crate) fn main(arguments: &StoresArguments) -> Result<Outcome> {
    let drivers = match &arguments.name {
        Some(name) => Drivers::discover_for(std::slice::from_ref(name))?,
        None => Drivers::discover()?,
    };
    let stores = drivers.stores();
    match &arguments.name {
        Some(name) => match stores.iter().find(|store| store.name == *name) {
            Some(store) => print_store(store, drivers.missing(name))?,
            None => match not_built(&drivers)?.iter().find(|recipe| recipe.stores.contains(name)) {
                Some(recipe) => print_not_built(name, recipe)?,
                None => return Err(unknown(name, &stores, &drivers)?),
            },
        },
        None => {
            print_tables(&stores, &not_built(&drivers)?)?;
            for words in left_out(&drivers)?.values() {
                print_paragraph("\n", 2, &bakeoff_text::printable(words))?;
            }
            print_line!(
                "\n`{} stores NAME` explains one: its promises, limits, settings and their sources.",
                program()
            )?;
        }
    }
    Ok(Outcome::Good)
}

/// Why a store cannot be shown.
fn unknown(name: &str, stores: &[StoreDescription], drivers: &Drivers) -> Result<anyhow::Error> {
    let (not_built, left_out) = (not_built(drivers)?, left_out(drivers)?);
    let is_among = |recipe: &&Recipe| recipe.stores.iter().any(|store| store == name);
    let recipes = recipes()?;
    if let Some(why) = recipes.iter().find(is_among).and_then(|recipe| left_out.get(&recipe.program)) {
        return Ok(anyhow!("{}", bakeoff_text::printable(why)));
    }
    let built = stores.iter().filter(|store| !store.test_only).map(|store| store.name.as_str());
    let names: Vec<_> =
        built.chain(not_built.iter().flat_map(|recipe| recipe.stores.iter().map(String::as_str))).collect();
    let why = match not_included(name)? {
        Some(why) => format!("`{name}` is not included: {why}"),
        None => {
            format!("unknown store `{}`{}", bakeoff_text::printable(name), bakeoff_text::did_you_mean(name, &names))
        }
    };
    Ok(anyhow!("{why}. `{} stores` lists all", program()))
}

/// The facts about a store before its driver is built, and how to build it.
fn print_not_built(name: &str, recipe: &Recipe) -> Result<()> {
    let about = recipe.about.get(name).map_or("", String::as_str);
    print_paragraph(&format!("{name}: "), 2, &format!("{about}. It is not built yet"))?;
    let others: Vec<&str> = recipe.stores.iter().map(String::as_str).filter(|store| *store != name).collect();
    let facts = [
        ("build it", format!("{} ({})", recipe.command(Some(name)), recipe.wait)),
        ("or name it", format!("{} run --stores {name}, which builds it first", program())),
        ("needs", format!("{}, installed if missing", recipe.needs.join(", "))),
        ("builds too", others.join(", ")),
        ("then", format!("{} stores {name} explains its durability, limits and settings", program())),
    ];
    facts.iter().try_for_each(|(label, text)| print_paragraph(&format!("  {label:<11} "), 14, text))
}

fn print_tables(stores: &[StoreDescription], not_built: &[Recipe]) -> Result<()> {
    let listed: Vec<_> = stores.iter().filter(|store| !store.test_only).collect();
    print_table(["store", "version", "structure", "ordered", "language"], listed.iter().map(identity))?;
    print_line!("What a power cut leaves, at each durability level")?;
    let [none, process, consistent, power] = Durability::ALL.map(Durability::name);
    print_table(["store", none, process, consistent, power], listed.iter().map(levels_of))?;
    let heads = ["store", "batches", "threads", "processes", "keys up to", "values up to"];
    print_table(heads, listed.iter().map(abilities))?;
    let most = exact_size(bakeoff_tape::RECORD_KEY_BYTES_MAX);
    print_paragraph("", 0, &format!("These are the stores' own limits; bakeoff measures keys of up to {most}."))?;
    print_line!("")?;
    if listed.iter().any(|store| differs_by_level(store)) {
        print_line!("{MOSTLY}: not at every durability level; `{} stores NAME` names them\n", program())?;
    }
    print_line!("Licence, and files on disk")?;
    let indent = 2 + listed.iter().map(|store| store.name.len()).max().unwrap_or(0);
    for store in &listed {
        print_paragraph(&format!("{:<indent$}", store.name), indent, &format!("{} · {}", store.license, store.files))?;
    }
    for recipe in not_built {
        print_paragraph(
            "\nNot built yet: ",
            2,
            &format!("{}; {} ({})", recipe.store_list(), recipe.command(None), recipe.wait),
        )?;
    }
    Ok(())
}

/// Text that begins after `first`, its later lines indented.
fn print_paragraph(first: &str, indent: usize, text: &str) -> Result<()> {
    print_text!("{}", bakeoff_text::paragraph(text, columns(), first, &" ".repeat(indent)))
}

/// A line for the heads and one a store.
fn print_table<const COUNT: usize>(heads: [&str; COUNT], rows: impl Iterator<Item = [String; COUNT]>) -> Result<()> {
    let mut table = TextTable::new(vec![Side::Left; COUNT]);
    table.row(heads.map(Text::plain).into());
    rows.for_each(|row| table.row(row.map(Text::plain).into()));
    let width = table.width();
    print_line!("{}", table.render(width, false))
}

fn identity(store: &&StoreDescription) -> [String; 5] {
    let capabilities = &store.capabilities;
    let ordered = match (capabilities.scan_from, capabilities.scan_ordered) {
        (true, _) => "yes",
        (false, true) => "whole",
        (false, false) => "no",
    };
    [&store.name, &store.version, store.structure.name(), ordered, &store.language].map(str::to_owned)
}

/// The name of a store, and for each durability level what a power cut leaves.
fn levels_of(store: &&StoreDescription) -> [String; 5] {
    let [none, process, consistent, power] = Durability::ALL.map(|level| match store.durability.get(&level) {
        None => "–".to_owned(),
        Some(support) => support.after.map_or_else(|| "not said".to_owned(), |after| after.power_cut.to_string()),
    });
    [store.name.clone(), none, process, consistent, power]
}

/// Describes what holds at some levels only.
const MOSTLY: &str = "mostly";

/// Whether a store can do something at a durability level.
type Can = fn(&StoreDescription, Durability) -> bool;

/// Whether it can at every level that it offers.
fn can_always(store: &StoreDescription, can: Can) -> bool {
    store.durability.keys().all(|level| can(store, *level))
}

/// Whether a store can do something at some levels only.
fn differs_by_level(store: &StoreDescription) -> bool {
    let capabilities = &store.capabilities;
    let able: [(bool, Can); 3] = [
        (capabilities.batch && capabilities.atomic_batch, StoreDescription::batch_is_atomic),
        (capabilities.parallel_readers, StoreDescription::reads_in_parallel),
        (capabilities.parallel_writers, StoreDescription::writes_in_parallel),
    ];
    able.into_iter().any(|(is_able, can)| is_able && !can_always(store, can))
}

fn batches(store: &StoreDescription) -> String {
    let capabilities = &store.capabilities;
    match (capabilities.batch, capabilities.atomic_batch) {
        (true, true) if can_always(store, StoreDescription::batch_is_atomic) => "atomic".to_owned(),
        (true, true) => format!("{MOSTLY} atomic"),
        (true, false) => "yes".to_owned(),
        (false, _) => "no".to_owned(),
    }
}

fn abilities(store: &&StoreDescription) -> [String; 6] {
    let capabilities = &store.capabilities;
    let at_once = [
        ("read", capabilities.parallel_readers, can_always(store, StoreDescription::reads_in_parallel)),
        ("write", capabilities.parallel_writers, can_always(store, StoreDescription::writes_in_parallel)),
    ];
    let words = at_once.iter().filter(|(_, can, _)| *can);
    let words = words.map(|(word, _, always)| if *always { (*word).to_owned() } else { format!("{MOSTLY} {word}") });
    let threads = words.collect::<Vec<_>>().join(", ");
    let threads = if threads.is_empty() { "one" } else { &threads };
    let processes = if capabilities.multi_process { "several" } else { "one" };
    let about = |bytes: Option<u64>| bytes.map_or_else(|| "memory".to_owned(), approximate_size);
    let (key, value) = (about(store.key_bytes_max), about(store.value_bytes_max));
    [&store.name, &batches(store), threads, processes, &key, &value].map(str::to_owned)
}

fn print_store(store: &StoreDescription, missing: Option<&str>) -> Result<()> {
    print_paragraph(&format!("{} {}: ", store.title, store.version), 2, &store.summary)?;
    if let Some(why) = missing {
        print_paragraph("  cannot be opened here: ", 4, &bakeoff_text::printable(why))?;
    }
    print_line!("  structure  {}, in {}", store.structure.name(), store.language)?;
    print_line!("  licence    {}", store.license)?;
    print_paragraph("  files      ", 13, &store.files)?;
    let limit = |bytes: Option<u64>| bytes.map_or_else(|| "memory".to_owned(), exact_size);
    print_line!("  keys       {} B to {}", store.key_bytes_min, limit(store.key_bytes_max))?;
    print_line!("  values     up to {}", limit(store.value_bytes_max))?;
    print_capabilities(store)?;
    print_line!("\nDurability: how each level is reached, and what a failure leaves, at least")?;
    for class in Durability::ALL {
        match store.durability.get(&class) {
            Some(support) => {
                print_paragraph(&format!("  {class:<10} "), LEVEL_INDENT, &support.how)?;
                if let Some(after) = support.after {
                    let AfterFailure { process_death, power_cut } = after;
                    let left =
                        format!("after the death of the process: {process_death}; after a power cut: {power_cut}");
                    print_paragraph(&" ".repeat(LEVEL_INDENT), LEVEL_INDENT, &left)?;
                }
                print_source(LEVEL_INDENT, &support.source)?;
            }
            None => print_not_offered(class, store.why_not(class))?,
        }
    }
    if !store.settings.is_empty() {
        print_line!("\nSettings, in a suite under [settings.{}]", store.name)?;
    }
    for setting in &store.settings {
        print_setting(setting)?;
    }
    if let Some(memory) = &store.memory {
        print_memory(memory, &store.settings)?;
    }
    Ok(())
}

fn exact_size(bytes: u64) -> String {
    // How often the largest unit that divides it: 1024 is 2 to the power of 10.
    let of_unit = bytes >> (bytes.trailing_zeros() / 10 * 10).min(40);
    let is_readable = bytes < 1_000_000 || of_unit < 10_000;
    if is_readable { format_size(bytes) } else { format!("{} ({bytes} bytes)", approximate_size(bytes)) }
}

/// Where text begins after the name of a durability level.
const LEVEL_INDENT: usize = 13;

fn print_not_offered(class: Durability, reason: Option<&NotOffered>) -> Result<()> {
    let first = format!("  {class:<10} ");
    match reason {
        Some(NotOffered { why, source }) => {
            print_paragraph(&first, LEVEL_INDENT, &format!("not offered: {why}"))?;
            print_source(LEVEL_INDENT, source)?;
        }
        None => print_paragraph(&first, LEVEL_INDENT, "not offered; its driver does not say why")?,
    }
    Ok(())
}

/// An address below what it is the source of; a long one further left, so that it fits.
fn print_source(indent: usize, source: &str) -> Result<()> {
    let indent = indent.min(columns().saturating_sub(source.len())).max(4.min(indent));
    print_line!("{}{source}", " ".repeat(indent))
}

fn print_memory(memory: &MemorySplit, settings: &[Setting]) -> Result<()> {
    print_line!("\nMemory that a suite gives it")?;
    print_paragraph("  ", 2, &memory.how)?;
    print_source(2, &memory.source)?;
    for share in &memory.shares {
        let MemoryShare { setting, percent, pieces, per_thread, overhead, .. } = share;
        let parts = if *pieces == 1 { String::new() } else { format!(", for {pieces} of its size") };
        let threads = if *per_thread { ", divided by the number of threads" } else { "" };
        let added = overhead.map_or_else(String::new, |Overhead { percent, below_bytes }| {
            format!(", less the {percent} % that the store adds below {}", format_size(below_bytes))
        });
        let kind = settings.iter().find(|one| one.name == *setting).map(|one| &one.kind);
        let most = match kind {
            Some(SettingKind::Bytes { max, .. }) => format!("; it takes at most {}", format_size(*max)),
            _ => String::new(),
        };
        print_paragraph(&format!("  {setting:<18} "), 21, &format!("{percent} %{parts}{threads}{added}{most}"))?;
    }
    match memory.shares.len() {
        0 => {}
        1 => print_paragraph("  ", 2, "What it cannot take is used by nobody, and a run says so.")?,
        _ => print_paragraph(
            "  ",
            2,
            "What a part cannot take goes to the others; what none can take is used by nobody, and a run says so.",
        )?,
    }
    Ok(())
}

fn print_capabilities(store: &StoreDescription) -> Result<()> {
    let capabilities = &store.capabilities;
    // What holds at some levels only is said with the others.
    let except = |name: &str, does: fn(&StoreDescription, Durability) -> bool| {
        let lacking: Vec<_> =
            store.durability.keys().filter(|class| !does(store, **class)).map(|class| class.name()).collect();
        if lacking.is_empty() || lacking.len() == store.durability.len() {
            name.to_owned()
        } else {
            format!("{name} (not at {})", lacking.join(", "))
        }
    };
    let plain = str::to_owned;
    let all = [
        (plain("ordered scans from a key"), capabilities.scan_from),
        (plain("ordered whole scans"), capabilities.scan_ordered),
        (plain("batches"), capabilities.batch),
        (except("atomic batches", StoreDescription::batch_is_atomic), capabilities.atomic_batch),
        (except("parallel readers", StoreDescription::reads_in_parallel), capabilities.parallel_readers),
        (except("parallel writers", StoreDescription::writes_in_parallel), capabilities.parallel_writers),
        (plain("several processes"), capabilities.multi_process),
        (plain("a compacted copy"), capabilities.compacted_copy),
        (plain("existence checks without a get"), capabilities.exists_call),
    ];
    let label = |offered: bool| {
        let some: Vec<_> = all.iter().filter(|(_, has)| *has == offered).map(|(name, _)| name.as_str()).collect();
        if some.is_empty() { "–".to_owned() } else { some.join(", ") }
    };
    print_paragraph("  offers     ", 13, &label(true))?;
    print_paragraph("  not        ", 13, &label(false))
}

fn print_setting(setting: &Setting) -> Result<()> {
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
        (_, None) => "as said".to_owned(),
    };
    let first = format!("  {:<18} ", setting.name);
    print_paragraph(&first, 21, &format!("{} (default {default}; {kind})", setting.help))?;
    print_source(21, &setting.source)
}
