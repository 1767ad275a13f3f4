//! What the log of a driver that ended without an event tells.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Whether a JVM found that the driver's jar is none, or its main class, or what that needs, in none of those beside it.
pub(crate) fn lacks_a_jar(log: &str) -> bool {
    let words = [
        "Error: Invalid or corrupt jarfile",
        "Error: Could not find or load main class",
        "Error: Unable to initialize main class",
        "Exception in thread \"main\" java.lang.NoClassDefFoundError",
    ];
    log.lines().any(|line| words.iter().any(|words| line.starts_with(words)))
}

/// Why a JVM did not start, by its log: its own words, and the variables whose options it took up, one of which may be what it does not take.
pub fn jvm_start_failure(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let at = |words: &str| lines.iter().position(|line| line.starts_with(words));
    let why = match at("Error occurred during initialization of") {
        Some(at) => lines.get(at + 1)?,
        None => match at("Error: Could not create the Java Virtual Machine") {
            Some(at) => lines.get(at.checked_sub(1)?)?,
            // Its launcher refused something before there was a virtual machine.
            None => {
                lines.iter().find(|line| !line.contains("Picked up ")).filter(|line| line.starts_with("Error: "))?
            }
        },
    };
    let taken_up = lines.iter().filter_map(|line| line.trim_start_matches("NOTE: ").strip_prefix("Picked up "));
    let variables: Vec<_> = taken_up.map(|line| line.replacen(": ", "=", 1)).collect();
    let blame = if variables.is_empty() {
        String::new()
    } else {
        format!(
            "; it had options from the environment, {}: mend or unset what it does not take",
            variables.join(" and ")
        )
    };
    Some(format!("{why}{blame}"))
}

/// What a log says of a process's end: what the report of a JVM that died has at its top, else the last line.
pub(crate) fn cause_of_death(log: &str) -> &str {
    let of_jvm = ["#  SIG", "#  Internal Error", "#  Out of Memory Error"];
    let cause = log.lines().find(|line| of_jvm.iter().any(|words| line.starts_with(words)));
    let last = || log.lines().rev().find(|line| !line.trim().is_empty());
    cause.or_else(last).unwrap_or_default().trim_start_matches(['#', ' '])
}

/// The end of a log.
pub(crate) fn last_bytes(path: &Path, bytes: u64) -> String {
    let Ok(mut file) = File::open(path) else { return String::new() };
    let length = file.metadata().map_or(0, |facts| facts.len());
    let mut text = Vec::new();
    let _ = file.seek(SeekFrom::Start(length.saturating_sub(bytes))).and_then(|_| file.read_to_end(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}
