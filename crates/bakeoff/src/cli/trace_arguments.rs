//! How a trace is to be read, as a user says it.

use anyhow::{Context, Result};
use bakeoff_need::meaning;
use bakeoff_text::printable;
use bakeoff_trace::{Form, ReadOptions, TimeUnit, Zone};
use clap::Args;

/// The forms of traces, each with the command that makes one; lines of at most 80 columns.
pub(crate) const FORMS: &str = "\
Forms, recognised by their first lines (docs/TRACES.md has more on each):
  csv         op, key, value_size; perhaps time, thread, key_size, hits
  parquet     the same columns
  json        an object a line, with the same names
  twitter     Twitter's cache-trace: zstd -dc cluster01.sort.zst
  ycsb        bin/ycsb.sh run basic -P workloads/workloada
  redis       redis-cli monitor
  memcached   memcached -vv 2> memcached.log
  rocksdb     trace_analyzer -convert_to_human_readable_trace
  web         the access log of nginx or Apache, in the format `combined`
  s3          the server access log of S3
  strace      strace -f -ttt -y -s 0 -e trace=%file,%desc -o app.strace PROGRAM
  sql         statements with values, as `.trace FILE` of sqlite3 has them";

#[derive(Args, Clone, Default)]
pub(crate) struct TraceArguments {
    /// The form of the trace, by its word in the list below [default: recognised by its first lines]
    #[arg(long, value_name = "FORM")]
    pub(crate) form: Option<String>,
    /// The unit of the trace's times where they are plain numbers: s, ms, us, ns [default: s]
    #[arg(long, value_name = "UNIT")]
    pub(crate) time_unit: Option<String>,
    /// The zone of the trace's dates where they carry none, such as Europe/Zurich [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub(crate) time_zone: Option<String>,
    /// Leave out what does not matter: columns (also `time`), or operations, commands, methods or system calls of these names
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Take only operations on keys that begin so, and cut that off the keys: records of one table, files below one directory/
    #[arg(long, value_name = "TEXT")]
    pub(crate) key_prefix: Option<String>,
}

impl TraceArguments {
    /// The first option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--form", self.form.is_some()),
            ("--time-unit", self.time_unit.is_some()),
            ("--time-zone", self.time_zone.is_some()),
            ("--ignore", !self.ignore.is_empty()),
            ("--key-prefix", self.key_prefix.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }

    /// How a trace is to be read, of what was typed.
    pub(crate) fn options(&self) -> Result<ReadOptions> {
        let zone = |name: &String| {
            Zone::named(name).with_context(|| {
                let shown = printable(name);
                format!("--time-zone {shown}: no zone of this name is known here; use one such as UTC or Europe/Zurich")
            })
        };
        Ok(ReadOptions {
            form: self.form.as_deref().map(|word| meaning("--form", word, &Form::ALL)).transpose()?,
            time_unit: self
                .time_unit
                .as_deref()
                .map(|word| meaning("--time-unit", word, &TimeUnit::ALL))
                .transpose()?,
            time_zone: self.time_zone.as_ref().map(zone).transpose()?,
            ignore: self.ignore.clone(),
            key_prefix: self.key_prefix.clone().unwrap_or_default().into_bytes(),
        })
    }
}
