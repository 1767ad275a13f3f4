//! The log of a driver: bounded, and the evidence of why a driver ended without an event.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_files::open_without_links;
use bakeoff_text::format_size;
use rustix::fs::{MemfdFlags, memfd_create};

/// The longest log that a driver may write.
const LOG_BYTES_MAX: u64 = 16 << 20;

/// How much of a longer one is kept, at its beginning and at its end.
const KEPT_BYTES: u64 = 1 << 20;

/// The file that a driver's standard error goes to.
pub(crate) struct Log {
    file: File,
}

impl Log {
    /// Opens it. With `goes_on` it is appended to, otherwise it begins anew.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn open(path: &Path, goes_on: bool) -> Result<Self> {
        if let Some(logs) = path.parent() {
            std::fs::create_dir_all(logs).with_context(|| format!("cannot make the directory {}", logs.display()))?;
        }
        let mut options = File::options();
        let options = options.create(true).read(true).append(goes_on).write(true).truncate(!goes_on);
        let file =
            open_without_links(path, options).with_context(|| format!("cannot make the log {}", path.display()))?;
        Ok(Self { file })
    }

    /// A log in memory, for a driver whose messages are not kept.
    ///
    /// # Errors
    /// Too many files are open.
    pub(crate) fn in_memory() -> Result<Self> {
        let file = memfd_create("bakeoff-log", MemfdFlags::CLOEXEC).context("cannot make a log in memory")?;
        Ok(Self { file: file.into() })
    }

    /// The file for the driver.
    ///
    /// # Errors
    /// Too many files are open.
    pub(crate) fn for_driver(&self) -> Result<File> {
        self.file.try_clone().context("cannot open the log twice")
    }

    /// That the driver has written too much, in words; `None` as long as it has not.
    pub(crate) fn overflow(&self) -> Option<String> {
        self.is_too_long().then(|| {
            format!(
                "the driver wrote more than {} to its log (standard error): its first and last {} are kept",
                format_size(LOG_BYTES_MAX),
                format_size(KEPT_BYTES)
            )
        })
    }

    /// Leaves only the beginning and the end of a log that is too long. Nobody may write to it any
    /// more.
    pub(crate) fn cut(&mut self) {
        if self.is_too_long() {
            // A log that cannot be cut stays as it is.
            let _ = self.leave_out_middle();
        }
    }

    /// Its end.
    pub(crate) fn last_bytes(&self, bytes: u64) -> String {
        let from = self.file.metadata().map_or(0, |facts| facts.len()).saturating_sub(bytes);
        let mut text = vec![0; usize::try_from(bytes).unwrap_or_default()];
        // The driver may share the place in the file, which stays as it is.
        let read = self.file.read_at(&mut text, from).unwrap_or(0);
        String::from_utf8_lossy(&text[..read]).into_owned()
    }

    fn is_too_long(&self) -> bool {
        self.file.metadata().is_ok_and(|facts| facts.len() > LOG_BYTES_MAX)
    }

    fn leave_out_middle(&mut self) -> io::Result<()> {
        let bytes = self.file.metadata()?.len();
        let mut end = Vec::new();
        self.file.seek(SeekFrom::Start(bytes - KEPT_BYTES))?;
        (&self.file).take(KEPT_BYTES).read_to_end(&mut end)?;
        self.file.set_len(KEPT_BYTES)?;
        self.file.seek(SeekFrom::Start(KEPT_BYTES))?;
        write!(self.file, "\n[bakeoff left out {} bytes here]\n", bytes - 2 * KEPT_BYTES)?;
        self.file.write_all(&end)
    }
}

/// Whether a JVM could not read the driver's jar, or found its main class, or a class that this needs, in none of the
/// jars.
pub(crate) fn lacks_a_jar(log: &str) -> bool {
    let words = [
        "Error: Invalid or corrupt jarfile",
        "Error: Could not find or load main class",
        "Error: Unable to initialize main class",
        "Exception in thread \"main\" java.lang.NoClassDefFoundError",
    ];
    log.lines().any(|line| words.iter().any(|words| line.starts_with(words)))
}

/// Why a JVM did not start, by its log: its own message, and the variables with options that it used, one of which may
/// be wrong.
pub(crate) fn jvm_start_failure(log: &str) -> Option<String> {
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
            "; it had options from the environment, {}: fix or unset what it does not take",
            variables.join(" and ")
        )
    };
    Some(format!("{why}{blame}"))
}

/// What a log says of a process's end: what the report of a JVM that died has at its top, else the
/// last line.
pub(crate) fn cause_of_death(log: &str) -> &str {
    let of_jvm = ["#  SIG", "#  Internal Error", "#  Out of Memory Error"];
    let cause = log.lines().find(|line| of_jvm.iter().any(|words| line.starts_with(words)));
    let last = || log.lines().rev().find(|line| !line.trim().is_empty());
    cause.or_else(last).unwrap_or_default().trim_start_matches(['#', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_too_long_keeps_its_beginning_and_its_end() {
        let place = tempfile::tempdir().unwrap();
        for goes_on in [false, true] {
            let path = place.path().join("log");
            let mut log = Log::open(&path, goes_on).unwrap();
            let mut file = log.for_driver().unwrap();
            file.write_all(b"the first line\n").unwrap();
            assert!(log.overflow().is_none());
            file.write_all(&vec![b'x'; LOG_BYTES_MAX as usize]).unwrap();
            file.write_all(b"\nthe last line\n").unwrap();
            assert!(log.overflow().unwrap().contains("more than 16MiB"));
            log.cut();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("the first line\n") && text.ends_with("\nthe last line\n"));
            assert!(text.contains("[bakeoff left out ") && (text.len() as u64) < 3 * KEPT_BYTES, "{}", text.len());
            assert!(log.overflow().is_none());
        }
    }
}
