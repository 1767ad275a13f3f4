//! Builds the command line and the light driver, with every store whose library is installed.

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};

use crate::message::say;
use crate::packages::{Missing, Packages};
use crate::workspace::{Workspace, output_of};

/// Building takes up to this much.
const DISK_GIB: u64 = 3;

/// Arguments that select the packages and stores to build. Programs, tests and lints share them: another selection
/// would choose other features and compile C code again.
pub(crate) fn selection(packages: &Packages, missing: &Missing) -> Vec<String> {
    let mut arguments = vec!["--workspace".to_owned()];
    if !missing.packages.is_empty() {
        let there = packages.stores.iter().map(|store| &store.feature).filter(|name| !missing.features.contains(name));
        let features = ["bakeoff-driver/native".to_owned(), "bakeoff-stores/bundled".to_owned()];
        let features = features.into_iter().chain(there.map(|name| format!("bakeoff-stores/{name}")));
        arguments.extend(["--no-default-features".to_owned(), "--features".to_owned()]);
        arguments.push(features.collect::<Vec<_>>().join(","));
    }
    arguments
}

/// The content of a build's stamp: the stores it lacks, one per line.
fn lacks(missing: &Missing) -> String {
    missing.features.iter().map(|feature| format!("{feature}\n")).collect()
}

/// Whether the stamped build lacks the same stores as a new one would. The caller knows that no source has changed.
pub(crate) fn is_built(workspace: &Workspace) -> Result<bool> {
    let built = fs::read_to_string(workspace.stamp("built")).unwrap_or_default();
    Ok(built == lacks(&Packages::read()?.missing_libraries()))
}

/// Installs what the build needs, and builds everything that is always built.
///
/// # Errors
/// The build failed.
pub(crate) fn build_all(workspace: &Workspace) -> Result<()> {
    let packages = Packages::read()?;
    need_disk(&workspace.build)?;
    let missing = packages.need_libraries(workspace);
    // The script has already built xtask, which is only a small part.
    let is_first = !workspace.build.join("release/.fingerprint").read_dir().is_ok_and(|entries| entries.count() > 60);
    let wait = if is_first { "3 to 5 minutes on two cores, this once" } else { "a minute or two" };
    say!("building in {} ({wait})", workspace.build.display());
    let start = Instant::now();
    // The stamp is written before the build, so files edited during the build count as changed.
    let stamp = workspace.stamp("built");
    let new = stamp.with_extension("new");
    fs::write(&new, lacks(&missing)).with_context(|| format!("cannot write {}", new.display()))?;
    let selection = selection(&packages, &missing);
    let mut cargo = workspace.cargo(&["build", "--release", "--locked"]);
    cargo.args(selection).args(quietly()).stdout(io::stderr());
    ensure!(cargo.status().context("cannot start cargo")?.success(), "the build failed: the reason is above");
    fs::rename(&new, &stamp)?;
    say!("built in {} s", start.elapsed().as_secs());
    Ok(())
}

/// The argument that keeps progress out of logs.
pub(crate) fn quietly() -> Option<&'static str> {
    (!io::stderr().is_terminal()).then_some("--quiet")
}

/// Refuses to begin a first build on a full disk.
pub(crate) fn need_disk(build: &Path) -> Result<()> {
    if build.join("release/build").exists() {
        return Ok(());
    }
    let free = output_of(Command::new("df").args(["--block-size=1", "--output=avail"]).arg(build));
    let free = free.and_then(|lines| lines.lines().last()?.trim().parse::<u64>().ok());
    match free {
        Some(bytes) if bytes < DISK_GIB << 30 => bail!(
            "building takes up to {DISK_GIB} GiB, and {} has {} MiB free: make room, or set CARGO_TARGET_DIR to a directory elsewhere",
            build.display(),
            bytes >> 20
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_selected_by_default_and_what_is_there_by_name() {
        let packages = Packages::read().unwrap();
        assert_eq!(selection(&packages, &Missing::default()), ["--workspace"]);
        let missing = Missing {
            features: vec!["leveldb".to_owned()],
            packages: vec!["libleveldb-dev".to_owned()],
            ..Missing::default()
        };
        let selected = selection(&packages, &missing);
        assert_eq!(selected[..3], ["--workspace", "--no-default-features", "--features"]);
        assert!(
            selected[3].contains("bakeoff-stores/wiredtiger") && !selected[3].contains("leveldb"),
            "{}",
            selected[3]
        );
        assert_eq!(lacks(&missing), "leveldb\n");
    }
}
