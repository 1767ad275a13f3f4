//! Who takes part: a store with the settings a suite gave it, its title and its colour.

use std::collections::{BTreeMap, BTreeSet};

use anstyle::{Color, RgbColor, Style};
use bakeoff_protocol::{Axes, StoreDescription};

use crate::format::printable;
use crate::results::CellRound;

/// Okabe and Ito's colours, told apart with any kind of colour vision; their black, which a dark terminal swallows, is left out.
const PALETTE: [(u8, u8, u8); 7] =
    [(230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (0, 114, 178), (213, 94, 0), (204, 121, 167)];

/// A store with the settings a suite gave it.
#[derive(Clone, Debug)]
pub(crate) struct Contender {
    /// What tells it apart from all others.
    pub(crate) key: String,
    /// Its name for people, safe to print.
    pub(crate) title: String,
    /// Whether it may be ranked: it keeps its data and does not exist for tests only.
    pub(crate) ranked: bool,
    /// Its colour on a terminal.
    pub(crate) style: Style,
}

/// Everyone who takes part in a run, by key.
pub(crate) struct Contenders(BTreeMap<String, Contender>);

impl Contenders {
    /// Everyone in these cells, as the stores' descriptions name them. Colours follow the order of names.
    pub(crate) fn new(cells: &[CellRound], stores: &[StoreDescription]) -> Self {
        let mut by_store: BTreeMap<&str, BTreeMap<String, &Axes>> = BTreeMap::new();
        let mut rivals: BTreeMap<(&str, Option<&str>), BTreeSet<String>> = BTreeMap::new();
        for axes in cells.iter().map(|cell| &cell.end.axes) {
            by_store.entry(&axes.store).or_default().entry(key_of(axes)).or_insert(axes);
            rivals.entry((&axes.store, axes.variant.as_deref())).or_default().insert(key_of(axes));
        }
        let mut contenders = BTreeMap::new();
        let mut titles: BTreeMap<String, &str> = BTreeMap::new();
        for (store, settings) in &by_store {
            let several = rivals.iter().any(|((of, _), keys)| of == store && keys.len() > 1);
            for (key, axes) in settings {
                let description = stores.iter().find(|description| description.name == *store);
                let mut title = printable(description.map_or(store, |description| &description.title));
                if several {
                    title.push_str(&settings_words(axes));
                }
                if axes.unequal {
                    title.push_str(&format!(" ({})", axes.durability));
                }
                // The same store may be set otherwise in another variant: it has the same title there.
                if titles.insert(title.clone(), store).is_some_and(|other| other != *store) {
                    title = format!("{title} [{}]", printable(store));
                }
                let ranked = description.is_none_or(|store| store.capabilities.keeps_data && !store.test_only);
                let style = style(if several { contenders.len() } else { store_index(&by_store, store) });
                contenders.insert(key.clone(), Contender { key: key.clone(), title, ranked, style });
            }
        }
        Self(contenders)
    }

    /// Those with these keys and titles, all of which may be ranked.
    pub(crate) fn named(titles: BTreeMap<String, String>) -> Self {
        let contender = |(index, (key, title)): (usize, (String, String))| {
            let title = printable(&title);
            (key.clone(), Contender { key, title, ranked: true, style: style(index) })
        };
        Self(titles.into_iter().enumerate().map(contender).collect())
    }

    /// The one that these axes belong to.
    pub(crate) fn of(&self, axes: &Axes) -> Option<&Contender> {
        self.get(&key_of(axes))
    }

    /// The one with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Contender> {
        self.0.get(key)
    }

    /// The title of the one with this key; the key itself if it is unknown.
    pub(crate) fn title(&self, key: &str) -> String {
        self.get(key).map_or_else(|| printable(key), |contender| contender.title.clone())
    }
}

/// A store's place among all, so that it has the same colour in every variant.
fn store_index(stores: &BTreeMap<&str, BTreeMap<String, &Axes>>, store: &str) -> usize {
    stores.keys().position(|name| *name == store).unwrap_or(0)
}

/// What tells contenders apart: the store's name, its settings if it has any, and where stores promise different things
/// its class.
fn key_of(axes: &Axes) -> String {
    let settings: Vec<String> = axes.settings.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let class = if axes.unequal { format!(" {}", axes.durability) } else { String::new() };
    format!("{}{class}{}", axes.store, settings.concat())
}

fn settings_words(axes: &Axes) -> String {
    let settings: Vec<String> = axes.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if settings.is_empty() { " (defaults)".to_owned() } else { printable(&format!(" ({})", settings.join(", "))) }
}

fn style(index: usize) -> Style {
    let (red, green, blue) = PALETTE[index % PALETTE.len()];
    let style = Style::new().fg_color(Some(Color::Rgb(RgbColor(red, green, blue))));
    // A second and third time round, the same colours are told apart by how the letters look.
    match index / PALETTE.len() {
        0 => style,
        1 => style.underline(),
        _ => style.italic(),
    }
}
