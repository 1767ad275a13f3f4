//! Steps that use npm: they lint the page's JavaScript, and compare the page's embedded libraries with their packages.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::test::step::Files;
use crate::workspace::{Workspace, has, output_of};

/// The linter, which only this step uses.
pub(crate) const LINTER: &str = "@biomejs/biome@2.6.8";

/// The names of scripts.
macro_rules! scripts {
    ($($name:literal),*) => {
        &[$($name),*]
    };
}

/// The page's scripts in order, which the linter needs.
const SCRIPTS: &[&str] = include!("../../../crates/report/web/scripts.rs");

/// Where the page's sources are.
pub(crate) const WEB: &str = "crates/report/web";

/// The libraries embedded in the page, as listed in `libraries.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Libraries {
    libraries: Vec<Library>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    file: String,
    package: String,
    path: String,
    version: String,
    #[serde(rename = "licence")]
    _licence: String,
}

/// Lints the page's scripts. They are joined first, as they are in the page: they share one scope.
///
/// # Errors
/// The linter finds something.
pub(crate) fn lint(workspace: &Workspace, files: &mut Files) -> Result<()> {
    if !can_fetch(LINTER, files)? {
        return Ok(());
    }
    let directory = workspace.own.join("page-lint");
    fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let web = workspace.root.join(WEB);
    fs::write(directory.join("page.js"), joined(&web.join("js"))?)?;
    fs::copy(web.join("biome.json"), directory.join("biome.json")).context("cannot copy biome.json")?;
    let mut npm = npm_exec();
    npm.args(["lint", "--error-on-warnings", "--colors=off", "page.js"]).current_dir(&directory);
    files.run(&mut npm)
}

/// The linter, through npm.
fn npm_exec() -> Command {
    let mut npm = Command::new("npm");
    npm.args(["exec", "--yes", "--package", LINTER, "--", "biome"]);
    npm
}

/// All scripts of a directory in the page's order, each with its name above.
fn joined(directory: &Path) -> Result<String> {
    let count = crate::files::files_below(directory).len();
    ensure!(
        count == SCRIPTS.len(),
        "{} has {count} scripts, and {} are known here",
        directory.display(),
        SCRIPTS.len()
    );
    let read = |name: &str| {
        let source = fs::read_to_string(directory.join(name)).with_context(|| format!("cannot read {name}"))?;
        Ok(format!("// {name}\n{source}\n"))
    };
    SCRIPTS.iter().map(|name| read(name)).collect()
}

/// Compares the page's embedded libraries with their packages.
///
/// # Errors
/// Some differ.
pub(crate) fn compare_libraries(workspace: &Workspace, files: &mut Files) -> Result<()> {
    let vendor = workspace.root.join(WEB).join("vendor");
    let list = vendor.join("libraries.toml");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let Libraries { libraries } = toml::from_str(&text).with_context(|| format!("{} is malformed", list.display()))?;
    ensure!(!libraries.is_empty(), "{} lists nothing", list.display());
    let work = workspace.own.join("npm-packages");
    for Library { file, package, path, version, .. } in libraries {
        let wanted = format!("{package}@{version}");
        if !can_fetch(&wanted, files)? {
            return Ok(());
        }
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(&work)?;
        let mut pack = Command::new("npm");
        pack.args(["pack", "--silent", &wanted, "--pack-destination"]).arg(&work).current_dir(&work);
        files.run(&mut pack)?;
        let archive = crate::files::files_below(&work).into_iter().next().context("npm packed nothing")?;
        files.run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&work))?;
        let (ours, theirs) = (fs::read(vendor.join(&file))?, fs::read(work.join("package").join(&path)));
        if theirs.with_context(|| format!("{wanted} has no {path}"))? != ours {
            bail!("{file} is not {path} of {wanted}");
        }
    }
    Ok(())
}

/// Whether npm can fetch a package. If not, that is recorded as a skip.
fn can_fetch(package: &str, files: &mut Files) -> Result<bool> {
    if !has("npm") {
        files.skip(&format!("{package}: npm is not there"))?;
    } else if output_of(Command::new("npm").args(["view", "--prefer-offline", package, "version"]))
        .is_none_or(|version| version.is_empty())
    {
        files.skip(&format!("{package}: npm does not reach it"))?;
    } else {
        return Ok(true);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_scripts_of_the_page_are_linted_and_its_libraries_listed() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(WEB);
        assert!(joined(&web.join("js")).unwrap().starts_with("// theme.js\n"));
        let list = fs::read_to_string(web.join("vendor/libraries.toml")).unwrap();
        let Libraries { libraries } = toml::from_str(&list).unwrap();
        for library in libraries {
            assert!(web.join("vendor").join(&library.file).exists(), "{}", library.file);
        }
    }
}
