//! The suite of a map: a variant for each place, which asks the need as it is there.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use bakeoff_results::map_axis::{MapAxis, MapQuantity};
use bakeoff_results::map_facts::MapPoint;
use bakeoff_tape::SizeRange;

use crate::pick::conditions::PromisingMore;
use crate::pick::memory::{data_bytes, memory_text};
use crate::pick::need::{Memory, Need, is_write};
use crate::pick::suite::{axes, of_every_need, phases};
use crate::pick::suite_file::{Access, Axes, Limits, SuiteFile, Variant};

/// The part of a budget that a round of one store may take at most, and the least and most that it may.
const CELL_PARTS: u32 = 40;
const CELL_MIN: Duration = Duration::from_secs(2);
const CELL_MAX: Duration = Duration::from_secs(600);

/// What a map asks at a place: the need with the values of both axes.
pub fn need_at(need: &Need, axes: [&MapAxis; 2], at: MapPoint) -> Need {
    let [x, y] = axes;
    let mut need = need.clone();
    for (quantity, value) in [(x.quantity, x.value(at.x)), (y.quantity, y.value(at.y))] {
        set(&mut need, quantity, value);
    }
    need
}

fn set(need: &mut Need, quantity: MapQuantity, value: f64) {
    let whole = value as u64;
    match quantity {
        MapQuantity::ValueSize => need.value_bytes = SizeRange { min: whole, max: whole }.into(),
        MapQuantity::Records => need.records = whole,
        MapQuantity::Reads => need.mix = with_reads(&need.mix, value),
        MapQuantity::Threads => need.threads = whole,
        MapQuantity::Memory => need.memory = Memory::Bytes(whole),
        MapQuantity::Skew if value == 0.0 => {
            need.access = Access::Named("uniform");
            need.value_bytes = need.value_bytes.clone().with_popular(None);
        }
        MapQuantity::Skew => need.access = Access::Skewed(BTreeMap::from([("zipfian", value)])),
    }
}

/// The mix with `percent` percent of reads. Within reads and within writes all kinds keep their weights. Without reads
/// there are gets, without writes updates.
fn with_reads(mix: &[(String, f64)], percent: f64) -> Vec<(String, f64)> {
    let part = |is_one: fn(&str) -> bool, usual: &str, percent: f64| {
        let mut kinds: Vec<_> = mix.iter().filter(|(kind, _)| is_one(kind)).cloned().collect();
        if kinds.is_empty() {
            kinds.push((usual.to_owned(), 1.0));
        }
        let total: f64 = kinds.iter().map(|(_, weight)| weight).sum();
        kinds.into_iter().map(move |(kind, weight)| (kind, weight / total * percent))
    };
    let reads = part(|kind| !is_write(kind), "get", percent);
    let all = reads.chain(part(is_write, "update", 100.0 - percent));
    all.filter(|(_, weight)| *weight > 0.0).collect()
}

/// The suite that asks the need at each of these places; what else it says is as for [`crate::pick::PickSuite::new`].
///
/// # Errors
/// It cannot be written as TOML.
pub fn map_suite(
    need: &Need,
    (map, points): ([&MapAxis; 2], impl Iterator<Item = MapPoint>),
    stores: &[String],
    promising_more: &PromisingMore,
    batches: bool,
) -> Result<String> {
    let variant = |at: MapPoint| {
        let there = need_at(need, map, at);
        Variant {
            name: at.variant(),
            summary: format!("{}, {}.", map[0].describe(at.x), map[1].describe(at.y)),
            memory: Some(memory_text(there.memory, data_bytes(&there))),
            axes: Some(Axes {
                value_size: Some(there.value_bytes.to_string()),
                records: Some(there.records),
                threads: Some(there.threads),
                ..Axes::default()
            }),
            settings: BTreeMap::new(),
            phases: phases(&there, (&there.mix, there.durability), batches),
        }
    };
    let first = need_at(need, map, MapPoint { x: 0, y: 0 });
    let timeout = (need.budget / CELL_PARTS).clamp(CELL_MIN, CELL_MAX);
    SuiteFile {
        title: "Map",
        summary: "Which store is best where.",
        axes: axes(&first, stores),
        limits: Limits { timeout: format!("{}ms", timeout.as_millis()) },
        phases: phases(&first, (&first.mix, first.durability), batches),
        variants: points.map(variant).collect(),
        ..of_every_need(&first, stores, promising_more)
    }
    .to_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_reads_keeps_the_weights_within_reads_and_writes() {
        let mix = |kinds: &[(&str, f64)]| {
            kinds.iter().map(|(kind, weight)| ((*kind).to_owned(), *weight)).collect::<Vec<_>>()
        };
        let of = mix(&[("get", 30.0), ("scan", 10.0), ("update", 3.0), ("insert", 1.0)]);
        assert_eq!(with_reads(&of, 80.0), mix(&[("get", 60.0), ("scan", 20.0), ("update", 15.0), ("insert", 5.0)]));
        assert_eq!(with_reads(&of, 0.0), mix(&[("update", 75.0), ("insert", 25.0)]));
        assert_eq!(with_reads(&mix(&[("insert", 1.0)]), 50.0), mix(&[("get", 50.0), ("insert", 50.0)]));
        assert_eq!(with_reads(&mix(&[("get", 1.0)]), 75.0), mix(&[("get", 75.0), ("update", 25.0)]));
        assert_eq!(with_reads(&of, 100.0).len(), 2);
    }

    #[test]
    fn a_place_has_the_values_of_both_axes() {
        let need = Need { records: 1, mix: vec![("get".to_owned(), 1.0)], ..Need::default() };
        let x = MapAxis::new(MapQuantity::ValueSize, 16.0, 1_048_576.0);
        let y = MapAxis::new(MapQuantity::Skew, 0.0, 1.6);
        let there = need_at(&need, [&x, &y], MapPoint { x: 2, y: 0 });
        assert_eq!((there.value_bytes.to_string().as_str(), there.records), ("64B", 1));
        assert_eq!(there.access, Access::Named("uniform"));
        let there = need_at(&need, [&x, &y], MapPoint { x: 16, y: 5 });
        assert_eq!(there.access, Access::Skewed(BTreeMap::from([("zipfian", 0.5)])));
    }
}
