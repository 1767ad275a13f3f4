//! `bakeoff tape`: look into tapes and traces, and make tapes of traces.

mod output;
mod rewrite;

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_engine::{Readers, shown};
use bakeoff_need::{meaning, trace};
use bakeoff_tape::Data;
use bakeoff_trace::{ImportOptions, ReadOptions, Summary};

use crate::cli::{ImportArguments, TapeArguments, TapeVerb, TraceArguments};
use crate::new_tape::{WARM_UP_OPERATIONS, import_into, name_of};
use crate::outcome::Outcome;
use crate::output::REPORTER;
use output::{check_free, told, value_bytes};

/// Runs the verb.
pub(crate) fn main(arguments: &TapeArguments) -> Result<Outcome> {
    // Keys and times of an application are its owner's.
    Readers::Owner.hold();
    match &arguments.verb {
        TapeVerb::Summary { file, read } => show_summary(file, read),
        TapeVerb::Show { file, form, summary: true, .. } => {
            show_summary(file, &TraceArguments { form: form.clone(), ..TraceArguments::default() })
        }
        TapeVerb::Show { file, limit, .. } => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            show(file, &mut out, *limit)?;
            out.flush().context("cannot print the tape")?;
            Ok(Outcome::Good)
        }
        TapeVerb::Import(arguments) => import_trace(arguments),
        TapeVerb::Export(arguments) => rewrite::export(arguments),
        TapeVerb::Anonymize(arguments) => rewrite::anonymize(arguments),
        TapeVerb::Cut(arguments) => rewrite::cut(arguments),
        TapeVerb::Merge(arguments) => rewrite::merge(arguments),
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

fn show_summary(path: &Path, read: &TraceArguments) -> Result<Outcome> {
    print_text!("{}", trace::describe(&summary(path, &read.options()?)?))?;
    Ok(Outcome::Good)
}

fn summary(path: &Path, options: &ReadOptions) -> Result<Summary> {
    if !path.is_dir() {
        return trace::read(path, options, REPORTER);
    }
    let (_, recording) = bakeoff_tape::open_import(path)?;
    trace::summary_of_tape(&recording, REPORTER)
}

fn import_trace(arguments: &ImportArguments) -> Result<Outcome> {
    let trace = &arguments.file;
    let out = arguments.out.clone().unwrap_or_else(|| name_of(trace));
    check_free(&out)?;
    let options = options(arguments)?;
    let imported = import_into(trace, &out, &options)?;
    print_text!("{}", told(&out, &imported))?;
    Ok(Outcome::Good)
}

fn options(arguments: &ImportArguments) -> Result<ImportOptions> {
    let data = meaning("--data", &arguments.data, &Data::ALL.map(|data| (data.name(), data)))?;
    Ok(ImportOptions {
        read: arguments.read.options()?,
        threads: arguments.threads,
        anonymize: arguments.anonymize,
        value_bytes: value_bytes(arguments.value_size.as_deref())?,
        data,
        seed: arguments.seed,
        warm_up_operations: Some(WARM_UP_OPERATIONS),
    })
}
