//! Removes directories of bakeoff's, and of results the files that bakeoff wrote: nothing that
//! somebody else keeps there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_protocol::TWINS_PROGRAM;
use bakeoff_results::record::RUN_FILE;
use bakeoff_results::results_file::RESULTS_FILE;

use crate::place::mounts::mounts_below;
use crate::place::own_directory::{Kind, MARKER, OwnDirectory, kind_of, shown};

/// Files of fixed names. `.new` is what a file is called until it is whole.
const FILES: [&str; 6] = [RUN_FILE, "run.new", RESULTS_FILE, "results.new", "report.html", "report.new"];

/// The directories of logs and flame graphs, and of recordings of power cuts.
const DIRECTORIES: [&str; 2] = ["logs", "recordings"];

/// Digits of a cell's id, with which the names of its logs begin.
const ID_DIGITS: usize = 16;

/// What removing a directory of bakeoff's removes and keeps. Nothing is changed before
/// [`Removal::carry_out`].
pub struct Removal {
    own: OwnDirectory,
    /// Runs inside it, such as the power cuts of a pick.
    runs: Vec<OwnDirectory>,
    path: PathBuf,
    /// The parts of results to remove, files before their directories; `None` for the whole directory.
    parts: Option<Vec<PathBuf>>,
    /// What bakeoff did not write.
    kept: Vec<PathBuf>,
}

impl Removal {
    /// Decides what to remove: a scratch directory whole, and of results only bakeoff's files.
    ///
    /// # Errors
    /// The directory is another one or in use, cannot be looked into, or something is mounted among
    /// results.
    pub fn plan(path: &Path, kind: Kind) -> Result<Self> {
        let own = OwnDirectory::open(path, kind)?;
        let path = path.to_owned();
        if kind == Kind::Scratch {
            return Ok(Self { own, runs: Vec::new(), path, parts: None, kept: Vec::new() });
        }
        if let Some(mount) = mounts_below(&path).first() {
            bail!("{}: something is mounted at {}. Unmount it first", shown(&path), shown(mount));
        }
        let (mut parts, mut kept, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries(&path)? {
            if DIRECTORIES.iter().any(|name| entry == path.join(name)) && is_directory(&entry) {
                let (of_cells, others): (Vec<_>, Vec<_>) =
                    entries(&entry)?.into_iter().partition(|path| is_of_a_cell(path));
                parts.extend(of_cells);
                match others.is_empty() {
                    true => parts.push(entry),
                    false => kept.extend(others),
                }
            } else if is_directory(&entry) && kind_of(&entry) == Some(Kind::Results) {
                let Self { own, runs: further, parts: of_run, kept: of_others, .. } = Self::plan(&entry, kind)?;
                parts.extend(of_run.into_iter().flatten());
                match of_others.is_empty() {
                    true => parts.push(entry),
                    false => kept.extend(of_others),
                }
                runs.extend(further.into_iter().chain([own]));
            } else if is_of_a_run(&entry) {
                parts.push(entry);
            } else {
                kept.push(entry);
            }
        }
        // Last, so that it is bakeoff's until the rest is gone.
        parts.push(path.join(MARKER));
        Ok(Self { own, runs, path, parts: Some(parts), kept })
    }

    /// The paths to remove: the directory, or its parts if something stays.
    pub fn targets(&self) -> &[PathBuf] {
        match &self.parts {
            Some(parts) if !self.kept.is_empty() => parts,
            _ => std::slice::from_ref(&self.path),
        }
    }

    /// What stays, and why; `None` if nothing does.
    pub fn kept(&self) -> Option<String> {
        let (first, more) = self.kept.split_first()?;
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let first = shown(first.strip_prefix(&self.path).unwrap_or(first));
        Some(format!("{}: bakeoff did not write {first}{more}. Move or remove what you do not need", shown(&self.path)))
    }

    /// Removes it. Where something stays, the directory is no longer bakeoff's.
    ///
    /// # Errors
    /// Something cannot be removed or unmounted.
    pub fn carry_out(self) -> Result<()> {
        let Some(parts) = self.parts else { return self.own.remove() };
        for part in parts {
            let removed = if is_directory(&part) { std::fs::remove_dir(&part) } else { std::fs::remove_file(&part) };
            removed.with_context(|| format!("cannot remove {}", shown(&part)))?;
        }
        // A file system in user space keeps an open file's name, under another, until it is closed.
        drop((self.runs, self.own));
        if self.kept.is_empty() {
            std::fs::remove_dir(&self.path).with_context(|| format!("cannot remove {}", shown(&self.path)))?;
        }
        Ok(())
    }
}

/// Whether bakeoff writes a file of this name next to results.
fn is_of_a_run(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_damaged = name.strip_prefix("results-damaged-").and_then(|rest| rest.strip_suffix(".jsonl"));
    let is_numbered = is_damaged.is_some_and(|number| number.parse::<u64>().is_ok());
    !is_directory(path) && (FILES.contains(&name) || name == TWINS_PROGRAM || is_numbered)
}

/// Whether bakeoff writes a file of this name in one of [`DIRECTORIES`]: `ID-ROUND.log`, a flame graph or a recording.
fn is_of_a_cell(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let Some((id, rest)) = name.split_once('-') else { return false };
    let round = [".log", ".svg", ".cut"].iter().find_map(|end| rest.strip_suffix(end));
    !is_directory(path)
        && id.len() == ID_DIGITS
        && id.chars().all(|digit| digit.is_ascii_hexdigit())
        && round.is_some_and(|round| round.parse::<u32>().is_ok())
}

/// Whether something is a directory. A link to one is none.
fn is_directory(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|facts| facts.is_dir())
}

/// The entries of a directory, without its marker, in the order of names.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(directory).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = read.with_context(|| format!("cannot look into {}", shown(directory)))?;
    paths.retain(|path| !path.ends_with(MARKER));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All files below a directory.
    fn files_below(path: &Path) -> Vec<PathBuf> {
        let below = entries(path).unwrap().into_iter();
        below.flat_map(|path| if is_directory(&path) { files_below(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn what_bakeoff_wrote_is_listed_and_removed_and_nothing_else() {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().canonicalize().unwrap().join("run");
        drop(OwnDirectory::create(&path, Kind::Results).unwrap());
        std::fs::create_dir_all(path.join("logs/0123456789abcdef-3.log")).unwrap();
        std::fs::create_dir(path.join("run.new")).unwrap();
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
        let removal = Removal::plan(&path, Kind::Results).unwrap();
        let kept = removal.kept().unwrap();
        // Six with the two directories that are called as files are.
        assert!(kept.contains("bakeoff did not write logs/0123456789abcdef-3.log and 5 more"), "{kept}");
        let mut listed = removal.targets().to_vec();
        listed.sort();
        let mut expected: Vec<_> = ours.iter().chain(&[MARKER]).map(|name| path.join(name)).collect();
        expected.sort();
        assert_eq!(listed, expected);
        assert!(listed.iter().all(|path| path.exists()), "nothing is removed before it is carried out");
        removal.carry_out().unwrap();
        let mut left = files_below(&path);
        left.sort();
        let mut others = others.map(|name| path.join(name));
        others.sort();
        assert_eq!((left.as_slice(), kind_of(&path)), (others.as_slice(), None));
    }

    #[test]
    fn a_run_inside_a_run_is_removed_with_it_and_only_what_bakeoff_wrote() {
        for (note, stays) in [("inner/notes.txt", 1), ("inner/run.json", 0)] {
            let out = tempfile::tempdir().unwrap();
            let path = out.path().canonicalize().unwrap().join("run");
            for own in [path.clone(), path.join("inner")] {
                drop(OwnDirectory::create(&own, Kind::Results).unwrap());
                std::fs::create_dir(own.join("recordings")).unwrap();
                std::fs::write(own.join("results.jsonl"), "x").unwrap();
                std::fs::write(own.join("recordings/0123456789abcdef-1.cut"), "x").unwrap();
            }
            std::fs::write(path.join(note), "x").unwrap();
            let removal = Removal::plan(&path, Kind::Results).unwrap();
            assert_eq!(removal.kept().is_some(), stays > 0, "{:?}", removal.kept());
            removal.carry_out().unwrap();
            assert_eq!((path.exists(), path.join(note).exists()), (stays > 0, stays > 0));
        }
    }

    #[test]
    fn results_alone_are_listed_and_removed_whole() {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().canonicalize().unwrap().join("run");
        drop(OwnDirectory::create(&path, Kind::Results).unwrap());
        std::fs::create_dir(path.join(DIRECTORIES[0])).unwrap();
        std::fs::write(path.join(RUN_FILE), "{}").unwrap();
        let removal = Removal::plan(&path, Kind::Results).unwrap();
        assert_eq!((removal.targets(), removal.kept()), ([path.clone()].as_slice(), None));
        removal.carry_out().unwrap();
        assert!(!path.exists());
    }
}
