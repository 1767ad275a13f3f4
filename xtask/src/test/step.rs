//! A step of the tests: its dependencies, its inputs, and its work.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// A resource that only one step at a time may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Cargo locks its build directory.
    Cargo,
    /// The fuzzer has its own build directory.
    Fuzz,
    /// Maven builds in one directory.
    Maven,
}

/// The work of a step. It receives the step's files, and fails with an error that names the cause.
pub(crate) type Work = Box<dyn FnOnce(&mut Files) -> Result<Ended> + Send>;

/// A step.
pub(crate) struct Step {
    pub(crate) name: String,
    /// Steps that must have passed.
    pub(crate) needs: Vec<String>,
    pub(crate) lane: Option<Lane>,
    /// Whether it measures time, so that nothing may run at the same time.
    pub(crate) alone: bool,
    /// The key of its inputs. Absent if the step always runs.
    pub(crate) inputs: Option<String>,
    pub(crate) work: Work,
}

/// The result of a step that passed.
#[derive(Default)]
pub(crate) struct Ended {
    /// Its tests.
    pub(crate) tests: Vec<TimedTest>,
    /// Further steps, such as the tests that a build has built.
    pub(crate) next: Vec<Step>,
}

/// A test and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimedTest {
    pub(crate) name: String,
    pub(crate) seconds: f64,
}

impl Step {
    pub(crate) fn new(name: impl Into<String>, work: Work) -> Self {
        Self { name: name.into(), needs: Vec::new(), lane: None, alone: false, inputs: None, work }
    }

    /// A step that runs commands one after another.
    pub(crate) fn commands(name: impl Into<String>, commands: Vec<Command>) -> Self {
        Self::new(
            name,
            Box::new(move |files| {
                commands.into_iter().try_for_each(|mut command| files.run(&mut command))?;
                Ok(Ended::default())
            }),
        )
    }

    pub(crate) fn lane(mut self, lane: Lane) -> Self {
        self.lane = Some(lane);
        self
    }

    pub(crate) fn after(mut self, needs: &[&str]) -> Self {
        self.needs.extend(needs.iter().map(|&name| name.to_owned()));
        self
    }

    pub(crate) fn reading(mut self, key: String) -> Self {
        self.inputs = Some(key);
        self
    }
}

/// The files of a running step: its output, and the skips of its tests.
pub(crate) struct Files {
    pub(crate) log_path: PathBuf,
    pub(crate) log: File,
    pub(crate) skipped: PathBuf,
}

impl Files {
    /// Empty files for a step, in a directory.
    ///
    /// # Errors
    /// They cannot be created.
    pub(crate) fn new(directory: &Path, step: &str) -> Result<Self> {
        let name = step.replace(|character: char| !character.is_ascii_alphanumeric(), "-");
        let (log_path, skipped) = (directory.join(format!("{name}.log")), directory.join(format!("{name}.skipped")));
        let make = |path: &Path| File::create(path).with_context(|| format!("cannot write {}", path.display()));
        make(&skipped)?;
        make(&log_path)?;
        // Several programs write to this file. Each appends its lines.
        let log = OpenOptions::new().append(true).open(&log_path)?;
        Ok(Self { log_path, log, skipped })
    }

    /// Runs a command and logs its output.
    ///
    /// # Errors
    /// It cannot be started, or failed.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<()> {
        writeln!(self.log, "$ {}", shown(command))?;
        command.stdin(Stdio::null()).stdout(self.log.try_clone()?).stderr(self.log.try_clone()?);
        command.env("BAKEOFF_SKIPPED", &self.skipped);
        let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
        ensure!(status.success(), "{} ended with {status}", shown(command));
        Ok(())
    }

    /// Adds a line to the list of skips.
    pub(crate) fn skip(&mut self, what: &str) -> Result<()> {
        let mut file = OpenOptions::new().append(true).open(&self.skipped)?;
        writeln!(file, "SKIPPED: {what}")?;
        Ok(())
    }

    /// The list of skips.
    pub(crate) fn skips(&self) -> Vec<String> {
        std::fs::read_to_string(&self.skipped).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// The last lines of the log.
    pub(crate) fn tail(&self, lines: usize) -> String {
        let text = std::fs::read(&self.log_path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let all: Vec<&str> = text.lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

/// A command as typed in a shell.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_fails_the_step_and_its_output_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let mut files = Files::new(directory.path(), "a step").unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo to standard output; echo why >&2; echo \"SKIPPED: x\" >>$BAKEOFF_SKIPPED; exit 3"]);
        let error = files.run(&mut command).unwrap_err().to_string();
        assert!(error.contains("exit status: 3"), "{error}");
        assert_eq!(files.tail(2), "to standard output\nwhy");
        assert_eq!(files.skips(), ["SKIPPED: x"]);
    }
}
