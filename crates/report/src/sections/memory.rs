//! What became of the memory that every store was given, and how much of the page cache it used beside that.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{CellEnd, MemorySplit, Settings, StoreDescription};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::memory_held::{HELD_PER_GIVEN_MAX, MemoryHeld, memory_held};
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
    /// What it held of what it was given, where it held most for that; `None` where no cell shows it.
    held: Option<MemoryHeld>,
    /// The most that its files had of the page cache when they were closed.
    page_cache_bytes: Option<u64>,
    /// The most that a cell with a limit took.
    peak_bytes: Option<u64>,
}

/// The section about memory; `None` unless the suite gives stores some, or limits it.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let cells: Vec<&CellRound> = run.cells.iter().filter(|cell| cell.is_ok()).collect();
    let ends = cells.iter().map(|cell| &cell.end).collect::<Vec<_>>();
    let given: BTreeSet<u64> = ends.iter().filter_map(|end| end.axes.memory_bytes).collect();
    let limits: BTreeSet<u64> = ends.iter().filter_map(|end| end.axes.memory_limit_bytes).collect();
    if given.is_empty() && limits.is_empty() {
        return None;
    }
    let sizes = |of: &BTreeSet<u64>| listed(&of.iter().map(|&size| bytes(size as f64)).collect::<Vec<_>>());
    let mut sentences = Vec::new();
    let uses = uses(&cells, run.stores());
    if !given.is_empty() {
        sentences.push(format!("Every store was given {}, divided as its documentation advises.", sizes(&given)));
        if uses.values().any(|of| of.is_other) {
            sentences.push(
                "Where settings came to more or less than that, what they came to stands beside them.".to_owned(),
            );
        }
        sentences.extend(missed(&uses, run.stores()));
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
    let shown = Shown { held: uses.values().any(|of| of.held.is_some()), limited: !limits.is_empty() };
    let mut blocks = vec![Block::paragraph(sentences.join(" ")), Block::Table(table(&uses, run.stores(), shown))];
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

/// The sentence about stores that held far more than they were given; `None` if none did.
fn missed(uses: &BTreeMap<&str, Use>, stores: &[StoreDescription]) -> Option<String> {
    let missed = uses.iter().filter(|(_, of)| of.held.is_some_and(|held| held.is_missed()));
    let titles: Vec<String> = missed.map(|(name, _)| title(name, stores).to_owned()).collect();
    (!titles.is_empty()).then(|| {
        format!(
            "{} held more than {HELD_PER_GIVEN_MAX} times what was given, so memory was not equal.",
            listed(&titles)
        )
    })
}

fn title<'a>(name: &'a str, stores: &'a [StoreDescription]) -> &'a str {
    stores.iter().find(|store| store.name == name).map_or(name, |store| &store.title)
}

fn uses<'a>(cells: &[&'a CellRound], stores: &[StoreDescription]) -> BTreeMap<&'a str, Use> {
    let mut uses: BTreeMap<&str, Use> = BTreeMap::new();
    for cell in cells {
        let end = &cell.end;
        let store = stores.iter().find(|store| store.name == end.axes.store);
        let of = uses.entry(&end.axes.store).or_default();
        of.held =
            [of.held, memory_held(cell, store)].into_iter().flatten().max_by(|a, b| share(a).total_cmp(&share(b)));
        if let Some(memory_bytes) = end.axes.memory_bytes {
            let split = store.and_then(|store| store.memory.as_ref());
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

/// What was held, as a part of what was given.
fn share(held: &MemoryHeld) -> f64 {
    held.held_bytes as f64 / held.given_bytes.max(1) as f64
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

/// Which columns there are besides the store and its page cache.
#[derive(Clone, Copy)]
struct Shown {
    /// What stores held of what they were given.
    held: bool,
    /// What cells with a limit took.
    limited: bool,
}

fn table(uses: &BTreeMap<&str, Use>, stores: &[StoreDescription], shown: Shown) -> Table {
    let figure = |size: Option<u64>| or_dash(size, |size| bytes(size as f64));
    let held = |of: &Use| {
        or_dash(of.held, |held| {
            let missed = if held.is_missed() { ", missed" } else { "" };
            format!("{} of {}{missed}", bytes(held.held_bytes as f64), bytes(held.given_bytes as f64))
        })
    };
    let chosen = [true, shown.held, true, shown.limited];
    let heads = [
        Column::left("store"),
        Column::right("held of what was given"),
        Column::right("page cache of its files"),
        Column::right("most in a limited cell"),
    ];
    let mut table = Table::new(0, only(heads, chosen).collect());
    for (name, of) in uses {
        let cells = [title(name, stores).to_owned(), held(of), figure(of.page_cache_bytes), figure(of.peak_bytes)];
        table.row(only(cells, chosen).map(Cell::from).collect());
    }
    table
}

/// Those that are chosen.
fn only<T, const N: usize>(all: [T; N], chosen: [bool; N]) -> impl Iterator<Item = T> {
    all.into_iter().zip(chosen).filter_map(|(one, chosen)| chosen.then_some(one))
}
