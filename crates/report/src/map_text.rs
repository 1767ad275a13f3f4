//! A map as text, for a terminal and as code in Markdown: a sign for each place, a legend below.

use std::fmt::Write;

use bakeoff_text::{counted, paragraph};

use crate::colours::style;
use crate::document::{Map, MapField, MapState};

/// Columns of a place at most, and at least.
const PLACE_MAX: usize = 4;
const PLACE_MIN: usize = 2;

/// The most columns of a map: it does not stretch to a wide terminal.
const WIDTH_MAX: usize = 80;

/// The map and its legend.
pub(crate) fn render(of: &Map, width: usize, color: bool) -> String {
    let width = width.min(WIDTH_MAX);
    let names = of.y.ticks.iter().map(|tick| tick.chars().count()).max().unwrap_or(0);
    let columns = of.x.ticks.len().max(1);
    let place = (width.saturating_sub(names + 4) / columns).clamp(PLACE_MIN, PLACE_MAX);
    let mut out = format!("  {} ↑\n", of.y.label);
    for (tick, row) in of.y.ticks.iter().zip(&of.rows) {
        let fields: String = row.iter().map(|field| sign(of, field, place, color)).collect();
        out.push_str(format!("  {tick:>names$} {fields}").trim_end());
        out.push('\n');
    }
    out.push_str(&axis(of, names + 3, place));
    out.push_str(&legend(of, width, color));
    out
}

/// A place: its sign in the middle of its columns.
fn sign(of: &Map, field: &MapField, place: usize, color: bool) -> String {
    let sign = field.state.sign(&of.stores);
    let (before, after) = ((place - 1).div_ceil(2), (place - 1) / 2);
    let (before, after) = (" ".repeat(before), " ".repeat(after));
    format!("{before}{}{after}", coloured(of, field.state, &sign.to_string(), color))
}

/// A text in the colour of the store that won a place; bold where it was sampled.
fn coloured(of: &Map, state: MapState, text: &str, color: bool) -> String {
    let (store, is_sampled) = match state {
        MapState::Won(store) => (of.stores.get(store), true),
        MapState::Likely(store) => (of.stores.get(store), false),
        _ => (None, false),
    };
    match store.filter(|_| color) {
        Some(store) if is_sampled => format!("{0}{text}{0:#}", style(store.slot).bold()),
        Some(store) => format!("{0}{text}{0:#}", style(store.slot)),
        None => text.to_owned(),
    }
}

/// The values along the horizontal axis, as many as have room, and its name.
fn axis(of: &Map, indent: usize, place: usize) -> String {
    let widest = of.x.ticks.iter().map(|tick| tick.chars().count()).max().unwrap_or(1);
    let step = (widest + 1).div_ceil(place);
    let mut line = " ".repeat(indent);
    for (at, tick) in of.x.ticks.iter().enumerate().step_by(step) {
        // Under the sign of its place, which is in the middle.
        let middle = indent + at * place + (place - 1).div_ceil(2);
        let start = middle.saturating_sub(tick.chars().count() / 2);
        let used = line.chars().count();
        if at == 0 || start > used {
            line.push_str(&" ".repeat(start.saturating_sub(used)));
            line.push_str(tick);
        }
    }
    format!("{}\n{}{} →\n", line.trim_end(), " ".repeat(indent), of.x.label)
}

/// The meanings of the letters and signs that occur.
fn legend(of: &Map, width: usize, color: bool) -> String {
    let mut out = String::from("\n");
    for (at, store) in of.stores.iter().enumerate() {
        let letter = coloured(of, MapState::Won(at), &store.letter.to_string(), color);
        writeln!(out, "  {letter}  {}: {} won", store.title, counted(store.wins, "sample")).unwrap_or_default();
    }
    let has = |state: MapState| of.rows.iter().flatten().any(|field| field.state == state);
    let has_likely = of.rows.iter().flatten().any(|field| matches!(field.state, MapState::Likely(_)));
    let mut parts = vec!["A: sampled, proven".to_owned()];
    parts.extend(has_likely.then(|| "a: not sampled, between samples that A won".to_owned()));
    let signs = MapState::SIGNS.into_iter().filter(|(state, ..)| has(*state));
    parts.extend(signs.map(|(state, sign, meaning)| match state {
        MapState::Unknown => meaning.to_owned(),
        _ => format!("{sign}: {meaning}"),
    }));
    out.push('\n');
    out.push_str(&paragraph(&parts.join(" · "), width, "  ", "  "));
    out
}
