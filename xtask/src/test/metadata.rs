//! The packages of the workspace as `cargo metadata` describes them, with their declarations about tests.
//!
//! `[package.metadata.tests]` of a package may have:
//!
//! - `reads`: paths below the repository that its tests read, outside of the packages it depends on.
//! - `runs`: packages whose programs its tests start.
//! - `alone`: test targets that measure time. They run when nothing else does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::workspace::{Workspace, output_of};

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A package of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) dependencies: Vec<Dependency>,
    manifest_path: PathBuf,
    #[serde(default)]
    metadata: Option<PackageMetadata>,
}

/// A dependency that a package declares.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    /// `dev`, `build`, or `None` for a normal one.
    pub(crate) kind: Option<String>,
    /// Its path, if it is in the workspace.
    path: Option<PathBuf>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct PackageMetadata {
    #[serde(default)]
    tests: TestMetadata,
}

/// Declarations of a package about its tests.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestMetadata {
    #[serde(default)]
    pub(crate) reads: Vec<String>,
    #[serde(default)]
    pub(crate) runs: Vec<String>,
    #[serde(default)]
    pub(crate) alone: Vec<String>,
}

/// All packages of the workspace.
#[derive(Debug)]
pub(crate) struct Packages {
    packages: Vec<Package>,
}

impl Package {
    /// Its directory.
    pub(crate) fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("/"))
    }

    /// Its declarations about its tests.
    pub(crate) fn tests(&self) -> TestMetadata {
        self.metadata.clone().unwrap_or_default().tests
    }
}

impl Packages {
    /// # Errors
    /// Cargo cannot describe the workspace.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        let text = output_of(&mut workspace.cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"]));
        Self::parse(&text.context("cargo metadata failed")?)
    }

    pub(crate) fn parse(text: &str) -> Result<Self> {
        let metadata: Metadata = serde_json::from_str(text).context("cargo metadata is malformed")?;
        Ok(Self { packages: metadata.packages })
    }

    pub(crate) fn all(&self) -> &[Package] {
        &self.packages
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }

    fn by_name(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// The other packages of the workspace that a package's tests are compiled from, or start.
    pub(crate) fn behind_tests_of(&self, package: &Package) -> Vec<&Package> {
        let by_directory: BTreeMap<&Path, &Package> =
            self.packages.iter().map(|package| (package.directory(), package)).collect();
        let direct = |package: &Package, dev: bool| -> Vec<&Package> {
            let wanted = package.dependencies.iter().filter(|of| dev || of.kind.as_deref() != Some("dev"));
            wanted.filter_map(|of| by_directory.get(of.path.as_deref()?).copied()).collect()
        };
        let runs = package.tests().runs;
        let mut open = direct(package, true);
        open.extend(runs.iter().filter_map(|name| self.by_name(name)));
        let mut found = BTreeSet::new();
        while let Some(next) = open.pop() {
            if next.id != package.id && found.insert(next.id.clone()) {
                open.extend(direct(next, false));
            }
        }
        self.packages.iter().filter(|package| found.contains(&package.id)).collect()
    }
}

#[cfg(test)]
pub(crate) fn sample() -> Packages {
    let package = |name: &str, dependencies: &str, metadata: &str| {
        format!(
            r#"{{"id": "{name}#0", "name": "{name}", "version": "0.1.0", "dependencies": [{dependencies}],
                "manifest_path": "/w/{name}/Cargo.toml", "metadata": {metadata}}}"#
        )
    };
    let on = |name: &str, kind: &str| {
        format!(r#"{{"name": "{name}", "rename": null, "kind": {kind}, "path": "/w/{name}"}}"#)
    };
    let outside = r#"{"name": "serde", "rename": null, "kind": null}"#;
    let packages = [
        package("low", outside, "null"),
        package("middle", &[on("low", "null"), on("helper", "\"dev\"")].join(","), "null"),
        package("helper", "", "null"),
        package("driver", "", "null"),
        package(
            "top",
            &on("middle", "null"),
            r#"{"tests": {"runs": ["driver"], "reads": ["suites"], "alone": ["clock"]}, "other": 1}"#,
        ),
    ];
    Packages::parse(&format!(r#"{{"packages": [{}]}}"#, packages.join(","))).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_behind(name: &str) -> Vec<String> {
        let packages = sample();
        let package = packages.by_name(name).unwrap();
        packages.behind_tests_of(package).into_iter().map(|package| package.name.clone()).collect()
    }

    #[test]
    fn tests_stand_on_what_is_compiled_into_them_and_what_they_start() {
        assert_eq!(names_behind("low"), [""; 0]);
        assert_eq!(names_behind("middle"), ["low", "helper"]);
        // It lacks what only the tests of a dependency use.
        assert_eq!(names_behind("top"), ["low", "middle", "driver"]);
    }

    #[test]
    fn what_a_package_declares_about_its_tests_is_read() {
        let packages = sample();
        let tests = packages.by_name("top").unwrap().tests();
        assert_eq!((tests.reads, tests.alone), (vec!["suites".to_owned()], vec!["clock".to_owned()]));
        assert!(packages.by_name("low").unwrap().tests().runs.is_empty());
    }
}
