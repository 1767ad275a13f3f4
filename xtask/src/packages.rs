//! Requirements on the system: libraries of some stores, and programs that tests use. `packages.toml` lists them.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::message::say;
use crate::workspace::{Workspace, has};

/// The tables of `packages.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Packages {
    pub(crate) stores: Vec<SystemStore>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) browser: Browser,
}

/// A store that uses the system's library.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SystemStore {
    pub(crate) feature: String,
    language: Language,
    header: String,
    package: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
enum Language {
    #[serde(rename = "c")]
    C,
    #[serde(rename = "c++")]
    Cpp,
}

/// A program that tests use.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    program: String,
    package: String,
    purpose: String,
}

/// A web browser, under any of several names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Browser {
    programs: Vec<String>,
    packages: Vec<String>,
}

impl Packages {
    /// # Errors
    /// `packages.toml`, which is part of this program, is malformed.
    pub(crate) fn read() -> Result<Self> {
        toml::from_str(include_str!("../packages.toml")).context("xtask/packages.toml is malformed")
    }

    /// Missing libraries of stores, as found by compiling.
    pub(crate) fn missing_libraries(&self) -> Missing {
        let missing: Vec<&SystemStore> = self.stores.iter().filter(|store| !store.is_there()).collect();
        let compiler = (!has_header(Language::Cpp, "string")).then_some("g++");
        Missing {
            features: missing.iter().map(|store| store.feature.clone()).collect(),
            headers: missing.iter().map(|store| store.header.clone()).collect(),
            compiler: compiler.is_some(),
            packages: compiler
                .into_iter()
                .chain(missing.iter().map(|store| store.package.as_str()))
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Installs the stores' libraries. The build leaves out what remains missing, which is returned.
    pub(crate) fn need_libraries(&self, workspace: &Workspace) -> Missing {
        let missing = self.missing_libraries();
        if missing.packages.is_empty() {
            return missing;
        }
        workspace.install(&missing.describe(), &missing.package_names());
        let missing = self.missing_libraries();
        if !missing.packages.is_empty() {
            say!(
                "building without the stores {}. To have them too, install {}, then start again",
                missing.features.join(", "),
                missing.describe()
            );
        }
        missing
    }

    /// Installs the programs that tests use, if the user is root. Tests skip what needs a missing program.
    pub(crate) fn want_tools(&self, workspace: &Workspace) {
        for tool in self.tools.iter().filter(|tool| !has(&tool.program)) {
            if is_root() {
                workspace.install(&format!("{}, {}", tool.program, tool.purpose), &[&tool.package]);
            }
        }
    }
}

/// Libraries that are not there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The features of the stores that need them.
    pub(crate) features: Vec<String>,
    /// Headers that the compiler does not find.
    pub(crate) headers: Vec<String>,
    /// Whether there is no C++ compiler.
    pub(crate) compiler: bool,
    /// Debian's packages.
    pub(crate) packages: Vec<String>,
}

impl Missing {
    /// The missing parts, in words that apply to every distribution.
    fn describe(&self) -> String {
        let headers = format!("the libraries with the headers {}", self.headers.join(", "));
        let parts = [self.compiler.then(|| "a C++ compiler".to_owned()), (!self.headers.is_empty()).then_some(headers)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", and ")
    }

    fn package_names(&self) -> Vec<&str> {
        self.packages.iter().map(String::as_str).collect()
    }
}

impl SystemStore {
    fn is_there(&self) -> bool {
        has_header(self.language, &self.header)
    }
}

impl Browser {
    /// Installs a browser if there is none. `CHROMIUM` names another program.
    pub(crate) fn need(&self, workspace: &Workspace) -> bool {
        let packages: Vec<&str> = self.packages.iter().map(String::as_str).collect();
        self.program().is_some() || workspace.install("a browser, to test the report's page", &packages)
    }

    /// The program that the tests will start.
    pub(crate) fn program(&self) -> Option<String> {
        let named = env::var("CHROMIUM").ok().filter(|name| !name.is_empty());
        named.or_else(|| self.programs.iter().find(|name| has(name)).cloned())
    }
}

/// Whether the compiler of a language finds a header.
fn has_header(language: Language, header: &str) -> bool {
    let (variable, default, name) = match language {
        Language::C => ("CC", "cc", "c"),
        Language::Cpp => ("CXX", "c++", "c++"),
    };
    let compiler = env::var(variable).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned());
    let mut command = Command::new(compiler);
    command.args(["-x", name, "-fsyntax-only", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let written = child.stdin.take().is_some_and(|mut input| writeln!(input, "#include <{header}>").is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}

/// Whether packages can be installed without asking for a password.
fn is_root() -> bool {
    crate::workspace::output_of(Command::new("id").arg("-u")).is_some_and(|id| id == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_packages_is_read_and_names_features_of_the_stores() {
        let packages = Packages::read().unwrap();
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/stores/Cargo.toml");
        let manifest: toml::Table = toml::from_str(&std::fs::read_to_string(manifest).unwrap()).unwrap();
        for store in &packages.stores {
            assert!(manifest["features"].get(&store.feature).is_some(), "{} is no feature", store.feature);
        }
        assert!(packages.tools.iter().any(|tool| tool.program == "strace"));
    }

    #[test]
    fn what_is_missing_is_described_without_names_of_packages() {
        let headers = vec!["db.h".to_owned(), "leveldb/db.h".to_owned()];
        let missing = Missing { headers, compiler: true, packages: vec!["g++".to_owned()], ..Missing::default() };
        assert_eq!(missing.describe(), "a C++ compiler, and the libraries with the headers db.h, leveldb/db.h");
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        let text = include_str!("../packages.toml").replacen("header = ", "headers = ", 1);
        assert!(toml::from_str::<Packages>(&text).is_err());
    }

    #[test]
    fn the_compiler_finds_a_header_that_is_there_and_no_other() {
        assert!(has_header(Language::C, "stdio.h"));
        assert!(!has_header(Language::C, "no/such/header.h"));
    }
}
