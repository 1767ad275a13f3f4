//! What `bakeoff check-driver` takes.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct CheckDriverArguments {
    /// The driver's executable
    #[arg(value_name = "PROGRAM", required_unless_present = "list")]
    pub(crate) program: Option<PathBuf>,
    /// The store to check [default: all]
    #[arg(value_name = "STORE")]
    pub(crate) store: Option<String>,
    /// Print each rule's name and what it says, and stop
    #[arg(long, conflicts_with_all = ["program", "rule", "keep", "dir"])]
    pub(crate) list: bool,
    /// Check this rule alone; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) rule: Vec<String>,
    /// Make this directory, and keep requests, tapes and logs in it
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Where stores are made and removed again [default: TMPDIR, or /tmp]
    #[arg(long, value_name = "DIR", conflicts_with = "keep")]
    pub(crate) dir: Option<PathBuf>,
}
