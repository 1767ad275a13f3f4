//! What became of the memory that every store was given, and how much of the page cache it used beside that.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{CellEnd, MemorySplit, Settings, StoreDescription};
use bakeoff_results::run::Run;
use bakeoff_text::{bytes, listed, or_dash};

use crate::document::{Block, Cell, Column, Section, SectionId, Table};

/// One store's part of the story, over all its rounds that ended well.
#[derive(Default)]
struct Use {
    /// The settings that the memory became, in words, and what they come to where that is another amount than was given; with how many
    /// threads.
    settings: BTreeMap<(String, Option<u64>), BTreeSet<u32>>,
    /// In some cell they come to another amount than was given.
    is_other: bool,
    /// The most that its files had of the page cache when they were closed.
    page_cache_bytes: Option<u64>,
    /// The most that a cell with a limit took.
    peak_bytes: Option<u64>,
}

/// The section about memory; `None` unless the suite gives stores some, or limits it.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let ends: Vec<&CellEnd> = run.cells.iter().filter(|cell| cell.is_ok()).map(|cell| &cell.end).collect();
    let given: BTreeSet<u64> = ends.iter().filter_map(|end| end.axes.memory_bytes).collect();
    let limits: BTreeSet<u64> = ends.iter().filter_map(|end| end.axes.memory_limit_bytes).collect();
    if given.is_empty() && limits.is_empty() {
        return None;
    }
    let sizes = |of: &BTreeSet<u64>| listed(&of.iter().map(|&size| bytes(size as f64)).collect::<Vec<_>>());
    let mut sentences = Vec::new();
    let uses = uses(&ends, run.stores());
    if !given.is_empty() {
        sentences.push(format!("Every store was given {}, divided as its documentation advises.", sizes(&given)));
        if uses.values().any(|of| of.is_other) {
            sentences.push(
                "Where settings came to more or less than that, what they came to stands beside them.".to_owned(),
            );
        }
    }
    if !limits.is_empty() {
        sentences.push(format!(
            "Cells were held to {} by a control group: driver, store and the page cache of its files together.",
            sizes(&limits)
        ));
    }
    if uses.values().any(|of| of.page_cache_bytes.is_none()) {
        sentences.push("– : not known, as on the JVM, which cannot ask what of a file is in memory.".to_owned());
    }
    let mut blocks =
        vec![Block::paragraph(sentences.join(" ")), Block::Table(table(&uses, run.stores(), limits.is_empty()))];
    if !given.is_empty() {
        let item = |store: &StoreDescription| {
            // Of an unfinished run, a store may have no cell yet.
            let of = uses.get(store.name.as_str())?;
            let how = store.memory.as_ref().map_or("", |memory| &memory.how);
            Some(format!("{}: {} ({how})", store.title, describe(of, store)))
        };
        blocks.push(Block::list(run.stores().iter().filter_map(item)));
    }
    Section::titled(SectionId::Memory, "Memory", blocks)
}

fn uses<'a>(ends: &[&'a CellEnd], stores: &[StoreDescription]) -> BTreeMap<&'a str, Use> {
    let mut uses: BTreeMap<&str, Use> = BTreeMap::new();
    for end in ends {
        let of = uses.entry(&end.axes.store).or_default();
        if let Some(memory_bytes) = end.axes.memory_bytes {
            let split =
                stores.iter().find(|store| store.name == end.axes.store).and_then(|store| store.memory.as_ref());
            let settings = describe_settings(&end.memory_settings);
            let other = split.and_then(|split| other_bytes(split, memory_bytes, end));
            of.is_other |= other.is_some();
            of.settings.entry((settings, other)).or_default().insert(end.axes.threads);
        }
        let page_cache = end.finished.as_ref().and_then(|finished| finished.page_cache_bytes);
        of.page_cache_bytes = of.page_cache_bytes.max(page_cache);
        of.peak_bytes = of.peak_bytes.max(end.memory_peak_bytes);
    }
    uses
}

/// What a cell's settings come to, if it differs from what was given by more than rounding does.
fn other_bytes(split: &MemorySplit, memory_bytes: u64, end: &CellEnd) -> Option<u64> {
    if split.shares.is_empty() {
        return None;
    }
    let mut settings = end.axes.settings.clone();
    settings.extend(end.memory_settings.clone());
    let taken_bytes = split.taken_bytes(&settings, end.axes.threads);
    (taken_bytes.abs_diff(memory_bytes) > memory_bytes / 100).then_some(taken_bytes)
}

/// What the memory became.
fn describe(of: &Use, store: &StoreDescription) -> String {
    let divides = store.memory.as_ref().is_some_and(|memory| !memory.shares.is_empty());
    let nothing = if divides { "what the suite sets" } else { "page cache alone" };
    let threads: BTreeSet<u32> = of.settings.values().flatten().copied().collect();
    let words = |((settings, other), with): (&(String, Option<u64>), &BTreeSet<u32>)| {
        let settings = if settings.is_empty() { nothing } else { settings };
        let mut words = settings.to_owned();
        if *with != threads {
            let counts = with.iter().map(u32::to_string).collect::<Vec<_>>();
            words += &format!(" with {} thread{}", listed(&counts), if counts == ["1"] { "" } else { "s" });
        }
        other.map_or_else(|| words.clone(), |taken| format!("{words}, {} in all", bytes(taken as f64)))
    };
    let mut in_order: Vec<_> = of.settings.iter().collect();
    in_order.sort_by_key(|(_, with)| with.first().copied());
    in_order.into_iter().map(words).collect::<Vec<_>>().join("; ")
}

fn describe_settings(settings: &Settings) -> String {
    let word = |(name, value): (&String, &serde_json::Value)| {
        format!("{name} {}", value.as_u64().map_or_else(|| value.to_string(), |size| bytes(size as f64)))
    };
    settings.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn table(uses: &BTreeMap<&str, Use>, stores: &[StoreDescription], unlimited: bool) -> Table {
    let figure = |size: Option<u64>| or_dash(size, |size| bytes(size as f64));
    let columns = if unlimited { 2 } else { 3 };
    let heads =
        [Column::left("store"), Column::right("page cache of its files"), Column::right("most in a limited cell")];
    let mut table = Table::new(0, heads.into_iter().take(columns).collect());
    for (name, of) in uses {
        let store = stores.iter().find(|store| store.name == *name);
        let title = store.map_or(*name, |store| &store.title);
        let cells = [title.to_owned(), figure(of.page_cache_bytes), figure(of.peak_bytes)];
        table.row(cells.into_iter().take(columns).map(Cell::from).collect());
    }
    table
}
