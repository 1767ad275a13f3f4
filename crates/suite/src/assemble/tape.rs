//! The key `tape`: operations that an application did, instead of random ones.

use std::path::PathBuf;

use crate::axes;
use crate::error::Problems;
use crate::node::Value;
use crate::read::{self, Table};

/// Keys that a tape replaces, so that a suite with a tape must not have them.
const OF_THE_SUITE: [&str; 4] = ["phases", "tree", "value-distribution", "pool-size"];

/// Limits of the speed of replay.
const SPEED_MIN: f64 = 1e-6;
const SPEED_MAX: f64 = 1e6;

/// Reads the key, and notes keys that conflict with it.
pub(crate) fn read(root: &Table<'_>, problems: &mut Problems) -> Option<PathBuf> {
    let path = root.read("tape", problems, read::text)?;
    if path.is_empty() {
        problems.add(
            root.place("tape"),
            "`tape` names no directory",
            format!("`{} tape import` makes one", bakeoff_text::program()),
        );
        return None;
    }
    let help = "leave it out: the tape is replayed as it is";
    for place in OF_THE_SUITE.into_iter().filter_map(|key| root.get(key).map(|node| (key, &node.place))) {
        problems.add(place.1, format!("`{}` does not go with a tape", place.0), help);
    }
    let Some(Value::Table(entries)) = root.get("axes").map(|axes| &axes.value) else { return Some(path.into()) };
    for entry in entries.iter().filter(|entry| axes::workload_keys().any(|key| key == entry.key)) {
        problems.add(&entry.node.place, format!("`{}` does not go with a tape", entry.key), help);
    }
    Some(path.into())
}

/// Reads `speed`: the factor by which operations are due earlier than on the tape.
pub(crate) fn speed(root: &Table<'_>, problems: &mut Problems) -> Option<f64> {
    let node = root.get("speed")?;
    if root.get("tape").is_none() {
        let help = "leave it out; phases take a `rate`";
        problems.add(root.key_place("speed").unwrap_or(&node.place), "`speed` is for a tape, and there is none", help);
        return None;
    }
    // A flag's value is text.
    let number = match &node.value {
        Value::Text(text) => text.parse().ok(),
        Value::Integer(integer) => Some(*integer as f64),
        Value::Float(float) => Some(*float),
        _ => None,
    };
    let speed = number.filter(|speed| (SPEED_MIN..=SPEED_MAX).contains(speed));
    if speed.is_none() {
        let help = "give a number from 0.000001 to 1000000: 1 for the times on the tape, 2 for twice as fast";
        problems.add(&node.place, "`speed` is not a number from 0.000001 to 1000000", help);
    }
    speed
}
