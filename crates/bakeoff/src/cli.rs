//! What the user types, and what `--help` teaches.

use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::builder::styling::Styles;
use clap::{Args, Parser, Subcommand};

/// The style of the word before an error.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  bakeoff run                                  measure the default suite here and say which store is best at what
  bakeoff run --budget 1m --stores sqlite,lmdb     two stores, one minute
  bakeoff run --dir /mnt/ssd --durability power    on another disk, surviving power cuts
  bakeoff run --resume                         finish the newest run that was cut short
  bakeoff report                               show the newest result again
  bakeoff doctor                               what could spoil a measurement on this machine

The script ./bakeoff also knows: build NAME (a driver that `doctor` says is not built), test (every
test there is), bench, fuzz.
Exit status: 0 all good, 1 some cell failed, 2 usage or set-up, 130 interrupted.";

/// Which embedded key-value store, or plain files, fits your records on your machine.
#[derive(Parser)]
#[command(name = "bakeoff", version, styles = STYLES, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Measure stores on this machine and rank them
    Run(RunArguments),
    /// Show the result of a run again, or export it
    Report(ReportArguments),
    /// List the stores, or explain one with its settings
    Stores(StoresArguments),
    /// List the suites, or print one
    Suites(SuitesArguments),
    /// Say what could spoil a measurement here, and what is missing for which driver
    Doctor(DoctorArguments),
    /// Look into tapes
    Tape(TapeArguments),
    /// Print the request of one cell, to be run by hand: bakeoff request CELL | bakeoff-driver-native run
    Request(RequestArguments),
    /// Remove what earlier runs left behind; only what carries bakeoff's marker
    Clean(CleanArguments),
}

/// Where results go unless another place is named.
pub(crate) const DEFAULT_RESULTS: &str = "bakeoff-results";

/// What may be changed in a suite from the command line.
#[derive(Args, Clone, Default)]
pub(crate) struct SuiteArguments {
    /// A suite by name (`bakeoff suites` lists them) or a suite file
    #[arg(default_value = "quick", value_name = "SUITE|FILE")]
    pub(crate) suite: String,
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
    /// What values are made of: random, text
    #[arg(long, value_delimiter = ',', value_name = "TYPE,…")]
    pub(crate) data: Option<Vec<String>>,
    /// Threads that work at the same time, e.g. 1,2,4
    #[arg(long, value_delimiter = ',', value_name = "COUNT,…")]
    pub(crate) threads: Option<Vec<String>>,
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
    /// Skip databases larger than this
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_db_size: Option<String>,
    /// Fail a cell that takes longer than this
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Take text values from the text files in this directory instead of the built-in words
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: Option<PathBuf>,
}

#[derive(Args, Clone, Default)]
#[command(after_help = "\
Examples:
  bakeoff run                              the default suite, a few minutes
  bakeoff run my-suite.toml                your own (docs/SUITES.md)
  bakeoff run --value-size 2KiB..20KiB --records 10k --data text --stores sqlite,lmdb,flat-folder
  bakeoff run --medium ssd=/mnt/a --medium hdd=/mnt/b     on two disks
  bakeoff run --medium xfs=new:xfs:8GiB --medium ntfs=new:ntfs    on file systems made for the run
  bakeoff run --disturbance none,video     as usual, and while a video plays
  bakeoff run --resume bakeoff-results/20260102-030405-quick")]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) suite: SuiteArguments,
    /// Directory on the disk to measure; a subdirectory is made in it and removed afterwards [default: the --out directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// A directory for a medium, or new:FS or new:FS:SIZE for a file system made for the run (ext4, xfs, btrfs, ntfs, tmpfs;
    /// needs root); may be given several times
    #[arg(long, value_name = "NAME=DIR")]
    pub(crate) medium: Vec<String>,
    /// Where result directories are made
    #[arg(long, value_name = "DIR", default_value = DEFAULT_RESULTS)]
    pub(crate) out: PathBuf,
    /// Fit the run into this time, and say what was given up for it, e.g. 90s, 3m
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Finish a run that was cut short: the given one, or the newest in --out. Other options are taken from that run
    #[arg(long, value_name = "RUN", num_args = 0..=1)]
    pub(crate) resume: Option<Option<PathBuf>>,
    /// Show what would be run and what is skipped, and stop
    #[arg(long)]
    pub(crate) plan: bool,
    /// Show every store's figures for every workload at the end
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  bakeoff report                                  the newest run
  bakeoff report RUN --against hines-2023         beside the figures of a paper (docs/PUBLISHED.md)
  bakeoff report published:hines-2023             the paper's own figures in our matrix")]
pub(crate) struct ReportArguments {
    /// The run's directory, or published:NAME for a paper's own figures [default: the newest in bakeoff-results]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<PathBuf>,
    /// Show every store's figures for every workload
    #[arg(long)]
    pub(crate) full: bool,
    /// Set the run beside a paper: hines-2023, leveldb-2011, cunningham-2024
    #[arg(long, value_name = "NAME", conflicts_with_all = ["csv", "json"])]
    pub(crate) against: Option<String>,
    /// Write all figures as CSV to this file; `-` for standard output; `hines` or `hines:FILE` for the columns of that paper
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write everything as JSON to this file; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct StoresArguments {
    /// Explain this store: promises, limits, settings and their sources
    pub(crate) name: Option<String>,
}

#[derive(Args)]
pub(crate) struct SuitesArguments {
    /// Print this suite's file
    pub(crate) name: Option<String>,
}

#[derive(Args)]
pub(crate) struct DoctorArguments {
    /// The directory that would be measured
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
}

#[derive(Args)]
pub(crate) struct TapeArguments {
    #[command(subcommand)]
    pub(crate) verb: TapeVerb,
}

#[derive(Subcommand)]
pub(crate) enum TapeVerb {
    /// Print a tape: header, settings, operations with their expected answers
    Show {
        /// The tape's file
        file: PathBuf,
        /// Print at most this many operations
        #[arg(long, default_value_t = 20)]
        limit: u64,
    },
}

#[derive(Args)]
pub(crate) struct RequestArguments {
    /// The cell, by id or the beginning of it (`bakeoff run --plan` lists them; a failed cell names its own)
    pub(crate) cell: String,
    #[command(flatten)]
    pub(crate) suite: SuiteArguments,
    /// The run the cell belongs to: its suite and options are taken from there
    #[arg(long, value_name = "RUN", conflicts_with = "suite")]
    pub(crate) run: Option<PathBuf>,
    /// Where tapes and the store's directory are made [default: a directory below bakeoff-results]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CleanArguments {
    /// Directories to look in, not below their subdirectories' subdirectories
    #[arg(value_name = "DIR", default_value = DEFAULT_RESULTS)]
    pub(crate) directories: Vec<PathBuf>,
    /// Remove results too
    #[arg(long)]
    pub(crate) results: bool,
    /// Only say what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
}
