//! Contenders: a store with the settings that a suite gave it, its title and its slot (colour and mark).

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{AfterFailure, Axes, Durability, StoreDescription, TITLE_CHARACTERS_MAX, is_blank, title_key};
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

/// A store, its own title, and what distinguishes it from others of the same store.
struct Titled<'a> {
    store: &'a str,
    own: String,
    more: String,
}

impl Titled<'_> {
    /// Its title, with the store's name if that is needed.
    fn title(&self, is_named: bool) -> Title {
        let name = if is_named { format!(" [{}]", self.store) } else { String::new() };
        Title::new(&self.own, &format!("{}{name}", self.more))
    }
}

/// A title that anyone may have written, no longer than one may be; the name if it shows nothing.
pub(crate) fn shown_title(title: &str, name: &str) -> String {
    let title = if is_blank(title) { name } else { title.trim() };
    match title.char_indices().nth(TITLE_CHARACTERS_MAX) {
        None => title.to_owned(),
        Some((end, _)) => format!("{}…", &title[..end]),
    }
}

/// Gives stores titles that people can distinguish.
pub(crate) fn tell_apart(stores: &mut [StoreDescription]) {
    let all: Vec<Titled> = stores
        .iter()
        .map(|store| Titled { store: &store.name, own: shown_title(&store.title, &store.name), more: String::new() })
        .collect();
    let named = looking_alike(all.iter());
    let titles: Vec<String> = all.iter().map(|of| of.title(named.contains(of.store)).whole).collect();
    stores.iter_mut().zip(titles).for_each(|(store, title)| store.title = title);
}

/// The stores whose titles look like those of others, also once some have names behind them.
fn looking_alike<'a: 'b, 'b>(all: impl Iterator<Item = &'b Titled<'a>> + Clone) -> BTreeSet<&'a str> {
    let mut named = BTreeSet::new();
    loop {
        let mut alike: BTreeMap<String, BTreeSet<&'a str>> = BTreeMap::new();
        for of in all.clone() {
            for title in [&of.title(named.contains(of.store)).whole, &of.own] {
                alike.entry(title_key(title)).or_default().insert(of.store);
            }
        }
        let before = named.len();
        named.extend(alike.into_values().filter(|stores| stores.len() > 1).flatten());
        if named.len() == before {
            return named;
        }
    }
}

/// Shorter names of these, in order. The first word if it is unique, with a durability level in the
/// title. Otherwise the whole title.
pub fn short_titles(all: &[&Contender]) -> Vec<String> {
    let is_shared = |word: &str| all.iter().filter(|each| title_key(&each.first_word) == title_key(word)).count() > 1;
    let short = |each: &&Contender| {
        // A level after the name, as in `Berkeley DB (none)`, must stay.
        let class = each.class.map_or_else(String::new, |class| format!(" ({})", class.name()));
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
            |store: &str| description_of(store).map_or(store.to_owned(), |of| shown_title(&of.title, store));
        let mut titled: Vec<(Titled, &String, &Axes)> = Vec::new();
        for (store, settings) in &by_store {
            let several = rivals.iter().any(|((of, _), keys)| of == store && keys.len() > 1);
            titled.extend(settings.iter().map(|(key, axes)| {
                let settings = if several { describe_settings(axes) } else { String::new() };
                let level = if axes.unequal { format!(" ({})", axes.durability) } else { String::new() };
                (Titled { store, own: own_title(store), more: format!("{settings}{level}") }, key, *axes)
            }));
        }
        let named = looking_alike(titled.iter().map(|(titled, ..)| titled));
        let mut contenders = BTreeMap::new();
        let mut titles: BTreeMap<String, usize> = BTreeMap::new();
        for (of, key, axes) in titled {
            let description = description_of(of.store);
            let title = of.title(named.contains(of.store));
            let ranked = description.is_none_or(|store| store.capabilities.keeps_data && !store.test_only);
            // Another variant may set the same store differently. It has the same title there.
            let next = titles.len();
            let index = *titles.entry(title.whole.clone()).or_insert(next);
            let class = axes.unequal.then_some(axes.durability);
            let after = description.map(|store| after_failures(store)).unwrap_or_default();
            let contender = Contender::new(key.clone(), of.store.to_owned(), title, class, index);
            contenders.insert(key.clone(), Contender { ranked, after, ..contender });
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
