//! `bakeoff completions` and `bakeoff man`: made from the parser of the command line.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_engine::shown;
use clap_complete::Shell;

use crate::cli::command;
use crate::outcome::Outcome;

/// The name that shells complete.
const PROGRAM: &str = "bakeoff";

/// Prints completions for a shell.
///
/// # Errors
/// They cannot be printed.
pub(crate) fn completions(shell: Shell) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), PROGRAM, &mut script);
    std::io::stdout().write_all(&script).context("cannot print")?;
    Ok(Outcome::Good)
}

/// Writes a manual page for each command.
///
/// # Errors
/// There is no such directory, or it cannot be written to.
pub(crate) fn man(directory: &Path) -> Result<Outcome> {
    clap_mangen::generate_to(command().bin_name(PROGRAM), directory)
        .with_context(|| format!("cannot write manual pages to {}", shown(directory)))?;
    print_line!("{0} has the manual pages. Read one with: man -l {0}/{PROGRAM}.1", shown(directory))?;
    Ok(Outcome::Good)
}
