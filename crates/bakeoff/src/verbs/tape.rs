//! `bakeoff tape`: look into tapes and traces, and make tapes of traces.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Kind, OwnDirectory, Watch, kind_of, shown};
use bakeoff_tape::{Data, Import};
use bakeoff_text::{counted, format_size, parse_size, printable, shell_command};
use bakeoff_trace::{Form, ImportOptions, ImportOutcome, LaneFacts, Summary, TimeUnit, import};

use crate::cli::{ImportArguments, TapeArguments, TapeVerb};
use crate::outcome::Outcome;
use crate::output::REPORTER;
use crate::pick::trace;
use crate::pick::word::meaning;

/// Operations of the small tape that drivers are warmed up with.
const WARM_UP_OPERATIONS: u64 = 10_000;

/// Runs the verb.
pub(crate) fn main(arguments: &TapeArguments) -> Result<Outcome> {
    match &arguments.verb {
        TapeVerb::Summary { file, form, time_unit } => {
            show_summary(file, form.as_deref(), trace::time_unit(time_unit.as_deref())?)
        }
        TapeVerb::Show { file, form, summary: true, .. } => show_summary(file, form.as_deref(), None),
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
        writeln!(out, "{space}phase       {} ({})", phase.name, shown(&phase.path)).context("cannot print the tape")?;
        bakeoff_tape::show(&phase.path, out, Some(limit))?;
    }
    Ok(())
}

fn show_summary(path: &Path, word: Option<&str>, unit: Option<TimeUnit>) -> Result<Outcome> {
    print_text!("{}", trace::describe(&summary(path, form(word)?, unit)?))?;
    Ok(Outcome::Good)
}

fn summary(path: &Path, form: Option<Form>, unit: Option<TimeUnit>) -> Result<Summary> {
    if !path.is_dir() {
        return trace::read(path, form, unit);
    }
    let (_, recording) = bakeoff_tape::open_import(path)?;
    trace::summary_of_tape(&recording)
}

fn import_trace(arguments: &ImportArguments) -> Result<Outcome> {
    let trace = &arguments.file;
    let out = arguments.out.clone().unwrap_or_else(|| name_of(trace));
    // A link that leads nowhere is there too.
    if out.symlink_metadata().is_ok() {
        bail!("{} is there already: give another name with --out, or remove it", out.display());
    }
    let options = options(arguments)?;
    let watch = Watch::begin(REPORTER)?;
    let directory = work_directory(&out)?;
    let imported = match import(trace, directory.path(), &options, &|progress| watch.hear(progress)) {
        Ok(imported) => imported,
        Err(why) => {
            directory.remove()?;
            return Err(why).with_context(|| format!("cannot import {}", trace.display()));
        }
    };
    drop(watch);
    directory.keep_as(&out)?;
    print_text!("{}", told(&out, &imported))?;
    Ok(Outcome::Good)
}

/// What a tape is called after its trace, which has no name of its own if it comes through a pipe.
fn name_of(trace: &Path) -> PathBuf {
    let is_compressed = trace.extension().is_some_and(|end| ["gz", "zst"].iter().any(|known| end == *known));
    let trace = if is_compressed { trace.with_extension("") } else { trace.to_owned() };
    match trace.with_extension("tape").file_name() {
        Some(name) if !trace.starts_with("-") && !trace.starts_with("/dev") && !trace.starts_with("/proc") => {
            name.into()
        }
        _ => PathBuf::from("trace.tape"),
    }
}

/// The form that a word names.
fn form(word: Option<&str>) -> Result<Option<Form>> {
    let Some(word) = word else { return Ok(None) };
    meaning("--form", word, &Form::ALL).map(Some)
}

fn options(arguments: &ImportArguments) -> Result<ImportOptions> {
    let value_bytes = arguments.value_size.as_deref().map(|text| match parse_size(text) {
        Ok(bytes) if bytes <= bakeoff_suite::VALUE_BYTES_MAX => Ok(bytes),
        Ok(_) => bail!("--value-size {text}: give at most {}", format_size(bakeoff_suite::VALUE_BYTES_MAX)),
        Err(why) => bail!("--value-size {text}: {why}"),
    });
    let data = meaning("--data", &arguments.data, &Data::ALL.map(|data| (data.name(), data)))?;
    Ok(ImportOptions {
        form: form(arguments.form.as_deref())?,
        time_unit: trace::time_unit(arguments.time_unit.as_deref())?,
        threads: arguments.threads,
        anonymize: arguments.anonymize,
        value_bytes: value_bytes.transpose()?,
        data,
        seed: arguments.seed,
        warm_up_operations: Some(WARM_UP_OPERATIONS),
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
    if path.symlink_metadata().is_ok() {
        bail!("{} is there already, and an import makes it: move it away, or give another --out", shown(&path));
    }
    OwnDirectory::create(&path, Kind::Scratch)
}

fn told(out: &Path, imported: &ImportOutcome) -> String {
    let (path, workload) = (shown(out), &imported.workload);
    let before = match imported.loaded {
        0 => "into an empty store".to_owned(),
        loaded => format!("after loading {} that it found", counted(loaded, "record")),
    };
    let threads = match imported.lanes {
        LaneFacts::One => String::new(),
        LaneFacts::Threads(count) => format!(", on {count} threads as in the trace"),
        LaneFacts::Dealt(count) => format!(", on {count} threads to which keys were dealt"),
    };
    // A name that would steer the terminal is not shown as it is, and so could not be pasted.
    let name = out.to_string_lossy();
    let (name, where_from) =
        if printable(&name) == name { (&*name, "") } else { ("TAPE", ", with that path for TAPE") };
    let with_tape = |verb| shell_command(&["bakeoff", verb, "--tape", name]);
    let timed = workload.import.as_ref().is_some_and(Import::is_timed);
    let times = if timed { ", with their times" } else { "" };
    format!(
        "{path}: {}{times}, {before}{threads}\nNow: {}, or {}{where_from}\n",
        counted(imported.operations, "operation"),
        with_tape("run"),
        with_tape("pick")
    )
}
