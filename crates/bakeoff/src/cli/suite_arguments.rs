//! What is measured: a suite, and what is changed in it.

use std::path::PathBuf;

use clap::Args;

/// What may be changed in a suite from the command line.
#[derive(Args, Clone, Default)]
pub(crate) struct SuiteArguments {
    /// A suite by name (`bakeoff suites` lists them) or a suite file
    #[arg(default_value = "quick", value_name = "SUITE|FILE")]
    pub(crate) suite: String,
    /// Instead of a suite, replay a tape that `bakeoff tape import` made of a trace
    #[arg(long, value_name = "DIR", conflicts_with = "suite")]
    pub(crate) tape: Option<PathBuf>,
    /// Replay the tape at its own times, or so many times as fast: 1, 2, 0.5; latency then counts from when each operation was due.
    /// Without, an operation begins when the one before has ended
    #[arg(long, value_name = "NUMBER")]
    pub(crate) speed: Option<String>,
    /// Stores to compare, separated by commas; `all` for every one there is
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) stores: Option<Vec<String>>,
    /// Variants of the suite to measure, by name; the others are left out
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) variants: Option<Vec<String>>,
    /// What an acknowledged write must survive: none, process, power
    #[arg(long, value_delimiter = ',', value_name = "CLASS,…")]
    pub(crate) durability: Option<Vec<String>>,
    /// Record counts, e.g. 1000,10k
    #[arg(long, value_delimiter = ',', value_name = "COUNT,…")]
    pub(crate) records: Option<Vec<String>>,
    /// Value sizes or ranges of sizes, e.g. 100B,1KiB..10KiB
    #[arg(long, value_delimiter = ',', value_name = "SIZE,…")]
    pub(crate) value_size: Option<Vec<String>>,
    /// What values are made of: random, text, half
    #[arg(long, value_delimiter = ',', value_name = "TYPE,…")]
    pub(crate) data: Option<Vec<String>>,
    /// Threads that work at the same time, e.g. 1,2,4
    #[arg(long, value_delimiter = ',', value_name = "COUNT,…")]
    pub(crate) threads: Option<Vec<String>>,
    /// Measure with a part of the records, operations and batches, e.g. 0.01; a tree with fewer levels, e.g. levels=5
    #[arg(long, value_name = "PART|levels=N")]
    pub(crate) scale: Option<String>,
    /// What else goes on meanwhile: none, video, cpu, memory, disk
    #[arg(long, value_delimiter = ',', value_name = "WORD,…")]
    pub(crate) disturbance: Option<Vec<String>>,
    /// Hold each cell, its driver and the page cache of its files, to this much memory, e.g. 256MiB; `none` for no limit
    #[arg(long, value_delimiter = ',', value_name = "SIZE,…")]
    pub(crate) memory_limit: Option<Vec<String>>,
    /// Give every store this much memory for its caches and buffers, divided as each store's documentation advises
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// Repetitions of each cell, each in a fresh process and directory
    #[arg(long, value_name = "COUNT")]
    pub(crate) rounds: Option<String>,
    /// Seed of every random choice
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<String>,
    /// Skip workloads whose records (their number × the mean size of their values) take more than this; what phases
    /// insert after the load, and what a store needs besides, comes on top
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_db_size: Option<String>,
    /// Fail a cell that takes longer than this
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Take text values from the text files in this directory instead of the built-in words
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: Option<PathBuf>,
}
