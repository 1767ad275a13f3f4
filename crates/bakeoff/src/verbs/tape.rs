//! `bakeoff tape`: look into tapes and traces, and make tapes of traces.

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_suite::{did_you_mean, format_count, format_size, parse_size};
use bakeoff_tape::{Data, Import};
use bakeoff_trace::{ImportOptions, Imported, LaneFacts, Summary, TraceError, import};

use crate::Outcome;
use crate::cli::{ImportArguments, TapeArguments, TapeVerb};
use crate::engine::interrupt::Interrupt;
use crate::engine::replayed::WARM_UP_DIRECTORY;
use crate::files::{Kind, OwnDirectory, kind_of};
use crate::pick::trace;

/// Operations of the small tape that drivers are warmed up with.
const WARM_UP_OPERATIONS: u64 = 10_000;

/// Runs the verb.
pub(crate) fn main(arguments: &TapeArguments) -> Result<Outcome> {
    match &arguments.verb {
        TapeVerb::Summary { file } | TapeVerb::Show { file, summary: true, .. } => {
            anstream::print!("{}", trace::words(&summary(file)?));
            Ok(Outcome::Good)
        }
        TapeVerb::Show { file, limit, .. } => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            show(file, &mut out, *limit)?;
            out.flush().context("cannot print the tape")?;
            Ok(Outcome::Good)
        }
        TapeVerb::Import(arguments) => import_trace(arguments),
    }
}

/// A tape, or all tapes of an import with their names.
fn show(path: &Path, out: &mut dyn Write, limit: u64) -> Result<()> {
    if !path.is_dir() {
        return Ok(bakeoff_tape::show(path, out, Some(limit))?);
    }
    let (_, recording) = bakeoff_tape::open_import(path)?;
    for (number, phase) in recording.phases.iter().enumerate() {
        let space = if number > 0 { "\n" } else { "" };
        writeln!(out, "{space}phase       {} ({})", phase.name, phase.path.display())
            .context("cannot print the tape")?;
        bakeoff_tape::show(&phase.path, out, Some(limit))?;
    }
    Ok(())
}

fn summary(path: &Path) -> Result<Summary> {
    if !path.is_dir() {
        return trace::read(path, None);
    }
    let (_, recording) = bakeoff_tape::open_import(path)?;
    trace::summary_of_tape(&recording)
}

fn import_trace(arguments: &ImportArguments) -> Result<Outcome> {
    let trace = &arguments.file;
    let out = arguments.out.clone().unwrap_or_else(|| {
        PathBuf::from(
            trace.with_extension("tape").file_name().map_or_else(|| OsString::from("trace.tape"), OsString::from),
        )
    });
    if out.exists() {
        bail!("{} is there already: give another name with --out, or remove it", out.display());
    }
    let options = options(arguments)?;
    let interrupt = Interrupt::install()?;
    let directory = work_directory(&out)?;
    let imported = match import_into(directory.path(), trace, &options, &interrupt) {
        Ok(imported) => imported,
        Err(why) => {
            directory.remove()?;
            if matches!(why, TraceError::Stopped) {
                return Ok(Outcome::Interrupted);
            }
            return Err(why).with_context(|| format!("cannot import {}", trace.display()));
        }
    };
    directory.keep_as(&out)?;
    anstream::print!("{}", told(&out, &imported));
    Ok(Outcome::Good)
}

fn options(arguments: &ImportArguments) -> Result<ImportOptions> {
    let value_bytes = arguments.value_size.as_deref().map(|text| match parse_size(text) {
        Ok(bytes) if bytes <= bakeoff_suite::VALUE_BYTES_MAX => Ok(bytes),
        Ok(_) => bail!("--value-size {text}: give at most {}", format_size(bakeoff_suite::VALUE_BYTES_MAX)),
        Err(why) => bail!("--value-size {text}: {why}"),
    });
    let names = Data::ALL.map(Data::name);
    let word = arguments.data.as_str();
    let Some(data) = Data::ALL.into_iter().find(|data| data.name() == word) else {
        bail!("--data: unknown type `{word}`{}; use {}", did_you_mean(word, &names), names.join(", "));
    };
    Ok(ImportOptions {
        form: None,
        threads: arguments.threads,
        anonymize: arguments.anonymize,
        value_bytes: value_bytes.transpose()?,
        data,
        seed: arguments.seed,
        operations_max: None,
    })
}

/// A directory beside the one to be made, so that nobody ever sees half of a tape. One that a killed import left is removed.
fn work_directory(out: &Path) -> Result<OwnDirectory> {
    let mut name = out.as_os_str().to_owned();
    name.push(".part");
    let path = PathBuf::from(name);
    if kind_of(&path) == Some(Kind::Scratch) {
        OwnDirectory::open(&path, Kind::Scratch)?.remove()?;
    }
    OwnDirectory::create(&path, Kind::Scratch)
}

/// Imports the whole, and the beginning of it once more by itself, for warming up.
fn import_into(
    directory: &Path,
    trace: &Path,
    options: &ImportOptions,
    interrupt: &Interrupt,
) -> Result<Imported, TraceError> {
    let go_on = &mut |_| if interrupt.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let imported = import(trace, directory, options, go_on)?;
    if imported.operations > WARM_UP_OPERATIONS {
        let warm_up = directory.join(WARM_UP_DIRECTORY);
        std::fs::create_dir(&warm_up)?;
        // With as many threads, whatever they are in so small a part.
        let threads = Some(imported.workload.lanes);
        import(
            trace,
            &warm_up,
            &ImportOptions { operations_max: Some(WARM_UP_OPERATIONS), threads, ..*options },
            go_on,
        )?;
    }
    Ok(imported)
}

fn told(out: &Path, imported: &Imported) -> String {
    let (path, workload) = (out.display(), &imported.workload);
    let before = match imported.loaded {
        0 => "into an empty store".to_owned(),
        loaded => format!("after loading {} records that it found", format_count(loaded)),
    };
    let threads = match imported.lanes {
        LaneFacts::One => String::new(),
        LaneFacts::Threads(count) => format!(", on {count} threads as in the trace"),
        LaneFacts::Dealt(count) => format!(", on {count} threads to which keys were dealt"),
    };
    let timed = workload.import.as_ref().is_some_and(Import::is_timed);
    let times = if timed { ", with their times" } else { "" };
    format!(
        "{path}: {} operations{times}, {before}{threads}\nNow: bakeoff run --tape {path}, or bakeoff pick --tape {path}\n",
        format_count(imported.operations)
    )
}
