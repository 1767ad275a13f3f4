//! A map on the page: a table of colours and letters. The facts of a place show where one points, taps, or moves with the arrow keys.

use maud::{Markup, html};

use crate::document::{Map, MapField, MapState, MapStore};
use crate::page::html::{marks, store_called};

/// The map, a legend, and a panel that the script fills.
pub(crate) fn map(of: &Map) -> Markup {
    html! {
        figure.map {
            div.scroll {
                table role="grid" aria-label=(format!("Best store by {} and {}", of.x.label, of.y.label)) {
                    tbody {
                        @for (tick, row) in of.y.ticks.iter().zip(&of.rows) {
                            tr { th scope="row" { (tick) } @for each in row { (field(of, each)) } }
                        }
                    }
                    tfoot {
                        tr { th scope="row" { (of.y.label) " ↑" } @for tick in &of.x.ticks { th scope="col" { (tick) } } }
                        tr { th {} td.axis colspan=(of.x.ticks.len()) { (of.x.label) " →" } }
                    }
                }
            }
            div.known aria-live="polite" { p.hint { "Point at a place, tap it, or move with the arrow keys, to see every store there." } }
            (legend(of))
        }
    }
}

/// A place with its facts, which the script shows.
fn field(of: &Map, field: &MapField) -> Markup {
    let sign = field.state.sign(&of.stores);
    html! {
        td class=(look(field.state, &of.stores)) tabindex="-1" aria-label=(format!("{}: {}", field.place, field.said.to_plain())) {
            span aria-hidden="true" { (sign) }
            div.of hidden {
                p { b { (field.place) } }
                p { (field.said) }
                @if !field.order.is_empty() { ul { @for line in &field.order { li { (line) } } } }
            }
        }
    }
}

/// The classes of a place: its colour, and how sure it is.
fn look(state: MapState, stores: &[MapStore]) -> String {
    let slot = |store: usize| stores.get(store).map_or_else(String::new, |store| marks(store.slot));
    match state {
        MapState::Won(store) => format!("won {}", slot(store)),
        MapState::Likely(store) => format!("likely {}", slot(store)),
        MapState::Tied | MapState::Undecided => "undecided".to_owned(),
        MapState::Open => "open".to_owned(),
        MapState::Failed | MapState::Unknown => "unknown".to_owned(),
        MapState::Impossible => "impossible".to_owned(),
    }
}

fn legend(of: &Map) -> Markup {
    let has = |state: MapState| of.rows.iter().flatten().any(|field| field.state == state);
    let key = |state: MapState, sign: char| html! { i class=(format!("key {}", look(state, &of.stores))) { (sign) } };
    html! {
        figcaption.legend {
            @for (at, store) in of.stores.iter().enumerate() {
                span { (key(MapState::Won(at), store.letter)) " " (store_called(&store.title, store.slot)) " " (store.wins) " won" }
            }
            @if let Some(first) = of.stores.first() {
                span { (key(MapState::Won(0), first.letter)) " sampled, proven" }
                span { (key(MapState::Likely(0), first.letter.to_ascii_lowercase())) " not sampled, between samples that it won" }
            }
            @for (state, sign, meaning) in MapState::SIGNS.into_iter().filter(|(state, ..)| has(*state)) {
                span { (key(state, sign)) " " (meaning) }
            }
        }
    }
}
