//! The table `[limits]`, and the length of the value pool.

use std::time::Duration;

use bakeoff_tape::{KeyForm, POOL_BYTES_MAX};
use bakeoff_text::{format_duration, format_size, parse_duration, parse_size, shorten};

use crate::axes::{Axes, has_form};
use crate::error::Problems;
use crate::model::Limits;
use crate::node::{Node, SuiteFile, Value};
use crate::read::{self, Table};

/// The longest time limit of a cell: 30 days.
const TIMEOUT_MS_MAX: u64 = 30 * 24 * 3_600_000;

/// Reads `[limits]`.
pub(crate) fn read(root: &Table<'_>, problems: &mut Problems) -> Limits {
    let mut limits = Limits { db_bytes_max: None, timeout: Duration::from_secs(300) };
    let Some(node) = root.get("limits") else { return limits };
    let Some(table) = Table::new(node, "[limits]", &["max-db-size", "timeout"], problems) else { return limits };
    limits.db_bytes_max = table.read("max-db-size", problems, |node, what, problems| {
        read::quantity(node, what, (1, u64::MAX), parse_size, format_size, problems)
    });
    limits.timeout = table.read("timeout", problems, timeout).unwrap_or(limits.timeout);
    limits
}

fn timeout(node: &Node, what: &str, problems: &mut Problems) -> Option<Duration> {
    let Value::Text(typed) = &node.value else {
        read::wrong_kind(node, what, "text with a unit, such as \"5m\"", problems);
        return None;
    };
    let longest = format_duration(Duration::from_millis(TIMEOUT_MS_MAX));
    match parse_duration(typed) {
        Err(error) => problems.add(&node.place, format!("`{what}`: {}", error.what), error.remedy),
        Ok(time) if (1..=u128::from(TIMEOUT_MS_MAX)).contains(&time.as_millis()) => return Some(time),
        Ok(_) => {
            let message = format!("a timeout of {} is not a possible time for a cell", shorten(typed));
            problems.add(&node.place, message, format!("give 1ms to {longest}; 5m is the default"));
        }
    }
    None
}

/// The length of the value pool: long enough that its slices differ.
pub(crate) fn pool_bytes(root: &Table<'_>, axes: &Axes, file: &SuiteFile, problems: &mut Problems) -> Option<u64> {
    let largest = axes.value_bytes.iter().max_by_key(|sizes| sizes.max())?;
    let given = root.read("pool-size", problems, |node, what, problems| {
        read::quantity(node, what, (1, POOL_BYTES_MAX), parse_size, format_size, problems)
    })?;
    if has_form(&axes.keys, KeyForm::Directory) {
        let help = "leave `pool-size` out";
        problems.add(root.place("pool-size"), "the tree determines how long the pool is", help);
    } else if given < largest.max() {
        let message = format!("a pool of {} has no room for values of {largest}", format_size(given),);
        let help = format!("make `pool-size` at least {}, or leave it out", format_size(largest.max()));
        problems.add(&file.blame(&["value-size"], root.place("pool-size")), message, help);
    }
    Some(given)
}
