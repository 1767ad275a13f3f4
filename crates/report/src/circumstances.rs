//! Labels of circumstances: in what the tables of a report differ.

use bakeoff_text::{bytes, counted, format_count, printable};

use crate::verdict::{Circumstances, Table};

/// The axes in which tables differ, apart from durability.
pub(crate) fn varying(of: &Circumstances, tables: &[Table]) -> String {
    let all: Vec<Circumstances> = tables.iter().map(|table| table.circumstances.clone()).collect();
    varying_among(of, &all)
}

/// The same, of circumstances alone.
pub(crate) fn varying_among(of: &Circumstances, all: &[Circumstances]) -> String {
    let differs = |same: fn(&Circumstances, &Circumstances) -> bool| all.iter().any(|other| !same(other, of));
    let mut label = String::new();
    if let Some(variant) = &of.variant {
        label.push_str(&format!(" · variant {}", printable(variant)));
    }
    if differs(|a, b| a.disturbance == b.disturbance) {
        let disturbed = of.disturbance.as_ref().map(|by| format!("disturbed by {}", printable(by)));
        label.push_str(&format!(" · {}", disturbed.as_deref().unwrap_or("undisturbed")));
    }
    if differs(|a, b| a.medium == b.medium) {
        label.push_str(&format!(" · medium {}", printable(&of.medium)));
    }
    if differs(|a, b| a.key == b.key) {
        label.push_str(&format!(" · {} keys", printable(&of.key)));
    }
    if differs(|a, b| a.threads == b.threads) {
        label.push_str(&format!(" · {}", counted(of.threads, "thread")));
    }
    if differs(|a, b| a.memory_bytes == b.memory_bytes) {
        let given = of.memory_bytes.map(|given| format!("{} for each store", bytes(given as f64)));
        label.push_str(&format!(" · {}", given.as_deref().unwrap_or("no memory given")));
    }
    if differs(|a, b| a.memory_limit_bytes == b.memory_limit_bytes) {
        let limit = of.memory_limit_bytes.map(|limit| format!("at most {} of memory", bytes(limit as f64)));
        label.push_str(&format!(" · {}", limit.as_deref().unwrap_or("no memory limit")));
    }
    if let Some(rate) = of.rate_per_second {
        label.push_str(&format!(" · at {}/s", format_count(rate)));
    }
    label
}
