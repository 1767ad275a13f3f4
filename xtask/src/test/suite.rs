//! Test programs built by Cargo: their names, and how they run, with the time of each test.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::test::metadata::{Package, Packages};
use crate::test::step::{Files, TimedTest};
use crate::workspace::Workspace;

/// A program with tests.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// Its package, without `bakeoff-`, and its target: `suite:plans`.
    pub(crate) name: String,
    pub(crate) package_id: String,
    pub(crate) target: String,
    pub(crate) is_bench: bool,
    executable: PathBuf,
    directory: PathBuf,
    environment: Vec<(String, String)>,
}

/// The fields of a message from Cargo that this crate reads.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

impl Suite {
    fn new(workspace: &Workspace, package: &Package, target: &Target, executable: PathBuf) -> Self {
        let is = |kind: &str| target.kind.iter().any(|of| of == kind);
        let short = package.name.strip_prefix("bakeoff-").unwrap_or(&package.name);
        // Unit tests get names that no test in `tests` has.
        let target_name = match (is("test") || is("bench"), is("bin")) {
            (true, _) => target.name.clone(),
            (false, true) => format!("bin-{}", target.name),
            (false, false) => "lib".to_owned(),
        };
        // As Cargo sets them. Without the last one, snapshot tests would ask Cargo for the workspace.
        let environment = [
            ("CARGO", "cargo".to_owned()),
            ("CARGO_MANIFEST_DIR", package.directory().display().to_string()),
            ("CARGO_PKG_NAME", package.name.clone()),
            ("CARGO_PKG_VERSION", package.version.clone()),
            ("INSTA_WORKSPACE_ROOT", workspace.root.display().to_string()),
        ];
        Self {
            name: format!("{short}:{target_name}"),
            package_id: package.id.clone(),
            target: target_name,
            is_bench: is("bench"),
            executable,
            directory: package.directory().to_owned(),
            environment: environment.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        }
    }

    /// The same program under another name, with additional environment variables.
    pub(crate) fn with(mut self, name: impl Into<String>, variables: &[(&str, &str)]) -> Self {
        self.name = name.into();
        self.environment.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
    }

    /// Facts that change how it runs, for the key of its record.
    pub(crate) fn facts(&self) -> String {
        format!("{} {:?}", self.name, self.environment)
    }

    /// Runs all its tests and logs their output. A failing test shows its whole output.
    ///
    /// Rust's test harness reports the time of a test only in an unstable format. The variable enables it; the version
    /// of Rust is fixed.
    ///
    /// # Errors
    /// A test failed.
    pub(crate) fn run(&self, threads: usize, files: &mut Files) -> Result<Vec<TimedTest>> {
        let mut command = Command::new(&self.executable);
        command
            .current_dir(&self.directory)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("BAKEOFF_SKIPPED", &files.skipped)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(files.log.try_clone()?);
        if !self.is_bench {
            command.env("RUSTC_BOOTSTRAP", "1");
            command.args([
                "-Zunstable-options",
                "--format=json",
                "--report-time",
                &format!("--test-threads={threads}"),
            ]);
        }
        let mut child = command.spawn().with_context(|| format!("cannot start {}", self.executable.display()))?;
        let mut results = Results::default();
        for line in BufReader::new(child.stdout.take().context("it has an output")?).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            writeln!(files.log, "{}", results.take(&line).as_deref().unwrap_or(&line))?;
        }
        let status = child.wait()?;
        if !results.failed.is_empty() {
            // Failures appear together at the end, since other tests print in between.
            writeln!(files.log, "\nfailures:\n{}", results.failures)?;
            bail!("{} of {} tests failed: {}", results.failed.len(), results.tests.len(), results.failed.join(", "));
        }
        ensure!(status.success(), "it ended with {status}");
        let own_name = |test: TimedTest| TimedTest { name: format!("{} {}", self.name, test.name), ..test };
        Ok(results.tests.into_iter().map(own_name).collect())
    }
}

/// The test programs in Cargo's output of a build.
///
/// # Errors
/// The output has another format.
pub(crate) fn suites(workspace: &Workspace, packages: &Packages, messages: &str) -> Result<Vec<Suite>> {
    let mut suites = Vec::new();
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: Message = serde_json::from_str(line).context("a message of cargo is malformed")?;
        let Message { reason, package_id, target: Some(target), profile: Some(profile), executable: Some(executable) } =
            message
        else {
            continue;
        };
        if reason == "compiler-artifact" && profile.test {
            let package =
                packages.by_id(&package_id).with_context(|| format!("{package_id} is no package of the workspace"))?;
            suites.push(Suite::new(workspace, package, &target, executable));
        }
    }
    Ok(suites)
}

/// The results of a program's tests so far.
#[derive(Default)]
struct Results {
    tests: Vec<TimedTest>,
    failed: Vec<String>,
    /// The output of the failed tests.
    failures: String,
}

/// An event printed by Rust's test harness.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    exec_time: f64,
    #[serde(default)]
    stdout: String,
}

impl Results {
    /// Handles a line. Returns the text to log instead, if the line is an event.
    fn take(&mut self, line: &str) -> Option<String> {
        let event: Event = line.starts_with('{').then(|| serde_json::from_str(line).ok()).flatten()?;
        let Event { kind, event, name, exec_time, stdout } = event;
        // A test of more than a minute has a `timeout` event, and its result later.
        if kind != "test" || matches!(event.as_str(), "started" | "timeout") {
            return Some(format!("{kind} {event} {name}"));
        }
        self.tests.push(TimedTest { name: name.clone(), seconds: exec_time });
        match event.as_str() {
            "ok" | "ignored" => Some(format!("test {name} ... {event} {exec_time:.3} s")),
            _ => {
                self.failures += &format!("---- {name} ----\n{stdout}\n");
                let text = format!("test {name} ... FAILED {exec_time:.3} s");
                self.failed.push(name);
                Some(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::metadata::sample;

    #[test]
    fn times_and_failures_are_read_from_events_and_other_lines_are_none() {
        let mut results = Results::default();
        assert!(results.take(r#"{ "type": "suite", "event": "started", "test_count": 2 }"#).is_some());
        assert!(results.take(r#"{ "type": "test", "event": "started", "name": "a" }"#).is_some());
        results.take(r#"{ "type": "test", "event": "timeout", "name": "a" }"#);
        results.take(r#"{ "type": "test", "name": "a", "event": "ok", "exec_time": 0.25 }"#);
        let failed =
            r#"{ "type": "test", "name": "b", "event": "failed", "exec_time": 1.5, "stdout": "left != right\n" }"#;
        assert!(results.take(failed).unwrap().contains("FAILED"));
        assert_eq!(results.failures, "---- b ----\nleft != right\n\n");
        assert_eq!(results.take("lmdb 0.9.33"), None);
        assert_eq!(results.take(r#"{"other": 1}"#), None);
        assert_eq!(results.failed, ["b"]);
        assert_eq!(results.tests[0], TimedTest { name: "a".to_owned(), seconds: 0.25 });
        assert_eq!(results.tests.len(), 2);
    }

    #[test]
    fn programs_with_tests_are_found_among_what_cargo_built() {
        let place = PathBuf::from("/w");
        let workspace = Workspace::for_tests(&place);
        let line = |kind: &str, name: &str, test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"top#0","target":{{"kind":["{kind}"],"name":"{name}"}},
                "profile":{{"test":{test}}},"executable":{executable}}}"#
            )
            .replace('\n', " ")
        };
        let lines = [
            line("lib", "top", false, "null"),
            line("bin", "top", false, "\"/t/top\""),
            line("lib", "top", true, "\"/t/top-1\""),
            line("test", "clock", true, "\"/t/clock-1\""),
            line("bench", "page", true, "\"/t/page-1\""),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let found = suites(&workspace, &sample(), &lines.join("\n")).unwrap();
        let names: Vec<(&str, bool)> = found.iter().map(|suite| (suite.name.as_str(), suite.is_bench)).collect();
        assert_eq!(names, [("top:lib", false), ("top:clock", false), ("top:page", true)]);
    }

    #[test]
    fn a_program_whose_tests_fail_says_which() {
        let directory = tempfile::tempdir().unwrap();
        let mut files = Files::new(directory.path(), "x").unwrap();
        let script = directory.path().join("suite");
        std::fs::write(
            &script,
            "#!/bin/sh\necho '{\"type\":\"test\",\"name\":\"b\",\"event\":\"failed\",\"exec_time\":1}'\nexit 101\n",
        )
        .unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, executable).unwrap();
        let target = Target { name: "it".to_owned(), kind: vec!["test".to_owned()] };
        let packages = sample();
        let workspace = Workspace::for_tests(directory.path());
        let mut suite = Suite::new(&workspace, &packages.all()[0], &target, script);
        suite.directory = directory.path().to_owned();
        let error = suite.run(2, &mut files).unwrap_err().to_string();
        assert_eq!(error, "1 of 1 tests failed: b");
    }
}
