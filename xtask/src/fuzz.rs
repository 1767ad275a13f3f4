//! `./bakeoff fuzz [TARGET] [RUNS]`: libFuzzer over the parsers.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::message::say;
use crate::workspace::{Workspace, output_of};

/// The default number of inputs for each target.
const RUNS: u64 = 1_000_000;

pub(crate) fn main(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    let targets = targets(&workspace.root)?;
    let (target, runs) = match arguments {
        [] => (None, RUNS),
        [target] => (Some(*target), RUNS),
        [target, runs] => (
            Some(*target),
            runs.parse().with_context(|| {
                format!("the number of runs is '{runs}': give a whole number, e.g. ./bakeoff fuzz suite 100000")
            })?,
        ),
        _ => bail!("too many arguments: ./bakeoff fuzz [TARGET] [RUNS]"),
    };
    if let Some(target) = target {
        let names = targets.join(" ");
        ensure!(targets.iter().any(|name| name == target), "there is no fuzz target '{target}': use one of {names}");
    }
    if let Some(missing) = missing() {
        bail!("{missing}");
    }
    for name in targets.iter().filter(|name| target.is_none_or(|target| target == **name)) {
        say!("fuzzing {name} with {runs} inputs");
        let status = command(workspace, name, runs)?.status().context("cannot start cargo")?;
        ensure!(status.success(), "fuzzing {name} failed: the reason is above");
    }
    Ok(())
}

/// The names of all targets.
///
/// # Errors
/// Their directory cannot be read.
pub(crate) fn targets(root: &Path) -> Result<Vec<String>> {
    let directory = root.join("fuzz/targets");
    let entries = fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let names = entries.flatten().filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// A missing requirement of fuzzing, with the command that installs it.
pub(crate) fn missing() -> Option<&'static str> {
    if output_of(Command::new("rustup").args(["run", "nightly", "cargo", "--version"])).is_none() {
        return Some("fuzzing needs a nightly Rust. Run: rustup toolchain install nightly --profile minimal");
    }
    output_of(Command::new("cargo").args(["fuzz", "--version"]))
        .is_none()
        .then_some("fuzzing needs cargo-fuzz. Run: cargo install --locked cargo-fuzz")
}

/// The command that runs one target.
///
/// # Errors
/// The directory for findings cannot be created.
pub(crate) fn command(workspace: &Workspace, target: &str, runs: u64) -> Result<Command> {
    let corpus = format!("fuzz/corpus/{target}");
    fs::create_dir_all(workspace.root.join(&corpus)).with_context(|| format!("cannot make {corpus}"))?;
    // Without the address sanitizer it is twice as fast. The parsers are safe Rust, which checks overflows and indices.
    let mut cargo =
        workspace.cargo(&["+nightly", "fuzz", "run", "--sanitizer", "none", "--features", "libfuzzer", "--target-dir"]);
    cargo
        .arg(workspace.own.join("fuzz"))
        .args([target, &corpus, &format!("fuzz/seeds/{target}"), "--", &format!("-runs={runs}")])
        .args(["-max_len=16384", "-print_final_stats=1"])
        .env_remove("CARGO_BUILD_BUILD_DIR");
    Ok(cargo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_the_directory() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(targets(&root).unwrap(), ["request", "results", "suite", "tape", "trace"]);
    }
}
