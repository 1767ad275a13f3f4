//! How stores used the memory that each was given, and how much of the page cache they used in addition.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Settings, StoreDescription};
use bakeoff_results::memory_held::HELD_PER_GIVEN_MAX;
use bakeoff_results::memory_use::{Became, MemoryUse, MemoryUses};
use bakeoff_results::run::Run;
use bakeoff_text::{bytes, listed, or_dash};

use crate::document::{Block, Cell, Column, Section, SectionId, Table};

/// The section about memory; `None` unless the suite gives stores some, or limits it.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let all = MemoryUses::of(run)?;
    let (given, limits, uses) = (&all.given_bytes, &all.limit_bytes, &all.by_store);
    let sizes = |of: &BTreeSet<u64>| listed(&of.iter().map(|&size| bytes(size as f64)).collect::<Vec<_>>());
    let mut sentences = Vec::new();
    if !given.is_empty() {
        sentences.push(format!("Every store was given {}, divided as its documentation advises.", sizes(given)));
        if uses.values().any(|of| of.is_other()) {
            sentences.push("Where settings amount to more or less than that, the amount is next to them.".to_owned());
        }
        sentences.extend(missed(uses, run.stores()));
    }
    if !limits.is_empty() {
        sentences.push(format!(
            "Cells were held to {} by a control group: driver, store and the page cache of its files together.",
            sizes(limits)
        ));
    }
    if uses.values().any(|of| of.page_cache_bytes.is_none()) {
        sentences.push("– : not known, as on the JVM, which cannot ask what of a file is in memory.".to_owned());
    }
    let shown = Shown { held: uses.values().any(|of| of.held.is_some()), limited: !limits.is_empty() };
    let mut blocks = vec![Block::paragraph(sentences.join(" ")), Block::Table(table(uses, run.stores(), shown))];
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
fn missed(uses: &BTreeMap<&str, MemoryUse>, stores: &[StoreDescription]) -> Option<String> {
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

/// What the memory became.
fn describe(of: &MemoryUse, store: &StoreDescription) -> String {
    let divides = store.memory.as_ref().is_some_and(|memory| !memory.shares.is_empty());
    let nothing = if divides { "what the suite sets" } else { "page cache alone" };
    let threads: BTreeSet<u32> = of.became.iter().flat_map(|became| &became.threads).copied().collect();
    let label = |Became { settings, other_bytes, threads: with }: &Became| {
        let settings = if settings.is_empty() { nothing.to_owned() } else { describe_settings(settings) };
        let counts = with.iter().map(u32::to_string).collect::<Vec<_>>();
        let plural = if counts == ["1"] { "" } else { "s" };
        let with = if *with == threads { String::new() } else { format!(" with {} thread{plural}", listed(&counts)) };
        let other = other_bytes.map_or_else(String::new, |taken| format!(", {} in all", bytes(taken as f64)));
        format!("{settings}{with}{other}")
    };
    of.became.iter().map(label).collect::<Vec<_>>().join("; ")
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
    /// How much of the given memory stores held.
    held: bool,
    /// What cells with a limit took.
    limited: bool,
}

fn table(uses: &BTreeMap<&str, MemoryUse>, stores: &[StoreDescription], shown: Shown) -> Table {
    let figure = |size: Option<u64>| or_dash(size, |size| bytes(size as f64));
    let held = |of: &MemoryUse| {
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

/// The chosen ones.
fn only<T, const N: usize>(all: [T; N], chosen: [bool; N]) -> impl Iterator<Item = T> {
    all.into_iter().zip(chosen).filter_map(|(one, chosen)| chosen.then_some(one))
}
