//! Compares declarations of packages with their sources. Finds dependencies that no file uses, and files outside of a
//! package that it compiles in or names, and that its `reads` does not list.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::files::files_below;
use crate::test::inputs::ALWAYS;
use crate::test::metadata::{Package, Packages};

/// # Errors
/// There are some.
pub(crate) fn check(root: &Path, packages: &Packages) -> Result<()> {
    let unused: Vec<String> = packages.all().iter().flat_map(unused_by).collect();
    ensure!(
        unused.is_empty(),
        "dependencies that nothing uses: {}. Remove them from the Cargo.toml",
        unused.join(", ")
    );
    let undeclared = packages.all().iter().flat_map(|package| undeclared_by(root, packages, package));
    let undeclared: Vec<String> = undeclared.collect();
    ensure!(
        undeclared.is_empty(),
        "files outside of a package that it reads, and not in `reads` of its [package.metadata.tests]: {}. Their changes would not run the tests again",
        undeclared.join(", ")
    );
    Ok(())
}

/// Files that a package includes with `include_str!` or `include_bytes!`, or names by a path from its own directory,
/// although a change there would not run its tests again.
fn undeclared_by(root: &Path, packages: &Packages, package: &Package) -> Vec<String> {
    let behind = packages.behind_tests_of(package);
    let mut known: Vec<PathBuf> = behind.iter().map(|behind| behind.directory().to_owned()).collect();
    known.push(package.directory().to_owned());
    known.extend(package.tests().reads.iter().map(String::as_str).chain(ALWAYS).map(|path| root.join(path)));
    let mut undeclared = Vec::new();
    for file in sources_below(package.directory()) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let included = text.split("include_").skip(1).filter_map(included_path);
        let included = included.map(|path| (path, file.parent().unwrap_or(root).join(path)));
        let above = package.directory().join("../..");
        let named = text.split("../../").skip(1).filter_map(|rest| rest.split(['"', '{']).next());
        for (name, path) in included.chain(named.map(|path| (path, above.join(path)))) {
            let inside = path.canonicalize().ok().filter(|path| path.starts_with(root) && path != root);
            if inside.is_some_and(|path| !known.iter().any(|known| path.starts_with(known))) {
                undeclared.push(format!("{name} of {}", file.display()));
            }
        }
    }
    undeclared
}

/// The path in `str!("../x.toml"), …`.
fn included_path(text: &str) -> Option<&str> {
    let path = text.strip_prefix("str!(\"").or_else(|| text.strip_prefix("bytes!(\""))?;
    path.split('"').next()
}

fn sources_below(directory: &Path) -> Vec<PathBuf> {
    let is_source = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "rs");
    files_below(directory).into_iter().filter(is_source).collect()
}

fn unused_by(package: &Package) -> Vec<String> {
    let directory = package.directory();
    let source = names_below(&[directory.join("src"), directory.join("targets")].map(|path| path.to_owned()));
    let tests = names_below(&[directory.join("tests"), directory.join("benches")]);
    let build = names_in(&fs::read_to_string(directory.join("build.rs")).unwrap_or_default());
    let unused = package.dependencies.iter().filter(|dependency| {
        let name = dependency.rename.as_ref().unwrap_or(&dependency.name).replace('-', "_");
        match dependency.kind.as_deref() {
            Some("build") => !build.contains(&name),
            // Unit tests are in the sources.
            Some("dev") => !tests.contains(&name) && !source.contains(&name),
            _ => !source.contains(&name),
        }
    });
    unused.map(|dependency| format!("{} of {}", dependency.name, package.name)).collect()
}

fn names_below(directories: &[impl AsRef<Path>]) -> BTreeSet<String> {
    let sources = directories.iter().flat_map(|directory| sources_below(directory.as_ref()));
    sources.flat_map(|file| names_in(&fs::read_to_string(file).unwrap_or_default())).collect()
}

/// The words of a source without comments.
fn names_in(source: &str) -> BTreeSet<String> {
    let code = source.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let words =
        code.flat_map(|line| line.split(|character: char| !character.is_ascii_alphanumeric() && character != '_'));
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_code_and_not_of_comments() {
        let names =
            names_in("// anyhow is not used\n/// nor toml\nuse serde_json::Value;\nlet x = rustix::fs::open();");
        assert!(names.contains("serde_json") && names.contains("rustix"));
        assert!(!names.contains("anyhow") && !names.contains("toml"));
    }

    #[test]
    fn a_dependency_that_no_file_names_is_found() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("a");
        fs::create_dir_all(directory.join("src")).unwrap();
        fs::create_dir_all(directory.join("tests")).unwrap();
        fs::write(directory.join("src/lib.rs"), "use serde::Deserialize;\n").unwrap();
        fs::write(directory.join("tests/it.rs"), "use temp_file::new;\n").unwrap();
        let dependency = |name: &str, kind: &str| format!(r#"{{"name": "{name}", "rename": null, "kind": {kind}}}"#);
        let dependencies = [
            dependency("serde", "null"),
            dependency("temp-file", "null"),
            dependency("temp-file", "\"dev\""),
            dependency("cc", "\"build\""),
        ];
        let manifest = directory.join("Cargo.toml");
        let text = format!(
            r#"{{"packages": [{{"id": "a", "name": "a", "version": "1.0.0", "manifest_path": "{}", "dependencies": [{}]}}]}}"#,
            manifest.display(),
            dependencies.join(",")
        );
        let error = check(place.path(), &Packages::parse(&text).unwrap()).unwrap_err().to_string();
        assert!(error.contains(": temp-file of a, cc of a."), "{error}");
    }

    #[test]
    fn a_file_outside_that_is_compiled_in_must_be_declared() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/src")).unwrap();
        fs::write(root.join("list.toml"), "").unwrap();
        fs::write(root.join("a/src/lib.rs"), "const LIST: &str = include_str!(\"../../list.toml\");\n").unwrap();
        let checked = |reads: &str| check(&root, &package_of(&root.join("a/Cargo.toml"), reads));
        assert!(checked("").unwrap_err().to_string().contains("../../list.toml"));
        checked("\"list.toml\"").unwrap();
    }

    #[test]
    fn a_file_outside_that_is_named_must_be_declared() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("crates/a/tests")).unwrap();
        fs::create_dir_all(root.join("bench")).unwrap();
        fs::write(root.join("bench/columns"), "").unwrap();
        let code = "fn path() -> PathBuf { Path::new(DIRECTORY).join(\"../../bench/columns\") } // ../../nothing\n";
        fs::write(root.join("crates/a/tests/it.rs"), code).unwrap();
        let checked = |reads: &str| check(&root, &package_of(&root.join("crates/a/Cargo.toml"), reads));
        assert!(checked("").unwrap_err().to_string().contains("bench/columns of "));
        checked("\"bench\"").unwrap();
    }

    /// A package with this manifest, which declares that its tests read these files.
    fn package_of(manifest: &Path, reads: &str) -> Packages {
        let text = format!(
            r#"{{"packages": [{{"id": "a", "name": "a", "version": "1.0.0", "manifest_path": "{}", "dependencies": [],
                "metadata": {{"tests": {{"reads": [{reads}]}}}}}}]}}"#,
            manifest.display()
        );
        Packages::parse(&text).unwrap()
    }
}
