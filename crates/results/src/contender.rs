//! Contenders: a store with the settings that a suite gave it, its title and its slot (colour and mark).

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{AfterFailure, Axes, Durability, StoreDescription};
use bakeoff_text::printable;

use crate::cell_rounds::CellRound;
use crate::slots::Slots;

/// A store with the settings that a suite gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// The contender's unique key.
    pub key: String,
    /// The store's name.
    pub store: String,
    /// Its name for people, safe to print.
    pub title: String,
    /// The first word of the store's own title.
    pub first_word: String,
    /// What remains after a failure, by durability level, as the store's description states it.
    pub after: BTreeMap<Durability, AfterFailure>,
    /// The durability level, if the title includes it: levels differ among the contenders.
    pub class: Option<Durability>,
    /// Whether it is ranked: it keeps its data and is not just for tests.
    pub ranked: bool,
    /// Its index among [`Contenders::titles`], the same for all contenders with this title.
    pub index: usize,
    /// The number of its colour and mark.
    pub slot: usize,
}

impl Contender {
    /// A contender without a colour yet.
    fn new(key: String, store: String, title: Title, class: Option<Durability>, index: usize) -> Self {
        let Title { first_word, whole: title } = title;
        Self { key, store, title, first_word, after: BTreeMap::new(), class, ranked: true, index, slot: 0 }
    }
}

/// A store's title, with what distinguishes it from other contenders of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Title {
    first_word: String,
    /// The complete title, safe to print.
    pub(crate) whole: String,
}

impl Title {
    /// A store's own title, followed by `more`.
    pub(crate) fn new(own: &str, more: &str) -> Self {
        let first_word = own.split(' ').next().unwrap_or(own);
        Self { first_word: printable(first_word), whole: printable(&format!("{own}{more}")) }
    }
}

/// Shorter names of these, in order. The first word if it is unique, with the first letters of a durability level in
/// the title. Otherwise the whole title.
pub fn short_titles(all: &[&Contender]) -> Vec<String> {
    let is_shared = |word: &str| all.iter().filter(|each| each.first_word == word).count() > 1;
    let short = |each: &&Contender| {
        // A level after the name, as in `Berkeley DB (none)`, must stay.
        let class = each.class.map_or_else(String::new, |class| format!("({})", &class.name()[..2]));
        if is_shared(&each.first_word) { each.title.clone() } else { format!("{}{class}", each.first_word) }
    };
    all.iter().map(short).collect()
}

/// All contenders of a run, by key.
#[derive(Clone, Debug, Default)]
pub struct Contenders(BTreeMap<String, Contender>);

impl Contenders {
    /// The contenders of these cells, with titles from the stores' descriptions.
    pub fn new<R: Borrow<CellRound>>(cells: &[R], stores: &[StoreDescription]) -> Self {
        Self::of_all(&[(cells, stores)])
    }

    /// The contenders of several runs. If several runs describe a store, the first one's title counts.
    pub fn of_all<R: Borrow<CellRound>>(runs: &[(&[R], &[StoreDescription])]) -> Self {
        let mut by_store: BTreeMap<&str, BTreeMap<String, &Axes>> = BTreeMap::new();
        let mut rivals: BTreeMap<(&str, Option<&str>), BTreeSet<String>> = BTreeMap::new();
        for axes in runs.iter().flat_map(|(cells, _)| *cells).map(|cell| &cell.borrow().end.axes) {
            by_store.entry(&axes.store).or_default().entry(key_of(axes)).or_insert(axes);
            rivals.entry((&axes.store, axes.variant.as_deref())).or_default().insert(key_of(axes));
        }
        let described: Vec<&StoreDescription> = runs.iter().flat_map(|(_, stores)| *stores).collect();
        let description_of = |store: &str| described.iter().find(|description| description.name == store);
        let own_title =
            |store: &str| description_of(store).map_or_else(|| store.to_owned(), |store| store.title.clone());
        let mut with_title: BTreeMap<String, usize> = BTreeMap::new();
        by_store.keys().for_each(|store| *with_title.entry(own_title(store)).or_default() += 1);
        let mut contenders = BTreeMap::new();
        let mut titles: BTreeMap<String, (&str, usize)> = BTreeMap::new();
        for (store, settings) in &by_store {
            let several = rivals.iter().any(|((of, _), keys)| of == store && keys.len() > 1);
            for (key, axes) in settings {
                let description = description_of(store);
                let own = own_title(store);
                let is_shared = with_title.get(&own).is_some_and(|stores| *stores > 1);
                let settings = if several { describe_settings(axes) } else { String::new() };
                let level = if axes.unequal { format!(" ({})", axes.durability) } else { String::new() };
                let mut title = Title::new(&own, &format!("{settings}{level}"));
                // Another variant may set the same store differently. It has the same title there.
                if is_shared || titles.get(&title.whole).is_some_and(|(other, _)| other != store) {
                    title = Title::new(&own, &format!("{settings}{level} [{store}]"));
                }
                let ranked = description.is_none_or(|store| store.capabilities.keeps_data && !store.test_only);
                let index = titles.get(&title.whole).map_or(titles.len(), |(_, index)| *index);
                titles.insert(title.whole.clone(), (store, index));
                let (key, store) = (key.clone(), (*store).to_owned());
                let class = axes.unequal.then_some(axes.durability);
                let after = description.map(|store| after_failures(store)).unwrap_or_default();
                let contender = Contender { ranked, after, ..Contender::new(key.clone(), store, title, class, index) };
                contenders.insert(key, contender);
            }
        }
        Self(contenders).coloured()
    }

    /// Contenders with these keys, each with its store, its title and the level in that title. All may be ranked.
    pub(crate) fn named(all: BTreeMap<String, (String, Title, Option<Durability>)>) -> Self {
        let named = all.into_iter().enumerate().map(|(index, (key, (store, title, class)))| {
            (key.clone(), Contender::new(key, store, title, class, index))
        });
        Self(named.collect()).coloured()
    }

    /// Assigns colours. The first settings of a store have the colour of the store's name. Further ones have the colour
    /// of their title.
    fn coloured(mut self) -> Self {
        let (mut slots, mut by_index) = (Slots::default(), BTreeMap::new());
        let all: Vec<(usize, String, String)> =
            self.titles().iter().map(|each| (each.index, each.store.clone(), each.title.clone())).collect();
        let (own, further): (Vec<_>, Vec<_>) = all
            .iter()
            .enumerate()
            .partition(|(at, (_, store, _))| all[..*at].iter().all(|(_, before, _)| before != store));
        by_index.extend(own.iter().map(|(_, (index, store, _))| (*index, slots.take(store))));
        by_index.extend(further.iter().map(|(_, (index, _, title))| (*index, slots.take(title))));
        for contender in self.0.values_mut() {
            contender.slot = by_index[&contender.index];
        }
        self
    }

    /// The contender of these axes.
    pub fn of(&self, axes: &Axes) -> Option<&Contender> {
        self.get(&key_of(axes))
    }

    /// The contender with this key.
    pub fn get(&self, key: &str) -> Option<&Contender> {
        self.0.get(key)
    }

    /// One contender for each title, in the order of their indices.
    pub fn titles(&self) -> Vec<&Contender> {
        let by_index: BTreeMap<usize, &Contender> = self.0.values().map(|each| (each.index, each)).collect();
        by_index.into_values().collect()
    }

    /// The index among [`Self::titles`] of the contender with this key; 0 if unknown.
    pub fn index(&self, key: &str) -> usize {
        self.get(key).map_or(0, |contender| contender.index)
    }

    /// The colour and mark of the contender with this key; the first if unknown.
    pub fn slot(&self, key: &str) -> usize {
        self.get(key).map_or(0, |contender| contender.slot)
    }

    /// The store's name of the contender with this key; the key itself if unknown.
    pub fn store<'a>(&'a self, key: &'a str) -> &'a str {
        self.get(key).map_or(key, |contender| &contender.store)
    }

    /// The title of the contender with this key; the key itself if unknown.
    pub fn title(&self, key: &str) -> String {
        self.get(key).map_or_else(|| printable(key), |contender| contender.title.clone())
    }
}

fn after_failures(store: &StoreDescription) -> BTreeMap<Durability, AfterFailure> {
    store.durability.keys().filter_map(|level| Some((*level, store.after_failure(*level)?))).collect()
}

/// What distinguishes contenders: the store's name, its settings if it has any, and its durability level if levels
/// differ.
fn key_of(axes: &Axes) -> String {
    let settings: Vec<String> = axes.settings.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let class = if axes.unequal { format!(" {}", axes.durability) } else { String::new() };
    format!("{}{class}{}", axes.store, settings.concat())
}

fn describe_settings(axes: &Axes) -> String {
    let settings: Vec<String> = axes.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if settings.is_empty() { " (defaults)".to_owned() } else { format!(" ({})", settings.join(", ")) }
}
