//! `bakeoff cut --again`: a power cut of an earlier run, made again from its recording.

use std::path::PathBuf;

use anyhow::{Context, Result};
use bakeoff_engine::{CutAgain, PendingWrite, Setup, SuiteSource, cut_again, newest_results};
use bakeoff_text::{counted, format_size, listed, printable};

use crate::cli::{DEFAULT_RESULTS, PowerCutArguments};
use crate::options::{options_of, record_of};
use crate::outcome::Outcome;
use crate::output::REPORTER;

/// Runs the verb.
pub(crate) fn main(arguments: &PowerCutArguments) -> Result<Outcome> {
    let name = Name::read(&arguments.again)?;
    let run = match &arguments.run {
        Some(run) => run.clone(),
        None => newest_results(DEFAULT_RESULTS.as_ref())?,
    };
    let file = record_of(&run)?;
    let setup = Setup::new(&options_of(&file, &run)?, &SuiteSource::of(&file), true, REPORTER)?;
    let parent = arguments.dir.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_RESULTS));
    let cut = cut_again(&setup, &run, (&name.cell, name.round, name.index), &parent)?;
    print_line!("{}: {}", cut.verdict, printable(&cut.message))?;
    if arguments.explain {
        explain(&cut)?;
    }
    Ok(if cut.verdict.is_kept() { Outcome::Good } else { Outcome::SomeFailed })
}

/// A cut's name: cell, round and number.
struct Name {
    cell: String,
    round: u32,
    index: u32,
}

impl Name {
    fn read(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let number = |part: &str| part.parse().ok();
        let read = match parts[..] {
            [cell, round, index] if !cell.is_empty() => {
                number(round).zip(number(index)).map(|(round, index)| (cell, round, index))
            }
            _ => None,
        };
        let (cell, round, index) = read
            .with_context(|| format!("`{text}` is not a cut: give CELL:ROUND:INDEX, as the report lists bad cuts"))?;
        Ok(Self { cell: cell.to_owned(), round, index })
    }
}

/// Prints what was acknowledged and what was pending.
fn explain(cut: &CutAgain) -> Result<()> {
    let (position, all) = cut.position;
    print_line!("cut after {position} of {all} writes and flushes; kept of what was pending: {}", cut.policy)?;
    print_line!("the disk writes {} as a whole", format_size(cut.unit_bytes))?;
    let created = if cut.created { "" } else { "; the store was not created yet" };
    let counts: Vec<String> = cut.acknowledged.iter().map(u64::to_string).collect();
    print_line!("acknowledged writes and commits by thread: {}{created}", listed(&counts))?;
    print_line!("{} pending:", counted(cut.pending.len(), "write"))?;
    for PendingWrite { offset, bytes, files } in &cut.pending {
        let files: Vec<String> = files.iter().map(|file| printable(file)).collect();
        let whose = if files.is_empty() { "the file system's own".to_owned() } else { listed(&files) };
        print_line!("  {bytes} bytes at {offset}: {whose}")?;
    }
    Ok(())
}
