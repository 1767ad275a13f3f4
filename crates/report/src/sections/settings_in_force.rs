//! How each store was set, where stores have different durability.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;

use crate::document::{Block, Section, SectionId};

/// The section, with class, settings and variants; `None` where all stores have the same durability.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
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
        format!("{title}: {settings}{of}")
    };
    let blocks = if ways.is_empty() { Vec::new() } else { vec![Block::list(ways.iter().map(line))] };
    Section::titled(SectionId::SettingsInForce, "How the stores were set (UNEQUAL)", blocks)
}
