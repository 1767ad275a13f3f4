//! `tape export`, `anonymize`, `cut` and `merge`: a trace made of others, as a table or as a tape.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Watch, shown};
use bakeoff_limits::spawn_in;
use bakeoff_need::meaning;
use bakeoff_tape::{Data, Progress};
use bakeoff_text::{UnitError, counted, parse_count, parse_duration};
use bakeoff_trace::{
    Cut, Form, ImportOptions, Input, Merge, OnProgress, Privacy, RewriteOptions, Rewritten, TableForm, Trace,
    TraceError, count_operations, import_trace, rewrite,
};

use super::output::{check_free, describe_commits, notes, told, value_bytes};
use crate::cli::{AnonymizeArguments, CutArguments, ExportArguments, MergeArguments, RewriteArguments};
use crate::new_tape::{WARM_UP_OPERATIONS, part_of, work_directory};
use crate::outcome::Outcome;
use crate::output::REPORTER;

/// Where the result goes.
enum Target {
    StandardOutput,
    Table(TableForm),
    Tape,
}

impl Target {
    fn of(out: &Path) -> Self {
        match out.extension().and_then(|end| end.to_str()) {
            _ if out == Path::new("-") => Self::StandardOutput,
            Some("csv") => Self::Table(TableForm::Csv),
            Some("parquet") => Self::Table(TableForm::Parquet),
            _ => Self::Tape,
        }
    }
}

pub(super) fn export(arguments: &ExportArguments) -> Result<Outcome> {
    if let Target::Tape = Target::of(&arguments.write.out) {
        let out = shown(&arguments.write.out);
        bail!("--out {out}: `tape export` writes tables: give a name ending in .csv or .parquet, or -");
    }
    make(std::slice::from_ref(&arguments.file), RewriteOptions::default(), &arguments.write)
}

pub(super) fn anonymize(arguments: &AnonymizeArguments) -> Result<Outcome> {
    let privacy = match &arguments.salt {
        Some(salt) if salt.is_empty() => bail!("--salt is empty: give a secret, or leave it out for a random one"),
        Some(salt) => Privacy::Salt(salt.clone().into_bytes()),
        None => Privacy::Random,
    };
    make(
        std::slice::from_ref(&arguments.file),
        RewriteOptions { privacy, ..RewriteOptions::default() },
        &arguments.write,
    )
}

pub(super) fn cut(arguments: &CutArguments) -> Result<Outcome> {
    let count = |flag: &str, text: &str| match parse_count(text) {
        Ok(0) => bail!("{flag} {text}: give at least 1"),
        Ok(count) => Ok(count),
        Err(why) => bail!("{flag} {text}: {why}"),
    };
    let seconds = |flag: &str, text: Option<&str>, otherwise: f64| -> Result<f64> {
        let wrong = |why: UnitError| anyhow::anyhow!("{flag} {}: {why}", text.unwrap_or_default());
        text.map_or(Ok(otherwise), |text| Ok(parse_duration(text).map_err(wrong)?.as_secs_f64()))
    };
    let file = &arguments.file;
    let cut = if let Some(first) = &arguments.first {
        Cut { take: Some(count("--first", first)?), ..Cut::default() }
    } else if let Some(last) = &arguments.last {
        let last = count("--last", last)?;
        if file == Path::new("-") {
            bail!("--last reads the trace twice, and standard input can be read once: give a file");
        }
        let read = arguments.write.read.options()?;
        let watch = Watch::begin(REPORTER)?;
        let hear = |progress: Progress<'_>| watch.hear(progress);
        let all = Trace::open(file, &read, &hear)
            .and_then(|trace| count_operations(trace, &hear))
            .with_context(|| format!("cannot read {}", shown(file)))?;
        Cut { skip: all.saturating_sub(last), ..Cut::default() }
    } else {
        let window = (
            seconds("--from", arguments.from.as_deref(), 0.0)?,
            seconds("--to", arguments.to.as_deref(), f64::INFINITY)?,
        );
        if window.0 >= window.1 {
            bail!(
                "--from is not before --to: no operation can be between them. Give an earlier --from, or a later --to"
            );
        }
        Cut { window_s: Some(window), ..Cut::default() }
    };
    make(std::slice::from_ref(file), RewriteOptions { cut, ..RewriteOptions::default() }, &arguments.write)
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<Outcome> {
    let merge = meaning("--by", &arguments.by, &[("time", Merge::ByTime), ("turns", Merge::InTurn)])?;
    make(
        &arguments.files,
        RewriteOptions { merge, apart: arguments.apart, ..RewriteOptions::default() },
        &arguments.write,
    )
}

/// Makes a trace of traces, and says what was made.
fn make(files: &[PathBuf], options: RewriteOptions, write: &RewriteArguments) -> Result<Outcome> {
    let out = &write.out;
    check_free(out)?;
    let options = RewriteOptions { value_bytes: value_bytes(write.value_size.as_deref())?, ..options };
    let read = write.read.options()?;
    let watch = Watch::begin(REPORTER)?;
    let hear = |progress: Progress<'_>| watch.hear(progress);
    let open = |file: &PathBuf| Trace::open(file, &read, &hear).with_context(|| format!("cannot read {}", shown(file)));
    let traces = files.iter().map(open).collect::<Result<Vec<_>>>()?;
    let names: Vec<_> = files.iter().map(|file| shown(file)).collect();
    let failed = || format!("cannot make {} of {}", shown(out), names.join(" and "));
    match Target::of(out) {
        Target::StandardOutput => {
            rewrite(traces, &options, (TableForm::Csv, Box::new(BufWriter::new(std::io::stdout()))), &hear)
                .with_context(failed)?;
        }
        Target::Table(form) => {
            let part = part_of(out);
            check_free(&part)?;
            let file = File::create_new(&part).with_context(|| format!("cannot make {}", shown(&part)))?;
            let file = BufWriter::with_capacity(1 << 18, file);
            let written = rewrite(traces, &options, (form, Box::new(file)), &hear);
            let written = match written {
                Ok(written) => written,
                Err(why) => {
                    std::fs::remove_file(&part).with_context(|| format!("cannot remove {}", shown(&part)))?;
                    return Err(why).with_context(failed);
                }
            };
            std::fs::rename(&part, out).with_context(|| format!("cannot name {}", shown(out)))?;
            drop(watch);
            print_text!("{}", told_of_table(out, &written))?;
        }
        Target::Tape => {
            let data = files.first().and_then(|file| bakeoff_tape::open_import(file).ok());
            let data = data.map_or(Data::Text, |(workload, _)| workload.data);
            let directory = work_directory(out)?;
            let made = make_tape(traces, (&options, data), directory.path(), &hear);
            let (written, mut imported) = match made {
                Ok(made) => made,
                Err(why) => {
                    directory.remove()?;
                    return Err(why).with_context(failed);
                }
            };
            drop(watch);
            directory.keep_as(out)?;
            (imported.omitted, imported.lacks_zone) = (written.omitted, written.lacks_zone);
            print_text!("{}", told(out, &imported))?;
        }
    }
    Ok(Outcome::Good)
}

/// Makes the table and imports it at the same time.
fn make_tape(
    traces: Vec<Trace<Input<'_>>>,
    (options, data): (&RewriteOptions, Data),
    directory: &Path,
    progress: OnProgress<'_>,
) -> Result<(Rewritten, bakeoff_trace::ImportOutcome)> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let import_options = ImportOptions {
        read: Form::Csv.into(),
        data,
        warm_up_operations: Some(WARM_UP_OPERATIONS),
        ..ImportOptions::default()
    };
    std::thread::scope(|scope| {
        let out: Box<dyn Write + Send> = Box::new(BufWriter::with_capacity(1 << 16, writer));
        let written = spawn_in(scope, || rewrite(traces, options, (TableForm::Csv, out), progress))?;
        let imported = Trace::new(reader, &import_options.read)
            .and_then(|trace| import_trace(trace, directory, &import_options, progress));
        let written = written.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match (written, imported) {
            // That the pipe broke is what the other's mistake did.
            (Err(TraceError::Write(_)), Err(why)) | (Err(why), _) | (Ok(_), Err(why)) => Err(why.into()),
            (Ok(written), Ok(imported)) => Ok((written, imported)),
        }
    })
}

fn told_of_table(out: &Path, written: &Rewritten) -> String {
    let before = match written.loaded {
        0 => "into an empty store".to_owned(),
        loaded => format!("after {} that were there", counted(loaded, "record")),
    };
    let notes = notes(&written.omitted, written.lacks_zone);
    let commits = describe_commits(written.commits);
    format!("{}: {}{commits}, {before}\n{notes}", shown(out), counted(written.operations, "operation"))
}
