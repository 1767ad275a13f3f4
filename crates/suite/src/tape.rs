//! The key `tape`: what an application did, in place of operations that are drawn.

use std::path::PathBuf;

use crate::error::Problems;
use crate::node::Value;
use crate::read::{self, Table};

/// What a tape says by itself, so that a suite with one does not.
const OF_THE_SUITE: [&str; 4] = ["phases", "tree", "value-distribution", "pool-size"];
const OF_THE_AXES: [&str; 5] = ["records", "value-size", "data", "threads", "key"];

/// Reads the key, and notes what does not go with it.
pub(crate) fn read(root: &Table<'_>, problems: &mut Problems) -> Option<PathBuf> {
    let path = root.read("tape", problems, read::text)?;
    if path.is_empty() {
        problems.add(root.place("tape"), "`tape` names no directory", "`bakeoff tape import` makes one");
        return None;
    }
    let help = "leave it out: what is on the tape is replayed as it is";
    for place in OF_THE_SUITE.into_iter().filter_map(|key| root.get(key).map(|node| (key, &node.place))) {
        problems.add(place.1, format!("`{}` does not go with a tape", place.0), help);
    }
    let Some(Value::Table(entries)) = root.get("axes").map(|axes| &axes.value) else { return Some(path.into()) };
    for entry in entries.iter().filter(|entry| OF_THE_AXES.contains(&entry.key.as_str())) {
        problems.add(&entry.node.place, format!("`{}` does not go with a tape", entry.key), help);
    }
    Some(path.into())
}
