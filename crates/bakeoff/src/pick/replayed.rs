//! A trace that a workload drawn from its figures would not represent: `pick --trace` replays it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::pick::Need;
use bakeoff_engine::{Readers, shown};
use bakeoff_need::Typed;
use bakeoff_need::trace::sentence;
use bakeoff_tape::TapeError;
use bakeoff_text::paragraph;
use bakeoff_trace::{ImportOptions, Summary, TraceError};

use crate::cli::PickArguments;
use crate::new_tape::{WARM_UP_OPERATIONS, import_into, name_of};
use crate::output::columns;

/// Why the workload is drawn from the figures of a trace, though these do not represent it.
enum Drawn {
    /// Something was typed that a tape does not leave open.
    Typed(String),
    /// It can be read only once.
    Piped,
    /// A tape cannot be made of it.
    NotImported(String),
}

/// The tape of the trace, where a workload drawn from its figures would not represent it; what it would lack is said. `None` where the trace is
/// represented, and where it cannot be replayed, which is said too.
pub(crate) fn tape_of(
    arguments: &PickArguments,
    summary: Option<&Summary>,
    typed: &Typed,
    need: &Need,
) -> Result<Option<PathBuf>> {
    let (Some(trace), Some(summary)) = (&arguments.trace, summary) else { return Ok(None) };
    let lacking: Vec<String> = summary.misfits().into_iter().map(sentence).collect();
    if lacking.is_empty() {
        return Ok(None);
    }
    say(trace, &format!("{} A workload drawn from figures lacks that.", lacking.join(" ")));
    let made = match typed.first_of_a_tape() {
        Some(place) => Err(Drawn::Typed(place)),
        None if !trace.is_file() => Err(Drawn::Piped),
        None => made_tape(arguments, trace, need)?,
    };
    match &made {
        Ok(tape) => say(trace, &format!("So the trace itself is replayed, as with --tape {}.", shown(tape))),
        Err(why) => say(trace, &drawn(why)),
    }
    Ok(made.ok())
}

fn say(trace: &Path, what: &str) {
    tell!("{}", paragraph(&format!("bakeoff: {}: {what}", shown(trace)), columns(), "", "  ").trim_end());
}

fn drawn(why: &Drawn) -> String {
    match why {
        Drawn::Typed(place) => {
            format!("It is drawn all the same, as {place} changes it: leave that out, and the trace is replayed.")
        }
        Drawn::Piped => {
            "It is drawn all the same, as the trace can be read only once: give a file, and the trace is replayed."
                .to_owned()
        }
        Drawn::NotImported(why) => format!("It is drawn all the same, as the trace cannot be replayed: {why}"),
    }
}

/// Makes a tape next to the results.
fn made_tape(arguments: &PickArguments, trace: &Path, need: &Need) -> Result<Result<PathBuf, Drawn>> {
    let options = ImportOptions {
        read: arguments.read.options()?,
        data: need.data,
        seed: need.seed,
        warm_up_operations: Some(WARM_UP_OPERATIONS),
        ..ImportOptions::default()
    };
    let out = &arguments.out;
    std::fs::create_dir_all(out).with_context(|| format!("cannot make the directory {}", shown(out)))?;
    Readers::Owner.hold();
    let tape = free_name(&out.join(name_of(trace)))?;
    match import_into(trace, &tape, &options) {
        Ok(_) => Ok(Ok(tape)),
        Err(why) => match why.downcast_ref::<TraceError>() {
            None | Some(TraceError::Tape(TapeError::Stopped)) => Err(why),
            Some(cause) => Ok(Err(Drawn::NotImported(cause.to_string()))),
        },
    }
}

/// The name, or it with a number where something has it.
fn free_name(wanted: &Path) -> Result<PathBuf> {
    let numbered = |number: u32| match number {
        1 => wanted.to_owned(),
        number => wanted.with_extension(format!("{number}.tape")),
    };
    match (1..1_000).map(numbered).find(|path| path.symlink_metadata().is_err()) {
        Some(path) => Ok(path),
        None => bail!("{} and 999 numbered ones are there: remove some, or give another --out", shown(wanted)),
    }
}
