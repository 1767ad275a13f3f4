//! Two runs to compare, or two sides to measure in turn.

use std::path::PathBuf;

use clap::Args;

use crate::cli::suite_arguments::{DEFAULT_RESULTS, SuiteArguments};

#[derive(Args)]
pub(crate) struct CompareArguments {
    /// The run to compare with: its directory, a directory that holds only this run, or its `run --name`. With --run, a driver
    /// program, a suite file or a directory
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,
    /// The run that is compared with it. With --run, another of the same kind
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,
    /// Measure A and B now, in turn, instead of reading two finished runs
    #[arg(long)]
    pub(crate) run: bool,
    #[command(flatten)]
    pub(crate) suite: SuiteArguments,
    /// With --run: the directory on the disk to measure [default: the --out directory]
    #[arg(long, value_name = "DIR", requires = "run")]
    pub(crate) dir: Option<PathBuf>,
    /// Where runs are looked for by name, and with --run where result directories are made
    #[arg(long, value_name = "DIR", default_value = DEFAULT_RESULTS)]
    pub(crate) out: PathBuf,
    /// With --run: end after this time, e.g. 3m
    #[arg(long, value_name = "TIME", requires = "run")]
    pub(crate) budget: Option<String>,
    /// Show everything: tables of all workloads, warnings, and what the runs differ in
    #[arg(long)]
    pub(crate) full: bool,
    /// Show warnings, notes, what failed in B only, and what the runs differ in
    #[arg(long, conflicts_with = "full")]
    pub(crate) notes: bool,
    /// How much worse a figure may be, e.g. worse=5%. The status is 1 only if a figure is worse by more than this beyond doubt
    #[arg(long, value_name = "worse=PERCENT", value_parser = parse_worse)]
    pub(crate) fail_on: Option<f64>,
    /// Write the comparison as Markdown; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write it as one HTML page that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// `worse=5%` or `worse`: the part by which figures may be worse.
fn parse_worse(text: &str) -> Result<f64, String> {
    let help = "give worse=PERCENT, e.g. worse=5%, or worse for any worsening";
    let rest = text.strip_prefix("worse").ok_or_else(|| format!("only worsening can fail: {help}"))?;
    if rest.is_empty() {
        return Ok(0.0);
    }
    let percent = rest.strip_prefix('=').and_then(|rest| rest.strip_suffix('%')).ok_or(help)?;
    let percent: f64 = percent.trim().parse().map_err(|_| format!("`{percent}` is no number: {help}"))?;
    if (0.0..=1e6).contains(&percent) {
        Ok(percent / 100.0)
    } else {
        Err(format!("{percent} % is out of range: {help}"))
    }
}
