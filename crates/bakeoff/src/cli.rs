//! What the user types, and what `--help` teaches.

mod check_driver_arguments;
mod compare_arguments;
mod help;
mod help_texts;
mod item_arguments;
mod rewrite_arguments;
mod suite_arguments;
mod trace_arguments;

use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use bakeoff_protocol::Profile;
use clap::builder::styling::Styles;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use check_driver_arguments::CheckDriverArguments;
pub(crate) use compare_arguments::CompareArguments;
pub(crate) use help::{command, parse};
use item_arguments::ItemArguments;
pub(crate) use rewrite_arguments::{
    AnonymizeArguments, CutArguments, ExportArguments, MergeArguments, RewriteArguments,
};
use suite_arguments::OVERRIDES;
pub(crate) use suite_arguments::{DEFAULT_RESULTS, SuiteArguments};
pub(crate) use trace_arguments::{FORMS, TraceArguments};

/// The style of the word before an error.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

/// Shows which embedded key-value store fits your records on your machine
#[derive(Parser)]
#[command(name = "bakeoff", version = crate::version::VERSION, styles = STYLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Measure stores on this machine and rank them
    Run(RunArguments),
    /// Find the store that fits your records, and when another would
    Pick(PickArguments),
    /// Draw which store is best where, e.g. value size by records
    Map(MapArguments),
    /// Show the result of a run again, or export it
    Report(ReportArguments),
    /// Show what became better or worse from one run to another
    Compare(CompareArguments),
    /// List the stores, or explain one with its settings
    Stores(StoresArguments),
    /// List the suites, or print one
    Suites(SuitesArguments),
    /// Show what could spoil a measurement here, and what is missing
    Doctor(DoctorArguments),
    /// Look into tapes, and into traces of applications
    Tape(TapeArguments),
    /// Print the request of one cell, to run it by hand
    Request(RequestArguments),
    /// Check that a driver keeps the rules of docs/PROTOCOL.md
    CheckDriver(CheckDriverArguments),
    /// Make a power cut of an earlier run again, from its recording
    Cut(PowerCutArguments),
    /// Remove what earlier runs left behind
    Clean(CleanArguments),
    /// Serve a disk whose power will be cut; started by a run itself
    #[command(hide = true)]
    PowerCutDisk {
        /// Files that the run has open
        arguments: Vec<String>,
    },
    /// Wait for the end of a run that made media, and remove what it left; started by the run itself
    #[command(hide = true)]
    Guard,
    /// Print completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write manual pages
    #[command(hide = true)]
    Man {
        /// The directory for the pages; it must exist
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Put what commands print into documents that show it; for documents of bakeoff's own
    #[command(hide = true)]
    Splice(SpliceArguments),
}

/// The longest name of a run.
const NAME_MAX: usize = 60;

/// Columns that no line of text exceeds where it can be broken.
pub(crate) const COLUMNS: usize = 100;

#[derive(Args, Clone, Default)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) suite: SuiteArguments,
    /// Directory on the disk to measure; a subdirectory is made in it and removed afterwards [default: the --out directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// A directory for a medium; may be given several times. As DIR, new:FS or new:FS:SIZE makes a file system for the run (ext4,
    /// xfs, btrfs, ntfs, tmpfs; needs root)
    #[arg(long, value_name = "NAME=DIR")]
    pub(crate) medium: Vec<String>,
    /// Where result directories are made
    #[arg(long, value_name = "DIR", default_value = DEFAULT_RESULTS)]
    pub(crate) out: PathBuf,
    /// Fit the run into this time, such as 90s or 3m, and report what does not fit. A cell that still runs a quarter of the time and
    /// five seconds after its end is stopped
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Find each store's highest rate at which a bound on latency holds, in a suite whose phase has a `rate`. A bound is p50, p90, p99,
    /// p999 or max, < and a time, such as p99<2ms. The search begins at the rate of a closed loop
    #[arg(long, value_name = "BOUND")]
    pub(crate) find_rate: Option<String>,
    /// Make a flame graph of each cell instead of ranking stores: cpu (where time goes), alloc (where memory is allocated; stores on
    /// the JVM). One round unless --rounds says more
    #[arg(long, value_name = "WORD", conflicts_with = "find_rate")]
    pub(crate) profile: Option<Profile>,
    /// Finish a run that was cut short: the given one, or the newest in --out. Only --budget and --full can go with it
    #[arg(long, value_name = "RUN", num_args = 0..=1, conflicts_with_all = ["suite", "tape", "corpus", OVERRIDES, "dir", "medium", "plan", "find_rate", "profile"])]
    pub(crate) resume: Option<Option<PathBuf>>,
    /// Show what would be run and what is skipped, and stop
    #[arg(long)]
    pub(crate) plan: bool,
    /// Call the run so, to name it later: letters, digits and any of . _ - (`bakeoff compare before after`)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["resume", "plan"], value_parser = parse_name)]
    pub(crate) name: Option<String>,
    /// Show everything at the end: each store's figures in each workload, warnings, skips and where figures come from
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args, Clone)]
#[command(allow_negative_numbers = true)]
pub(crate) struct PickArguments {
    #[command(flatten)]
    pub(crate) items: ItemArguments,
    /// Read the need from a file: the names of these options as keys. Options on the command line override it
    #[arg(long, value_name = "FILE")]
    pub(crate) need: Option<PathBuf>,
    /// Take records, sizes, mix and popularity from a trace of your application (`bakeoff tape summary --help` lists the forms). Other
    /// options, and those of a --need file, hold over it. A trace that these figures do not represent is replayed, as with --tape
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: TraceArguments,
    /// Replay what an application did, from a tape that `bakeoff tape import` made of its trace, instead of
    /// records and operations that resemble it
    #[arg(long, value_name = "DIR", conflicts_with = "trace")]
    pub(crate) tape: Option<PathBuf>,
    /// Where result directories are made
    #[arg(long, value_name = "DIR", default_value = DEFAULT_RESULTS)]
    pub(crate) out: PathBuf,
    /// Show everything at the end: settings, when the answer would change, and all figures
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct MapArguments {
    /// What lies along the horizontal axis, and from where to where
    #[arg(long, value_name = "QUANTITY=FROM..TO", default_value = "value-size=16B..1MiB")]
    pub(crate) x: String,
    /// What lies along the vertical axis, and from where to where
    #[arg(long, value_name = "QUANTITY=FROM..TO", default_value = "records=1k..1M")]
    pub(crate) y: String,
    #[command(flatten)]
    pub(crate) pick: PickArguments,
    /// Go on with a map: the given one, or the newest in --out. Only --budget can go with it
    #[arg(long, value_name = "MAP", num_args = 0..=1)]
    pub(crate) resume: Option<Option<PathBuf>>,
}

#[derive(Args)]
pub(crate) struct ReportArguments {
    /// Directories of runs, names that `run --name` gave, or published:NAME for a paper's own figures [default: the newest in the --out
    /// directory]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// Where `run` was told to make result directories
    #[arg(long, value_name = "DIR", default_value = DEFAULT_RESULTS)]
    pub(crate) out: PathBuf,
    /// Show everything: each store's figures in each workload, warnings, skips and where figures come from
    #[arg(long)]
    pub(crate) full: bool,
    /// Show warnings, notes, what failed and what was skipped
    #[arg(long, conflicts_with_all = ["full", "against"])]
    pub(crate) notes: bool,
    #[arg(long, help = against_help(), value_name = "NAME", conflicts_with_all = ["csv", "json", "parquet", "xlsx", "samples"])]
    pub(crate) against: Option<String>,
    /// Write the report as one HTML page that needs nothing else; it can show several runs, and a paper with --against.
    /// `-` for standard output, as in all of these
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write every round's figures as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write everything, verdicts too, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write every round's figures as Parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) parquet: Option<PathBuf>,
    /// Of a map: write every place with its answer, if known, and the stores measured there, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) samples: Option<PathBuf>,
    /// Write a workbook with charts, means, places and every round's figures
    #[arg(long, value_name = "FILE")]
    pub(crate) xlsx: Option<PathBuf>,
    /// Write answer and matrices as Markdown; with --against, the paper's figures too
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
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
    /// Measure two stores under several names (A/A), and say which differences this machine can tell apart now; takes half a minute
    #[arg(long)]
    pub(crate) aa: bool,
    /// Where the results of --aa are kept
    #[arg(long, value_name = "DIR", default_value = DEFAULT_RESULTS, requires = "aa")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct TapeArguments {
    #[command(subcommand)]
    pub(crate) verb: TapeVerb,
}

#[derive(Subcommand)]
pub(crate) enum TapeVerb {
    /// Print a tape: header, settings, operations and their answers
    Show {
        /// The tape's file, or the directory of an imported one
        file: PathBuf,
        /// Print at most this many operations
        #[arg(long, default_value_t = 20)]
        limit: u64,
        /// Say what is in it, as `tape summary` does
        #[arg(long, conflicts_with = "limit")]
        summary: bool,
        /// With --summary, the form of a trace (`tape summary --help` lists them)
        #[arg(long, value_name = "FORM", requires = "summary")]
        form: Option<String>,
    },
    /// Describe a trace: mix, sizes, popularity of keys, working set
    Summary {
        /// A trace in one of the forms below, compressed with gzip or Zstandard or not; or the directory of an imported tape. - is
        /// standard input
        file: PathBuf,
        #[command(flatten)]
        read: TraceArguments,
    },
    /// Turn a trace into a tape that every store can replay
    Import(ImportArguments),
    /// Write a trace or a tape as a table, CSV or Parquet
    Export(ExportArguments),
    /// Make keys unreadable, so that a trace can be shared
    Anonymize(AnonymizeArguments),
    /// Keep a part: the first or last operations, or those of a time
    Cut(CutArguments),
    /// Make one trace or tape of several
    Merge(MergeArguments),
}

#[derive(Args)]
pub(crate) struct ImportArguments {
    /// A trace in one of the forms below, compressed with gzip or Zstandard or not. - is standard input
    pub(crate) file: PathBuf,
    /// The directory to make [default: the trace's name with .tape, here]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: TraceArguments,
    /// Make keys unreadable with a secret that is kept nowhere (`tape anonymize --help` says what that hides)
    #[arg(long)]
    pub(crate) anonymize: bool,
    /// The length of values whose length the trace does not tell
    #[arg(long, value_name = "SIZE")]
    pub(crate) value_size: Option<String>,
    /// Deal keys to this many threads [default: the trace's threads, or one]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(bakeoff_trace::IMPORT_LANES_MAX)))]
    pub(crate) threads: Option<u32>,
    /// What values are made of: random, text, json, half
    #[arg(long, value_name = "TYPE", default_value = "text")]
    pub(crate) data: String,
    /// Seed of the values
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
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
pub(crate) struct SpliceArguments {
    /// The documents
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing, and fail where a document shows something else
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args)]
pub(crate) struct PowerCutArguments {
    /// The cut: cell, round and number, as the report lists bad cuts
    #[arg(long, value_name = "CELL:ROUND:INDEX")]
    pub(crate) again: String,
    /// Print what was acknowledged, and each pending write with the files that it belongs to
    #[arg(long)]
    pub(crate) explain: bool,
    /// The run [default: the newest below bakeoff-results]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<PathBuf>,
    /// Where tapes are made [default: a directory below bakeoff-results]
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

/// What a run may be called: no text that is a path.
fn parse_name(text: &str) -> Result<String, String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_name = text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.chars().all(is_part);
    if is_name && text.len() <= NAME_MAX {
        return Ok(text.to_owned());
    }
    Err(format!("use at most {NAME_MAX} letters, digits and any of . _ -, such as before"))
}

/// What `--against` does, with the names of all publications.
fn against_help() -> String {
    let names: Vec<&str> = bakeoff_results::published::Published::names().collect();
    format!("Compare the run with a paper, here, with --html or with --markdown: {}", names.join(", "))
}
