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
        let mut variants: BTreeMap<&str, BTreeMap<String, &Axes>> = BTreeMap::new();
        for axes in cells.iter().map(|cell| &cell.end.axes) {
            variants.entry(&axes.store).or_default().entry(key_of(axes)).or_insert(axes);
        }
        let mut contenders = BTreeMap::new();
        let mut titles = BTreeSet::new();
        for (store, variants) in &variants {
            for (key, axes) in variants {
                let description = stores.iter().find(|description| description.name == *store);
                let mut title = printable(description.map_or(store, |description| &description.title));
                if variants.len() > 1 {
                    title.push_str(&settings_words(axes));
                }
                if !titles.insert(title.clone()) {
                    title = format!("{title} [{}]", printable(store));
                }
                let ranked = description.is_none_or(|store| store.capabilities.keeps_data && !store.test_only);
                let style = style(contenders.len());
                contenders.insert(key.clone(), Contender { key: key.clone(), title, ranked, style });
            }
        }
        Self(contenders)
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

/// What tells contenders apart: the store's name, and its settings if it has any.
fn key_of(axes: &Axes) -> String {
    let settings: Vec<String> = axes.settings.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    format!("{}{}", axes.store, settings.concat())
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
