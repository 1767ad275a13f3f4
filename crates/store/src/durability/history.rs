//! The writes of the checks: an endless list of steps from a seed, and the expected content after any number of them.

use std::collections::BTreeMap;

use xxhash_rust::xxh64::xxh64;

use crate::error::StoreError;
use crate::store::Session;

/// Steps per batch.
pub(super) const BATCH: u64 = 10;
/// Few different keys, so that steps meet often on one.
const KEYS: u64 = 60;

/// For each key, the number of the step that wrote its value.
pub(super) type Model = BTreeMap<Vec<u8>, u64>;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Insert,
    Update,
    Upsert,
    Delete,
}

/// One write.
#[derive(Clone, Debug)]
pub(super) struct Step {
    kind: Kind,
    pub(super) key: Vec<u8>,
    /// Its number, from 0.
    index: u64,
}

/// The list up to the current step.
pub(super) struct History {
    seed: u64,
    pub(super) steps: u64,
    pub(super) model: Model,
}

impl History {
    /// The history after this many steps.
    pub(super) fn after(seed: u64, steps: u64) -> Self {
        let mut history = Self { seed, steps: 0, model: Model::new() };
        (0..steps).for_each(|_| drop(history.next()));
        history
    }

    /// Advances the model by a step and returns it.
    pub(super) fn next(&mut self) -> Step {
        let index = self.steps;
        let random = draw(self.seed, index);
        let key = format!("key {:02}", random % KEYS).into_bytes();
        let kind = match (self.model.contains_key(&key), random >> 32 & 7) {
            (true, 0..=1) => Kind::Delete,
            (true, 2..=4) => Kind::Update,
            (false, 0..=3) => Kind::Insert,
            _ => Kind::Upsert,
        };
        match kind {
            Kind::Delete => self.model.remove(&key),
            Kind::Insert | Kind::Update | Kind::Upsert => self.model.insert(key.clone(), index),
        };
        self.steps += 1;
        Step { kind, key, index }
    }

    /// The value that a step wrote. Its length and content identify the step.
    pub(super) fn value(&self, index: u64) -> Vec<u8> {
        value(self.seed, index)
    }

    /// Whether this is the expected content.
    pub(super) fn is_content(&self, found: &BTreeMap<Vec<u8>, Vec<u8>>) -> bool {
        found.keys().eq(self.model.keys()) && self.model.iter().all(|(key, index)| found[key] == self.value(*index))
    }

    /// The expected content by key.
    pub(super) fn content(&self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        self.model.iter().map(|(key, index)| (key.clone(), self.value(*index))).collect()
    }
}

impl Step {
    /// Performs the step.
    pub(super) fn take(&self, seed: u64, session: &mut dyn Session) -> Result<(), StoreError> {
        match self.kind {
            Kind::Insert => session.insert(&self.key, &value(seed, self.index)),
            Kind::Update => session.update(&self.key, &value(seed, self.index)),
            Kind::Upsert => session.upsert(&self.key, &value(seed, self.index)),
            Kind::Delete => session.delete(&self.key),
        }
    }
}

/// A random number that depends on both.
pub(super) fn draw(seed: u64, index: u64) -> u64 {
    xxh64(&index.to_le_bytes(), seed)
}

fn value(seed: u64, index: u64) -> Vec<u8> {
    let random = draw(seed ^ 1, index);
    // Mostly short, some longer than a page, a few long.
    let length = match random % 16 {
        0 => 0,
        1..=9 => random >> 8 & 0xff,
        10..=14 => random >> 8 & 0xfff,
        _ => random >> 8 & 0x7fff,
    };
    (0..length).map(|at| (random.rotate_left((at % 61) as u32) as u8) ^ (at as u8)).collect()
}
