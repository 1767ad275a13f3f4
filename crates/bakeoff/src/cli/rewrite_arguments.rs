//! How traces and tapes are made smaller, shared and joined, as a user says it.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::TraceArguments;

#[derive(Args, Clone, Default)]
pub(crate) struct RewriteArguments {
    /// Where the result goes: FILE.csv, FILE.parquet, - for a CSV on standard output, or the directory of a tape to be made
    #[arg(long, value_name = "OUT")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) read: TraceArguments,
    /// The length of values whose length the trace does not tell
    #[arg(long, value_name = "SIZE")]
    pub(crate) value_size: Option<String>,
}

#[derive(Args)]
pub(crate) struct ExportArguments {
    /// A trace, or the directory of an imported tape
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) write: RewriteArguments,
}

#[derive(Args)]
pub(crate) struct AnonymizeArguments {
    /// A trace, or the directory of an imported tape
    pub(crate) file: PathBuf,
    /// The secret [default: random, known to nobody]. Anyone who has it can try out keys
    #[arg(long, value_name = "TEXT")]
    pub(crate) salt: Option<String>,
    #[command(flatten)]
    pub(crate) write: RewriteArguments,
}

#[derive(Args)]
#[command(
    group = ArgGroup::new("part").required(true).multiple(true).args(["first", "last", "from", "to"])
)]
pub(crate) struct CutArguments {
    /// A trace, or the directory of an imported tape
    pub(crate) file: PathBuf,
    /// Keep this many operations at the beginning, such as 1M
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["last", "from", "to"])]
    pub(crate) first: Option<String>,
    /// Keep this many operations at the end. The trace is read twice
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["from", "to"])]
    pub(crate) last: Option<String>,
    /// Keep operations that come this long after the first one or later, such as 90s
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// Keep operations that come less than this long after the first one
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) write: RewriteArguments,
}

#[derive(Args)]
pub(crate) struct MergeArguments {
    /// Traces, or directories of imported tapes; one may be -
    #[arg(required = true, num_args = 2..)]
    pub(crate) files: Vec<PathBuf>,
    /// How they become one: `time`, or `turns` with one operation of each after the other
    #[arg(long, value_name = "WAY", default_value = "time")]
    pub(crate) by: String,
    /// Keys of different traces are different records: they begin with the number of their trace and a colon
    #[arg(long)]
    pub(crate) apart: bool,
    #[command(flatten)]
    pub(crate) write: RewriteArguments,
}
