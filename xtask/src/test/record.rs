//! A record of passed steps: when, on which commit and with which inputs. It is a file in this clone's cache.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::workspace::output_of;

/// The last pass of each step, by its name.
#[derive(Debug, Default)]
pub(crate) struct Record {
    file: PathBuf,
    passes: BTreeMap<String, Pass>,
}

/// When a step last passed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Pass {
    /// The hash of its inputs, if a step with equal inputs may be skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) inputs: Option<String>,
    /// The commit, with `-dirty` if files differ from it. Absent in an archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// The time in UTC.
    pub(crate) at: String,
    pub(crate) seconds: f64,
    /// Whether it skipped something that this machine did not allow.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) skipped: bool,
}

/// Whether a field is omitted from the file.
fn is_false(value: &bool) -> bool {
    !value
}

impl Record {
    /// The record in a file. Empty if there is none, or it cannot be read.
    pub(crate) fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        Self { file: file.to_owned(), passes: toml::from_str(&text).unwrap_or_default() }
    }

    /// The last pass of a step.
    pub(crate) fn last(&self, step: &str) -> Option<&Pass> {
        self.passes.get(step)
    }

    /// The last pass with these inputs.
    pub(crate) fn unchanged(&self, step: &str, inputs: Option<&str>) -> Option<&Pass> {
        self.last(step).filter(|pass| inputs.is_some() && pass.inputs.as_deref() == inputs)
    }

    /// How long a step took when it last passed.
    pub(crate) fn seconds(&self, step: &str) -> Option<f64> {
        self.last(step).map(|pass| pass.seconds)
    }

    /// Records a pass immediately, so that an interrupted run keeps it. A pass with skips does not replace a complete
    /// one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn note(&mut self, step: &str, pass: Pass) -> Result<()> {
        if pass.skipped && self.last(step).is_some_and(|last| !last.skipped) {
            return self.forget_inputs(step);
        }
        self.passes.insert(step.to_owned(), pass);
        self.write()
    }

    /// Forgets that a step passed with its inputs, because it failed with others. How long it took remains.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn forget_inputs(&mut self, step: &str) -> Result<()> {
        match self.passes.get_mut(step).and_then(|pass| pass.inputs.take()) {
            Some(_) => self.write(),
            None => Ok(()),
        }
    }

    fn write(&self) -> Result<()> {
        let write = || -> Result<(), io::Error> {
            let new = self.file.with_extension("new");
            fs::write(&new, toml::to_string(&self.passes).map_err(io::Error::other)?)?;
            fs::rename(&new, &self.file)
        };
        write().with_context(|| format!("cannot write {}", self.file.display()))
    }

    /// A line for each of these steps: when it last passed, how long it took, and on which commit.
    pub(crate) fn status<'a>(&self, steps: impl IntoIterator<Item = &'a str>) -> String {
        let line = |step: &str| match self.last(step) {
            Some(Pass { commit, at, seconds, skipped, .. }) => {
                let commit = commit.as_deref().unwrap_or("unknown");
                let but = if *skipped { ", but what was skipped" } else { "" };
                format!("  {step:<26} passed {at}, {seconds:.0} s, commit {commit}{but}\n")
            }
            None => format!("  {step:<26} has not passed in this cache\n"),
        };
        steps.into_iter().map(line).collect()
    }
}

/// The time now, in UTC.
pub(crate) fn now() -> String {
    output_of(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(inputs: &str) -> Pass {
        let commit = Some("abc1234".to_owned());
        let at = "2026-11-28 08:00 UTC".to_owned();
        Pass { inputs: Some(inputs.to_owned()), commit, at, seconds: 61.5, skipped: false }
    }

    #[test]
    fn a_pass_is_kept_across_starts_and_is_of_its_inputs() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("tests.toml");
        let mut record = Record::read(&file);
        assert_eq!(record.unchanged("kills", Some("1")), None);
        record.note("kills", pass("1")).unwrap();
        let record = Record::read(&file);
        assert_eq!(record.unchanged("kills", Some("1")), Some(&pass("1")));
        assert_eq!(record.unchanged("kills", Some("2")), None);
        assert_eq!(record.unchanged("kills", None), None);
        assert_eq!(record.seconds("kills"), Some(61.5));
    }

    #[test]
    fn a_step_that_failed_since_runs_again_with_the_inputs_it_once_passed_with() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("tests.toml");
        let mut record = Record::read(&file);
        record.note("kills", pass("1")).unwrap();
        record.forget_inputs("kills").unwrap();
        let record = Record::read(&file);
        assert_eq!(record.unchanged("kills", Some("1")), None);
        assert_eq!(record.last("kills").unwrap().commit.as_deref(), Some("abc1234"));
    }

    #[test]
    fn a_pass_that_left_something_out_says_so_and_replaces_no_whole_one() {
        let directory = tempfile::tempdir().unwrap();
        let mut record = Record::read(&directory.path().join("tests.toml"));
        let part = |commit: &str| Pass { inputs: None, commit: Some(commit.to_owned()), skipped: true, ..pass("1") };
        record.note("kills", part("def5678")).unwrap();
        assert!(
            record.status(["kills"]).contains("commit def5678, but what was skipped"),
            "{}",
            record.status(["kills"])
        );
        record.note("kills", pass("1")).unwrap();
        record.note("kills", part("def5678")).unwrap();
        assert!(record.status(["kills"]).ends_with("commit abc1234\n"), "{}", record.status(["kills"]));
        assert_eq!(record.unchanged("kills", Some("1")), None);
    }

    #[test]
    fn a_damaged_record_is_an_empty_one() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("tests.toml");
        fs::write(&file, "kills = 7").unwrap();
        assert_eq!(Record::read(&file).last("kills"), None);
    }

    #[test]
    fn the_status_names_time_and_commit_or_that_there_was_none() {
        let directory = tempfile::tempdir().unwrap();
        let mut record = Record::read(&directory.path().join("tests.toml"));
        record.note("kills", pass("1")).unwrap();
        let status = record.status(["kills", "fuzz-tape"]);
        assert!(status.contains("passed 2026-11-28 08:00 UTC, 62 s, commit abc1234"), "{status}");
        assert!(status.lines().any(|line| line.contains("fuzz-tape") && line.contains("has not passed")), "{status}");
    }
}
