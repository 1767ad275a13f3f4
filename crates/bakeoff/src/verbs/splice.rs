//! `bakeoff splice`: puts the output of commands into documents, so that no document shows what bakeoff does not print.
//!
//! A mark before a block of code has the command: `<!-- spliced: bakeoff report docs/runs/notes | head -8 -->`. A first line of the block that
//! begins with `$ ` is what a reader would type, and stays.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use bakeoff_engine::shown;
use bakeoff_files::replace_file;

use crate::cli::SpliceArguments;
use crate::outcome::Outcome;

const BEGIN: &str = "<!-- spliced: ";
const END: &str = " -->";
const FENCE: &str = "```";

/// Runs the verb.
pub(crate) fn main(arguments: &SpliceArguments) -> Result<Outcome> {
    let mut outcome = Outcome::Good;
    for path in &arguments.files {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", shown(path)))?;
        let fresh = spliced(&text).with_context(|| shown(path))?;
        if fresh == text {
            continue;
        }
        if arguments.check {
            tell!("{} shows what bakeoff does not print: run `bakeoff splice {0}`", shown(path));
            outcome = Outcome::SomeFailed;
        } else {
            replace_file(path, fresh.as_bytes())?;
            print_line!("{}", shown(path))?;
        }
    }
    Ok(outcome)
}

/// The document with what its commands print now.
fn spliced(text: &str) -> Result<String> {
    let mut fresh = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        fresh += line;
        let mark = line.trim_end().strip_prefix(BEGIN);
        let Some(command) = mark.and_then(|rest| rest.strip_suffix(END)) else { continue };
        let fence = lines.next().filter(|next| next.starts_with(FENCE));
        fresh += fence.with_context(|| format!("no block of code follows the mark of `{command}`"))?;
        let block: Vec<&str> = lines.by_ref().take_while(|next| next.trim_end() != FENCE).collect();
        fresh.push_str(block.first().filter(|first| first.starts_with("$ ")).unwrap_or(&""));
        fresh += &output_of(command)?;
        fresh += FENCE;
        fresh += "\n";
    }
    Ok(fresh)
}

/// What a command prints on standard output, in which `bakeoff` is this program.
fn output_of(command: &str) -> Result<String> {
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let own = program.parent().unwrap_or(Path::new(".")).to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path)))?;
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .env("PATH", path)
        .env_remove("BAKEOFF_SCRIPT")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let ended = shell.output().with_context(|| format!("cannot run `{command}`"))?;
    ensure!(ended.status.success() && !ended.stdout.is_empty(), "`{command}` failed, or printed nothing");
    let text = String::from_utf8(ended.stdout).with_context(|| format!("`{command}` prints no text"))?;
    Ok(format!("{}\n", text.trim_end()))
}
