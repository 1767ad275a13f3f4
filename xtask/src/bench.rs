//! `./bakeoff bench`: the cost of the harness. `bench jvm [WHICH] [OPTIONS of JMH]` measures the driver in Java, with
//! tapes recorded for it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::build::selection;
use crate::drivers;
use crate::packages::Packages;
use crate::workspace::Workspace;

pub(crate) fn main(workspace: &Workspace, arguments: &[&str]) -> Result<bool> {
    let packages = Packages::read()?;
    let selection = selection(&packages, &packages.need_libraries(workspace));
    // Benchmarks may start other programs of the workspace.
    let mut build = workspace.cargo(&["build", "--release", "--locked", "--quiet"]);
    ensure!(
        build.args(&selection).status().context("cannot start cargo")?.success(),
        "the build failed: the reason is above"
    );
    match arguments {
        ["jvm", rest @ ..] => jvm(workspace, rest),
        _ => Err(workspace.cargo(&["bench", "--locked"]).args(&selection).args(arguments).exec())
            .context("cannot start cargo"),
    }
}

/// The cost of the replay loop in Java, and of reading serialised values.
fn jvm(workspace: &Workspace, arguments: &[&str]) -> Result<bool> {
    let (which, options) = match arguments {
        [which, options @ ..] if !which.starts_with('-') => (*which, options),
        options => ("bakeoff.bench", options),
    };
    drivers::find(Some("jvm"))?.need_packages(workspace)?;
    let mut maven = drivers::maven(workspace, &["package", "-DskipTests", "-pl", "stores/selftest", "-am"]);
    ensure!(
        maven.status().context("cannot start mvn")?.success(),
        "the benchmarks do not compile: the reason is above"
    );
    let scratch = workspace.own.join("bench-jvm");
    let _ = fs::remove_dir_all(&scratch);
    let tapes = record(workspace, &scratch);
    let ran = tapes.and_then(|tapes| jmh(workspace, which, options, &tapes));
    let _ = fs::remove_dir_all(&scratch);
    ran
}

/// Tapes of values of one length, and of many.
fn record(workspace: &Workspace, scratch: &Path) -> Result<[PathBuf; 2]> {
    let suite = workspace.root.join("jvm/replay.toml");
    let results = scratch.join("results");
    fs::create_dir_all(&results).with_context(|| format!("cannot make {}", results.display()))?;
    // The results of a run contain the ids of its cells.
    let mut run = Command::new(workspace.program("bakeoff"));
    run.arg("run")
        .arg(&suite)
        .args(["--rounds", "1", "--dir"])
        .arg(&results)
        .current_dir(scratch)
        .stdout(Stdio::null());
    ensure!(run.status().context("cannot start bakeoff")?.success(), "{} cannot be run", suite.display());
    let cells = cells_below(scratch)?;
    ensure!(cells.len() == 2, "{} has {} cells, and two are wanted", suite.display(), cells.len());
    let tapes = ["one-length", "lengths"].into_iter().zip(cells).map(|(name, cell)| {
        let directory = scratch.join(name);
        let mut request = Command::new(workspace.program("bakeoff"));
        request.args(["request", &cell]).arg(&suite).arg("--dir").arg(&directory).stdout(Stdio::null());
        ensure!(request.status().context("cannot start bakeoff")?.success(), "the tapes of {cell} cannot be recorded");
        only_directory(&directory).map(|directory| directory.join("tapes"))
    });
    let tapes: Vec<PathBuf> = tapes.collect::<Result<_>>()?;
    tapes.try_into().ok().context("there are two suites")
}

/// The fields of a line in `results.jsonl` that this crate reads.
#[derive(Deserialize)]
struct Line {
    line: String,
    #[serde(default)]
    cell: String,
}

/// The cells of the results below a directory, in their order.
fn cells_below(directory: &Path) -> Result<Vec<String>> {
    let files = crate::files::files_below(directory);
    let file = files.into_iter().find(|file| file.ends_with("results.jsonl")).context("the run left no results")?;
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().map(serde_json::from_str::<Line>).collect::<Result<Vec<_>, _>>()?;
    Ok(lines.into_iter().filter(|line| line.line == "cell").map(|line| line.cell).collect())
}

fn only_directory(parent: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(parent).with_context(|| format!("cannot read {}", parent.display()))?.flatten();
    entries.next().map(|entry| entry.path()).with_context(|| format!("{} is empty", parent.display()))
}

fn jmh(workspace: &Workspace, which: &str, options: &[&str], [one, lengths]: &[PathBuf; 2]) -> Result<bool> {
    let classes = workspace.own.join("jvm/selftest");
    let places = ["test-classes", "classes", "bench-libraries/*"].map(|name| classes.join(name));
    let names = ["02-get.tape", "01-load.tape", "03-mixed.tape"].map(|name| one.join(name));
    let paths: Vec<PathBuf> =
        names.into_iter().chain(["01-load.tape", "03-mixed.tape"].map(|name| lengths.join(name))).collect();
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut flags = OsString::from("@");
    flags.push(workspace.root.join("jvm/flags"));
    let mut java = Command::new("java");
    java.arg(flags).arg("-cp").arg(std::env::join_paths(places)?);
    // Both recordings have the same pool.
    java.args(["org.openjdk.jmh.Main", which, "-p", &format!("tape={}", paths.join(",")), "-p"]);
    java.arg(format!("pool={}", one.join("pool.bin").display())).args(options);
    Ok(java.status().context("cannot start java")?.success())
}
