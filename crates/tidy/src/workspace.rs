//! The packages of the workspace, as `cargo metadata` describes them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A package of the workspace.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// Its name in `Cargo.toml`.
    pub name: String,
    /// What it depends on, in builds and in tests; other workspaces' packages included.
    pub dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

/// One line of a package's dependencies.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    /// The package depended on.
    pub name: String,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

impl Package {
    /// The root files of its library and programs.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        let is_code = |target: &&Target| target.kind.iter().any(|kind| kind == "lib" || kind == "bin");
        self.targets.iter().filter(is_code).map(|target| target.src_path.as_path())
    }
}

/// The packages of the workspace that `directory` belongs to.
///
/// # Errors
/// Cargo cannot be started, or fails.
pub fn packages(directory: &Path) -> Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(directory);
    let output = command.output().context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata printed")?;
    Ok(metadata.packages)
}
