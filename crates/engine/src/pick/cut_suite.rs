//! The suite that cuts the power of a store that a pick found best.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::pick::conditions::PromisingMore;
use crate::pick::need::Need;
use crate::pick::suite::{axes, of_every_need};
use crate::pick::suite_file::{Access, Axes, Limits, Phase, SuiteFile};

/// Cuts of each store, besides those of controls.
const CUTS: u32 = 50;

/// Records before anything is changed, at most.
const RECORDS: u64 = 150;

/// Bytes of values that are written, at most: the recorded disk is in memory.
const VALUES_BYTES: u64 = 16 << 20;

/// The longest value that such a disk is used for, bytes.
const RECORDED_VALUE_BYTES_MAX: u64 = 1 << 20;

/// The suite's text for a store; `None` if values are too long for a disk in memory.
///
/// # Errors
/// It cannot be written.
pub fn cut_suite(need: &Need, store: &str) -> Result<Option<String>> {
    if need.value_bytes.max() > RECORDED_VALUE_BYTES_MAX {
        return Ok(None);
    }
    let records = (VALUES_BYTES / (need.value_bytes.mean() as u64).max(1)).min(RECORDS).min(need.records).max(1);
    let batch = (need.batch > 1).then_some(need.batch.min(records));
    let mix = [("update", 60.0), ("insert", 20.0), ("delete", 20.0)].map(|(kind, weight)| (kind.to_owned(), weight));
    let load = Phase { name: "load", operation: Some("insert"), batch, ..Phase::default() };
    let change = Phase {
        name: "change",
        mix: Some(BTreeMap::from(mix)),
        operations: Some(records),
        access: Some(Access::Named("uniform")),
        batch,
        ..Phase::default()
    };
    let stores = [store.to_owned()];
    let suite = SuiteFile {
        title: "Power cuts of a pick",
        summary: "What simulated power cuts leave of a store that a pick found best.",
        rounds: 1,
        ending: Some("cut"),
        cuts: Some(CUTS),
        memory: None,
        axes: Axes { records: Some(records), threads: None, ..axes(need, &stores) },
        limits: Limits { timeout: "1m".to_owned() },
        phases: vec![load, change],
        ..of_every_need(need, &stores, &PromisingMore::default())
    };
    suite.to_text().map(Some)
}
