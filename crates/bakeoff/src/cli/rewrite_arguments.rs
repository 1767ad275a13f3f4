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
#[command(after_help = "\
Each row has the right answer, and `load` rows have the records that were there before. So
`bakeoff tape import` makes a tape with the same operations of it again.

Examples:
  bakeoff tape export app.tape --out app.parquet    what is on a tape, for other programs
  bakeoff tape export redis.log --value-size 1KiB --out redis.csv")]
pub(crate) struct ExportArguments {
    /// A trace, or the directory of an imported tape
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) write: RewriteArguments,
}

#[derive(Args)]
#[command(after_help = "\
Letters and digits of keys become others, by a secret. Signs such as : and / stay where they are, and
so do the length of a key and the length of a beginning that keys share. Sizes, order and times of
operations stay. Threads become numbers.

Not hidden: how often and when each key is used, which keys share a beginning, how long keys and
values are, and whether a part of a key is a number. Short parts can be guessed from that. The order of
keys is lost, so scans over ranges are not like those of the application.

Examples:
  bakeoff tape anonymize app.csv --out public.csv
  bakeoff tape anonymize monday.csv --salt \"$SECRET\" --out 1.csv    the same key becomes the same in both
  bakeoff tape anonymize tuesday.csv --salt \"$SECRET\" --out 2.csv")]
pub(crate) struct AnonymizeArguments {
    /// A trace, or the directory of an imported tape
    pub(crate) file: PathBuf,
    /// The secret [default: a random one that nobody can know]. Anyone who has it can try out keys
    #[arg(long, value_name = "TEXT")]
    pub(crate) salt: Option<String>,
    #[command(flatten)]
    pub(crate) write: RewriteArguments,
}

#[derive(Args)]
#[command(
    group = ArgGroup::new("part").required(true).multiple(true).args(["first", "last", "from", "to"]),
    after_help = "\
Records that were there when the part begins are loaded beforehand, with the lengths that they had.

Examples:
  bakeoff tape cut app.csv --first 1M --out morning.csv
  bakeoff tape cut app.tape --last 1M --out evening.tape
  bakeoff tape cut app.csv --from 1h --to 90m --out peak.csv    times count from the first operation"
)]
pub(crate) struct CutArguments {
    /// A trace, or the directory of an imported tape
    pub(crate) file: PathBuf,
    /// Keep so many operations at the beginning, such as 1M
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["last", "from", "to"])]
    pub(crate) first: Option<String>,
    /// Keep so many operations at the end. The trace is read twice
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["from", "to"])]
    pub(crate) last: Option<String>,
    /// Keep what comes so long after the first operation or later, such as 90s
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// Keep what comes less long after the first operation than this
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) write: RewriteArguments,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  bakeoff tape merge server-1.log server-2.log --out both.csv              by their times
  bakeoff tape merge web.tape batch.tape --by turns --out both.tape        a thread of each, or several
  bakeoff tape merge eu.csv us.csv --apart --out both.csv                  key a of the first is 1:a
With --by turns times are left out.")]
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
