//! Files of the repository, and what a document names of them.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use super::parts::Code;

/// Directories that hold no sources: history, what was built, and results of runs.
const NO_SOURCES: [&str; 4] = [".git", "bakeoff-results", "node_modules", "target"];

/// What tests and runs write into the repository.
const WRITTEN: [&str; 1] = ["fuzz/artifacts"];

/// The document of which every path must exist, as it is the map of the code.
const MAP: &str = "ARCHITECTURE.md";

/// Files and directories below a root, by their paths from there, with `/` between names.
#[derive(Debug)]
pub struct Files(BTreeSet<String>);

impl Files {
    /// Lists them.
    ///
    /// # Errors
    /// A directory cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let mut files = BTreeSet::new();
        list(root, "", &mut files)?;
        Ok(Self(files))
    }

    /// All paths.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        path.to_str().is_some_and(|path| self.0.contains(path.trim_end_matches('/')))
    }

    /// Missing files that code in a document names. In a line of the map every path counts; elsewhere, paths that begin
    /// with a directory of the root, and Rust files.
    pub(super) fn missing_of<'a>(&self, document: &Path, code: &'a Code) -> Vec<&'a str> {
        let is_map = code.block.is_none() && document == Path::new(MAP);
        let words = code.text.split(|letter: char| letter.is_whitespace() || "(),:;`'\"=".contains(letter));
        let words = words.map(|word| word.trim_end_matches('.'));
        let is_named = |word: &&str| {
            let begins = word.split_once('/').is_some_and(|(first, _)| !first.is_empty() && self.0.contains(first));
            let is_path = word.contains('/') || [".md", ".toml", ".json", ".js"].iter().any(|end| word.ends_with(end));
            let is_rust = code.block.is_none() && word.ends_with(".rs");
            let is_one = !word.contains(['*', '$', '{', '<', '…']) && *word != "run.json" && !word.contains("//");
            is_one && (begins || is_rust || (is_map && is_path && !code.text.contains(' ')))
        };
        let is_written = |word: &&str| WRITTEN.iter().any(|written| word.starts_with(written));
        words.filter(is_named).filter(|word| !is_written(word) && !self.knows(word)).collect()
    }

    /// Whether there is such a path: from the root on if its first part is there, and else anywhere, as paths inside a crate are named.
    fn knows(&self, path: &str) -> bool {
        let wanted: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let is_from_root = wanted.len() > 1 && self.0.contains(wanted[0]);
        self.0.iter().any(|known| {
            let parts: Vec<&str> = known.split('/').collect();
            let fits = parts.len() == wanted.len() || (parts.len() > wanted.len() && !is_from_root);
            fits && parts.iter().rev().zip(wanted.iter().rev()).all(|(part, wanted)| is_name(wanted, part))
        })
    }
}

/// Whether a name is the wanted one, or the wanted one is a placeholder: capitals such as `NAME` or `NAME.rs`.
fn is_name(wanted: &str, name: &str) -> bool {
    let (stem, extension) = wanted.split_once('.').unwrap_or((wanted, ""));
    let is_placeholder = !stem.is_empty() && stem.chars().all(|letter| letter.is_ascii_uppercase() || letter == '-');
    wanted == name || (is_placeholder && name.ends_with(extension))
}

/// A path without `.` and `..`.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = normal.pop(),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

fn list(directory: &Path, prefix: &str, files: &mut BTreeSet<String>) -> Result<()> {
    let entries = std::fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if NO_SOURCES.contains(&name.as_str()) {
            continue;
        }
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &path, files)?;
        }
        files.insert(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_there_is_noticed() {
        let known = ["crates", "crates/results", "crates/results/race.rs", "jvm", "jvm/stores", "jvm/stores/xodus"];
        let files = Files(known.map(str::to_owned).into());
        for there in ["crates/results", "race.rs", "results/", "jvm/stores/NAME", "crates/results/NAME.rs"] {
            assert!(files.knows(there), "{there}");
        }
        for missing in ["crates/race.rs", "pick.rs", "jvm/NAME/stores", "crates/results/race", "jvm/stores/NAME.toml"] {
            assert!(!files.knows(missing), "{missing}");
        }
        let code = |text: &str, block: Option<&str>| Code { line: 1, text: text.into(), block: block.map(Into::into) };
        let missing = |text, block| files.missing_of(Path::new("docs/A.md"), &code(text, block)).join(" ");
        assert_eq!(missing("jvm/run --all crates/results/race.rs", Some("console")), "jvm/run");
        assert_eq!(missing("gone.rs", None), "gone.rs");
        assert_eq!(missing("my/own.toml and https://a.example/jvm/b", None), "");
        assert_eq!(files.missing_of(Path::new(MAP), &code("my/own.toml", None)), ["my/own.toml"]);
    }
}
