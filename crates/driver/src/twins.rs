//! The stores of a driver under further names, to measure what bakeoff says of equals.
//!
//! A program called [`TWINS_PROGRAM`] that is a link to a driver describes each store and its twins: `lmdb`, `lmdb-b`, `lmdb-c`, `lmdb-d`. A
//! request for a twin is answered as one for the store.

use std::path::Path;

use bakeoff_protocol::{StoreDescription, TWINS_PROGRAM};

/// What tells the twins of a store apart.
const LETTERS: [char; 3] = ['b', 'c', 'd'];

/// Whether this process was started by the link.
pub(crate) fn is_asked() -> bool {
    std::env::args_os().next().is_some_and(|program| Path::new(&program).file_name() == Some(TWINS_PROGRAM.as_ref()))
}

/// These stores, each with its twins behind it. A store that only tests bakeoff has none.
pub(crate) fn with_twins(stores: impl IntoIterator<Item = StoreDescription>) -> Vec<StoreDescription> {
    let family = |store: StoreDescription| {
        let letters = if store.test_only { &[][..] } else { &LETTERS };
        let twins: Vec<_> = letters.iter().map(|letter| twin(&store, *letter)).collect();
        std::iter::once(store).chain(twins)
    };
    stores.into_iter().flat_map(family).collect()
}

fn twin(of: &StoreDescription, letter: char) -> StoreDescription {
    StoreDescription {
        name: format!("{}-{letter}", of.name),
        title: format!("{} {}", of.title, letter.to_uppercase()),
        twin_of: Some(of.name.clone()),
        ..of.clone()
    }
}

/// The store that opens what a request calls `name`.
pub(crate) fn original(name: &str, stores: impl IntoIterator<Item = StoreDescription>) -> Option<String> {
    with_twins(stores).into_iter().find(|store| store.name == name)?.twin_of
}
