//! The built-in suites. To add one, add a file in `suites/` and a line here.

use bakeoff_text::did_you_mean;

use crate::error::SuiteErrors;

/// Name and text of every suite.
pub(crate) const SUITES: [(&str, &str); 30] = [
    ("quick", include_str!("../../../suites/quick.toml")),
    ("hines-2023", include_str!("../../../suites/hines-2023.toml")),
    ("leveldb-2011", include_str!("../../../suites/leveldb-2011.toml")),
    ("cunningham-2024", include_str!("../../../suites/cunningham-2024.toml")),
    ("lmdbjava-2016", include_str!("../../../suites/lmdbjava-2016.toml")),
    ("ozone-2020", include_str!("../../../suites/ozone-2020.toml")),
    ("ycsb-a", include_str!("../../../suites/ycsb-a.toml")),
    ("ycsb-b", include_str!("../../../suites/ycsb-b.toml")),
    ("ycsb-c", include_str!("../../../suites/ycsb-c.toml")),
    ("ycsb-d", include_str!("../../../suites/ycsb-d.toml")),
    ("ycsb-e", include_str!("../../../suites/ycsb-e.toml")),
    ("ycsb-f", include_str!("../../../suites/ycsb-f.toml")),
    ("mixgraph", include_str!("../../../suites/mixgraph.toml")),
    ("linkbench", include_str!("../../../suites/linkbench.toml")),
    ("twitter-c4", include_str!("../../../suites/twitter-c4.toml")),
    ("twitter-c12", include_str!("../../../suites/twitter-c12.toml")),
    ("twitter-c14", include_str!("../../../suites/twitter-c14.toml")),
    ("twitter-c19", include_str!("../../../suites/twitter-c19.toml")),
    ("twitter-c29", include_str!("../../../suites/twitter-c29.toml")),
    ("kvtest", include_str!("../../../suites/kvtest.toml")),
    ("redb", include_str!("../../../suites/redb.toml")),
    ("rocksdb-benchmark", include_str!("../../../suites/rocksdb-benchmark.toml")),
    ("delete-heavy", include_str!("../../../suites/delete-heavy.toml")),
    ("queue", include_str!("../../../suites/queue.toml")),
    ("reopen", include_str!("../../../suites/reopen.toml")),
    ("open-loop", include_str!("../../../suites/open-loop.toml")),
    ("steady-state", include_str!("../../../suites/steady-state.toml")),
    ("cold-cache", include_str!("../../../suites/cold-cache.toml")),
    ("larger-than-memory", include_str!("../../../suites/larger-than-memory.toml")),
    ("power-cut", include_str!("../../../suites/power-cut.toml")),
];

/// Their names, in that order.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SUITES.into_iter().map(|(name, _)| name)
}

/// The text of the suite with this name.
///
/// # Errors
/// There is none. The error has the nearest name and all names.
pub fn find(name: &str) -> Result<&'static str, SuiteErrors> {
    let found = SUITES.into_iter().find(|(known, _)| *known == name).map(|(_, text)| text);
    found.ok_or_else(|| {
        let names: Vec<&str> = names().collect();
        let message = format!("there is no suite of this name{}", did_you_mean(name, &names));
        let help = format!("use {}, or the path of a suite file ending in .toml", names.join(", "));
        SuiteErrors::of_file(name, message, help)
    })
}
