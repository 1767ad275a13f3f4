//! Paths that `./bakeoff` sets in the environment.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// The directories of this clone.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// The repository.
    pub(crate) root: PathBuf,
    /// The directory of compiled dependencies, shared by all clones.
    pub(crate) build: PathBuf,
    /// The directory of this clone's programs and stamps.
    pub(crate) own: PathBuf,
    script: PathBuf,
}

impl Workspace {
    /// # Errors
    /// The program was not started by `./bakeoff`.
    pub(crate) fn from_environment() -> Result<Self> {
        let path = |name: &str| {
            env::var_os(name)
                .map(PathBuf::from)
                .with_context(|| format!("{name} is not set: start this with ./bakeoff"))
        };
        let script = path("BAKEOFF_SCRIPT")?;
        let root = script.parent().context("BAKEOFF_SCRIPT names no file")?.to_owned();
        Ok(Self { root, build: path("CARGO_BUILD_BUILD_DIR")?, own: path("CARGO_TARGET_DIR")?, script })
    }

    /// A workspace in a directory, for tests.
    #[cfg(test)]
    pub(crate) fn for_tests(root: &Path) -> Self {
        let [build, own, script] = ["build", "own", "bakeoff"].map(|name| root.join(name));
        Self { root: root.to_owned(), build, own, script }
    }

    /// The path of one of this clone's programs.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.own.join("release").join(name)
    }

    /// A file with the time of a build.
    pub(crate) fn stamp(&self, name: &str) -> PathBuf {
        self.own.join(name)
    }

    /// Whether a file that builds read changed after a stamp was written. `./bakeoff` knows these files.
    pub(crate) fn has_changed_since(&self, stamp: &Path) -> bool {
        let output = Command::new(&self.script).arg("changed").arg(stamp).stderr(Stdio::null()).output();
        !output.is_ok_and(|output| output.status.success() && output.stdout.is_empty())
    }

    /// Installs packages, or prints the command that would. True if they were installed.
    pub(crate) fn install(&self, why: &str, packages: &[&str]) -> bool {
        let mut command = Command::new(&self.script);
        command.arg("install").arg(why).args(packages).stdout(std::io::stderr());
        // Package lists need only one update, no matter how much is missing.
        static UPDATED: AtomicBool = AtomicBool::new(false);
        if UPDATED.swap(true, Ordering::Relaxed) {
            command.env("BAKEOFF_APT_UPDATED", "1");
        }
        command.status().is_ok_and(|status| status.success())
    }

    /// A cargo command in the repository.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(&self.root);
        if let Some(version) = self.version() {
            command.env("BAKEOFF_VERSION", version);
        }
        command
    }

    /// The version with the commit, as in results. An archive has no commit.
    fn version(&self) -> Option<String> {
        let commit = self.commit()?;
        Some(format!("{} ({commit})", env!("CARGO_PKG_VERSION")))
    }

    /// The commit, with `-dirty` if files differ from it.
    pub(crate) fn commit(&self) -> Option<String> {
        let exists = self.root.join(".git").exists();
        exists.then(|| output_of(Command::new("git").arg("-C").arg(&self.root).args(DESCRIBE))).flatten()
    }
}

const DESCRIBE: [&str; 5] = ["describe", "--always", "--dirty", "--exclude", "*"];

/// The output of a successful command, without surrounding white space.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether a program is on `PATH` or in a directory for administrators' programs.
pub(crate) fn has(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(PathBuf::from));
    directories.into_iter().any(|directory| directory.join(program).is_file())
}
