//! Where the results of traces go, and how they are reported.

use std::path::Path;

use anyhow::{Result, bail};
use bakeoff_engine::shown;
use bakeoff_need::trace;
use bakeoff_tape::Import;
use bakeoff_text::{counted, format_size, parse_size, percent, printable, shell_command};
use bakeoff_trace::{ImportOutcome, LaneFacts, Omitted};

/// Refuses a name that something has.
pub(super) fn check_free(out: &Path) -> Result<()> {
    // A link that leads nowhere is there too.
    if out != Path::new("-") && out.symlink_metadata().is_ok() {
        bail!("{} is there already: give another name with --out, or remove it", out.display());
    }
    Ok(())
}

/// The length of values whose length a trace does not tell.
pub(super) fn value_bytes(typed: Option<&str>) -> Result<Option<u64>> {
    let parse = |text: &str| match parse_size(text) {
        Ok(bytes) if bytes <= bakeoff_suite::VALUE_BYTES_MAX => Ok(bytes),
        Ok(_) => bail!("--value-size {text}: give at most {}", format_size(bakeoff_suite::VALUE_BYTES_MAX)),
        Err(why) => bail!("--value-size {text}: {why}"),
    };
    typed.map(parse).transpose()
}

/// What became no operation, a line for each kind.
pub(super) fn notes(omitted: &Omitted, lacks_zone: bool) -> String {
    trace::notes(omitted, lacks_zone).into_iter().map(|note| note + "\n").collect()
}

/// The batches of writes, where there are any.
pub(super) fn describe_commits(commits: u64) -> String {
    match commits {
        0 => String::new(),
        commits => format!(", {}", counted(commits, "commit")),
    }
}

/// What was imported, in words.
pub(super) fn told(out: &Path, imported: &ImportOutcome) -> String {
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
    let with_tape = |verb| format!("{} {}", bakeoff_text::program(), shell_command(&[verb, "--tape", name]));
    let timed = workload.import.as_ref().is_some_and(Import::is_timed);
    let times = if timed { ", with their times" } else { "" };
    let commits = describe_commits(imported.commits);
    let missing = match imported.reads_missing {
        0 => String::new(),
        missing => format!("{} of its reads find nothing.\n", percent(missing as f64 / imported.reads.max(1) as f64)),
    };
    let notes = notes(&imported.omitted, imported.lacks_zone);
    format!(
        "{path}: {}{commits}{times}, {before}{threads}\n{missing}{notes}Now: {}, or {}{where_from}\n",
        counted(imported.operations, "operation"),
        with_tape("run"),
        with_tape("pick")
    )
}
