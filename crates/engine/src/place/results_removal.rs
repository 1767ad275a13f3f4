//! Removes a run's results: the files that bakeoff wrote, and nothing that somebody else keeps there.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_protocol::TWINS_PROGRAM;
use bakeoff_results::record::RUN_FILE;
use bakeoff_results::results_file::RESULTS_FILE;

use crate::place::own_directory::{MARKER, OwnDirectory, mounts_below, shown};

/// Files of fixed names. `.new` is what a file is called until it is whole.
const FILES: [&str; 6] = [RUN_FILE, "run.new", RESULTS_FILE, "results.new", "report.html", "report.new"];

/// The directory of logs and flame graphs.
const LOGS: &str = "logs";

/// Digits of a cell's id, with which the names of its logs begin.
const ID_DIGITS: usize = 16;

/// Removes results. What bakeoff did not write stays, in a directory that is no longer bakeoff's.
///
/// # Errors
/// Something is mounted there, a file cannot be removed, or something stays.
pub fn remove_results(own: OwnDirectory) -> Result<()> {
    let path = own.path().to_owned();
    if let Some(mount) = mounts_below(&path).first() {
        bail!("{}: something is mounted at {}. Unmount it first", shown(&path), shown(mount));
    }
    remove_those(&path, is_of_a_run)?;
    let logs = path.join(LOGS);
    if logs.is_dir() && !logs.is_symlink() {
        remove_those(&logs, is_of_a_cell)?;
        remove_if_empty(&logs)?;
    }
    let kept: Vec<PathBuf> =
        entries(&path)?.into_iter().filter(|path| path.file_name().is_none_or(|name| name != MARKER)).collect();
    let marker = path.join(MARKER);
    std::fs::remove_file(&marker).with_context(|| format!("cannot remove {}", shown(&marker)))?;
    drop(own);
    match kept.first() {
        None => std::fs::remove_dir(&path).with_context(|| format!("cannot remove {}", shown(&path))),
        Some(first) => bail!(
            "{}: the results are removed; bakeoff did not write {}{}, which you can move or remove",
            shown(&path),
            shown(first.strip_prefix(&path).unwrap_or(first)),
            if kept.len() > 1 { format!(" and {} more", kept.len() - 1) } else { String::new() }
        ),
    }
}

/// Whether bakeoff writes a file of this name next to results.
fn is_of_a_run(name: &str) -> bool {
    let is_damaged = name.strip_prefix("results-damaged-").and_then(|rest| rest.strip_suffix(".jsonl"));
    FILES.contains(&name) || name == TWINS_PROGRAM || is_damaged.is_some_and(|number| number.parse::<u64>().is_ok())
}

/// Whether bakeoff writes a file of this name among logs: `ID-ROUND.log`, or a flame graph.
fn is_of_a_cell(name: &str) -> bool {
    let Some((id, rest)) = name.split_once('-') else { return false };
    let round = [".log", ".svg"].iter().find_map(|end| rest.strip_suffix(end));
    id.len() == ID_DIGITS
        && id.chars().all(|digit| digit.is_ascii_hexdigit())
        && round.is_some_and(|round| round.parse::<u32>().is_ok())
}

/// Removes those files of a directory, or links, whose names are such.
fn remove_those(directory: &Path, is_ours: impl Fn(&str) -> bool) -> Result<()> {
    for path in entries(directory)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_ours(&name) && !path.symlink_metadata().is_ok_and(|facts| facts.is_dir()) {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", shown(&path)))?;
        }
    }
    Ok(())
}

fn remove_if_empty(directory: &Path) -> Result<()> {
    match std::fs::remove_dir(directory) {
        Err(why) if why.kind() != io::ErrorKind::DirectoryNotEmpty => {
            Err(why).with_context(|| format!("cannot remove {}", shown(directory)))
        }
        _ => Ok(()),
    }
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(directory).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    read.with_context(|| format!("cannot look into {}", shown(directory)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::own_directory::{Kind, kind_of};

    #[test]
    fn only_what_bakeoff_wrote_is_removed() {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join("run");
        let own = OwnDirectory::create(&path, Kind::Results).unwrap();
        std::fs::create_dir(path.join(LOGS)).unwrap();
        let ours = [
            "run.json",
            "results.jsonl",
            "results-damaged-2.jsonl",
            "report.html",
            "logs/0123456789abcdef-1.log",
            "logs/0123456789abcdef-12.svg",
        ];
        let others = ["notes.txt", "results-damaged-mine.jsonl", "logs/my.log", "logs/0123456789abcdef-x.log"];
        ours.iter().chain(&others).for_each(|name| std::fs::write(path.join(name), "x").unwrap());
        let why = remove_results(own).unwrap_err().to_string();
        assert!(why.contains("bakeoff did not write") && why.contains("and 2 more"), "{why}");
        assert!(ours.iter().all(|name| !path.join(name).exists()) && kind_of(&path).is_none());
        assert!(others.iter().all(|name| path.join(name).exists()));
    }

    #[test]
    fn results_alone_are_removed_whole() {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join("run");
        let own = OwnDirectory::create(&path, Kind::Results).unwrap();
        std::fs::create_dir(path.join(LOGS)).unwrap();
        std::fs::write(path.join(RUN_FILE), "{}").unwrap();
        remove_results(own).unwrap();
        assert!(!path.exists());
    }
}
