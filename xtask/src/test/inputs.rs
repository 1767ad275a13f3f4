//! Inputs of a step, by content. A step whose inputs have not changed since it passed need not run again.

use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh64::Xxh64;

use crate::files::files_below;
use crate::test::metadata::{Package, Packages};

/// Files that every compilation reads.
pub(crate) const ALWAYS: [&str; 4] = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", ".cargo"];

/// A hash over everything that a step reads and its command.
#[derive(Clone)]
pub(crate) struct Inputs {
    root: PathBuf,
    hash: Xxh64,
}

impl Inputs {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), hash: Xxh64::new(0) }
    }

    /// A fact, such as an argument or the version of a tool.
    pub(crate) fn fact(mut self, text: &str) -> Self {
        self.add(text.as_bytes());
        self
    }

    /// A file, or all files below a directory, by their paths below the repository. An absent file is a fact too.
    pub(crate) fn path(self, path: &str) -> Self {
        self.path_without(path, &[])
    }

    /// The same, without some directories.
    fn path_without(mut self, path: &str, without: &[PathBuf]) -> Self {
        let path = self.root.join(path);
        let files = if path.is_dir() { files_below(&path) } else { vec![path] };
        for file in files.iter().filter(|file| !without.iter().any(|without| file.starts_with(without))) {
            let name = file.strip_prefix(&self.root).unwrap_or(file).as_os_str().as_encoded_bytes().to_vec();
            self.add(&name);
            match fs::read(file) {
                Ok(bytes) => self.add(&bytes),
                Err(_) => self.add(b"\0absent"),
            }
        }
        self
    }

    /// Everything that the tests of a package are built from and read.
    pub(crate) fn tests_of(self, packages: &Packages, package: &Package) -> Self {
        let mut inputs = ALWAYS.iter().fold(self, |inputs, path| inputs.path(path));
        inputs = inputs.path(&package.directory().display().to_string());
        for behind in packages.behind_tests_of(package) {
            let directory = behind.directory();
            // Tests of other packages are not part of a package's own.
            let without = ["tests", "benches"].map(|name| directory.join(name));
            inputs = inputs.path_without(&directory.display().to_string(), &without);
            // A file outside of the package may be compiled in.
            inputs = behind.tests().reads.iter().fold(inputs, |inputs, path| inputs.path(path));
        }
        package.tests().reads.iter().fold(inputs, |inputs, path| inputs.path(path))
    }

    /// The key of a record.
    pub(crate) fn key(&self) -> String {
        format!("{:016x}", self.hash.digest())
    }

    /// The length comes first, so that different splits of a text differ.
    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(&(bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [("a/src/lib.rs", "one"), ("a/tests/it.rs", "two"), ("suites/x.toml", "three")] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn a_key_changes_with_a_byte_a_name_and_an_argument_and_with_nothing_else() {
        let root = repository();
        let key = |fact: &str| Inputs::new(root.path()).fact(fact).path("a").key();
        let first = key("x");
        assert_eq!(first, key("x"));
        assert_ne!(first, key("y"));
        // The time of a file is not part of its content.
        fs::write(root.path().join("a/src/lib.rs"), "one").unwrap();
        fs::write(root.path().join("suites/x.toml"), "four").unwrap();
        assert_eq!(first, key("x"));
        fs::write(root.path().join("a/src/lib.rs"), "two").unwrap();
        let second = key("x");
        assert_ne!(first, second);
        fs::rename(root.path().join("a/src/lib.rs"), root.path().join("a/src/main.rs")).unwrap();
        assert_ne!(second, key("x"));
    }

    #[test]
    fn a_file_that_appears_changes_the_key() {
        let root = repository();
        let key = || Inputs::new(root.path()).path("published.csv").key();
        let absent = key();
        fs::write(root.path().join("published.csv"), "").unwrap();
        assert_ne!(absent, key());
    }

    #[test]
    fn two_facts_are_not_one() {
        let root = repository();
        let new = || Inputs::new(root.path());
        assert_ne!(new().fact("ab").fact("c").key(), new().fact("a").fact("bc").key());
    }

    #[test]
    fn tests_of_a_dependency_do_not_change_the_key() {
        let root = repository();
        let directory = root.path().join("a");
        let key = || {
            let without = [directory.join("tests")];
            Inputs::new(root.path()).path_without(&directory.display().to_string(), &without).key()
        };
        let first = key();
        fs::write(directory.join("tests/it.rs"), "other").unwrap();
        assert_eq!(first, key());
        fs::write(directory.join("src/lib.rs"), "other").unwrap();
        assert_ne!(first, key());
    }
}
