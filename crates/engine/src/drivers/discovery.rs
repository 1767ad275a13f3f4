//! Finds drivers and asks them what they can do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_limits::{Shortage, spawn_in};
use bakeoff_protocol::{
    DriverCheck, DriverDescription, PROTOCOL_VERSION, Platform, StoreDescription, TITLE_RULE, TWINS_PROGRAM,
    check_store_name, check_title,
};
use bakeoff_text::{printable_lines, shorten, shorten_error};
use serde_json::Value;

use crate::cell::log::{Log, jvm_start_failure};
use crate::drivers::process::{DriverStart, ask};
use crate::explain::explained;
use crate::programs::is_on_path;
use crate::strays::Strays;

/// Executables with this prefix, in this executable's directory or on PATH, are drivers.
const PREFIX: &str = "bakeoff-driver-";

/// How long a driver may take to describe itself (a JVM takes most of a second). All are asked at
/// the same time.
pub(crate) const DESCRIBE_TIME_MAX: Duration = Duration::from_secs(10);

/// How long `check` may take: the driver for the JVM starts one JVM for each store.
const CHECK_TIME_MAX: Duration = Duration::from_secs(90);

/// The most that is read of the first line of a script.
const LINE_BYTES_MAX: u64 = 4 << 10;

/// A driver that has described itself.
#[derive(Clone)]
pub struct Driver {
    /// Its executable.
    pub path: PathBuf,
    /// Its description of itself and its stores.
    pub description: DriverDescription,
}

/// The variables that give options to a JVM from outside. The last takes precedence over its command line.
const OPTIONS_OF_JVM: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

impl Driver {
    /// The options that the environment gives the driver's virtual machine, if it has one. They stay in force: the user
    /// may want to measure with them.
    pub fn options(&self) -> BTreeMap<String, String> {
        let names = OPTIONS_OF_JVM.into_iter().filter(|_| self.description.platform == Platform::Jvm);
        let value = |name| std::env::var_os(name).map(|value| value.to_string_lossy().trim().to_owned());
        let given = names.filter_map(|name| Some((name.to_owned(), value(name).filter(|value| !value.is_empty())?)));
        given.collect()
    }

    /// Asks a driver for the JVM for its findings.
    ///
    /// # Errors
    /// The things it cannot run without.
    pub fn check(&self) -> Result<DriverCheck, String> {
        let log = Log::in_memory().map_err(|why| explained(&why))?;
        let start = DriverStart::new(&self.path, "check", &log);
        let answer = ask(&start, Vec::new(), CHECK_TIME_MAX, Some(&Strays::watch()), &|| true);
        let answer = answer.map_err(|why| explained(&why))?;
        match answer.status {
            None => Err(format!("`check` {}", answer.ending())),
            Some(status) if status.success() => serde_json::from_slice(&answer.output).map_err(|error| {
                let why = shorten_error(&error);
                format!("its answer to `check` is not valid ({why}): build the driver again")
            }),
            Some(_) => Err(jvm_start_failure(&answer.log).unwrap_or_else(|| answer.log.trim().to_owned())),
        }
    }
}

/// Every driver found, and why the others are left out.
#[derive(Clone)]
pub struct Drivers {
    /// Drivers that answer, those found first before others.
    pub drivers: Vec<Driver>,
    /// What a run goes on without, and why, of drivers that could not be built.
    pub notes: Vec<String>,
    /// Programs that are there and do not answer.
    pub unresponsive: BTreeMap<String, UnresponsiveDriver>,
    /// Whether drivers on PATH were asked too, not only those in this executable's directory.
    is_whole: bool,
}

/// A driver that does not answer.
#[derive(Clone)]
pub struct UnresponsiveDriver {
    /// Its executable.
    pub path: PathBuf,
    /// The problem.
    pub why: String,
}

impl UnresponsiveDriver {
    /// Its path and its problem.
    pub fn describe(&self) -> String {
        format!("{} is left out: {}", self.path.display(), self.why)
    }
}

impl Drivers {
    /// Asks every driver: first in this executable's directory, then along PATH. Of drivers with the same file name the
    /// first counts.
    ///
    /// # Errors
    /// If no driver answers at all, or one cannot be started because a limit is reached.
    pub fn discover() -> Result<Self> {
        let mut found = Self::beside()?;
        found.ask_path()?;
        found.check_any()?;
        Ok(found)
    }

    /// Asks drivers along PATH only if those in this executable's directory lack one of these stores. A program on PATH
    /// that hangs then costs nothing.
    ///
    /// # Errors
    /// As [`Self::discover`].
    pub fn discover_for(stores: &[String]) -> Result<Self> {
        let mut found = Self::beside()?;
        found.ask_path_for(stores)?;
        found.check_any()?;
        Ok(found)
    }

    /// Asks the drivers in this executable's directory.
    ///
    /// # Errors
    /// One cannot be started because a limit is reached.
    pub(crate) fn beside() -> Result<Self> {
        let mut found = Self { drivers: Vec::new(), notes: Vec::new(), unresponsive: BTreeMap::new(), is_whole: false };
        found.ask(candidates().beside)?;
        Ok(found)
    }

    /// Asks the same ones again, since some may have been built.
    ///
    /// # Errors
    /// As [`Self::discover`].
    pub(crate) fn again(&self) -> Result<Self> {
        if self.is_whole { Self::discover() } else { Self::beside() }
    }

    /// Asks those along PATH, unless all of these stores are found.
    ///
    /// # Errors
    /// One cannot be started because a limit is reached.
    pub(crate) fn ask_path_for(&mut self, stores: &[String]) -> Result<()> {
        if stores.iter().any(|store| self.of_store(store).is_none()) { self.ask_path() } else { Ok(()) }
    }

    /// Asks those along PATH, unless they were.
    ///
    /// # Errors
    /// One cannot be started because a limit is reached.
    pub(crate) fn ask_path(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.is_whole, true) { Ok(()) } else { self.ask(candidates().on_path) }
    }

    /// Refuses to go on with no driver at all.
    pub(crate) fn check_any(&self) -> Result<()> {
        if !self.drivers.is_empty() {
            return Ok(());
        }
        let reasons = self
            .unresponsive
            .values()
            .map(|unresponsive| format!("\n  driver {}", unresponsive.describe()))
            .collect::<String>();
        bail!("no driver works: build with ./bakeoff, or put a {PREFIX}* on PATH{reasons}");
    }

    /// Asks these programs, and adds the drivers that answer.
    ///
    /// # Errors
    /// One cannot be asked because a limit is reached: its stores may be there.
    fn ask(&mut self, paths: Vec<PathBuf>) -> Result<()> {
        let described = describe_all(&paths);
        for (path, described) in paths.into_iter().zip(described) {
            refuse_shortage(&path, &described)?;
            match described {
                Ok(description) => self.drivers.push(Driver { path, description }),
                Err(error) => self.leave_out(&path, &error),
            }
        }
        Ok(())
    }

    /// Puts the driver at `path` before all others, so that its stores are measured with it.
    ///
    /// # Errors
    /// It does not describe itself, or cannot be started because a limit is reached.
    pub(crate) fn prefer(&mut self, path: &Path) -> Result<()> {
        let described = describe_all(&[path.to_owned()]).into_iter().next();
        let described = described.unwrap_or_else(|| Err(anyhow!("asking it failed")));
        refuse_shortage(path, &described)?;
        let description = described.with_context(|| format!("{} is not a driver", path.display()))?;
        self.drivers.insert(0, Driver { path: path.to_owned(), description });
        Ok(())
    }

    /// Stores that are there and cannot be asked for, and drivers that have none, each in a
    /// sentence.
    pub fn passed_over(&self) -> Vec<String> {
        let mut first: BTreeMap<&str, &Path> = BTreeMap::new();
        let mut told = Vec::new();
        // A driver for twins has the stores of another one once more.
        let is_of_twins = |driver: &&Driver| driver.path.file_name().is_some_and(|name| name == TWINS_PROGRAM);
        for Driver { path, description } in self.drivers.iter().filter(|driver| !is_of_twins(driver)) {
            let shown = path.display();
            if description.stores.is_empty() {
                told.push(format!("{shown} describes no stores: remove it, or have it describe some"));
            }
            for store in description.stores.iter().filter(|store| !store.test_only) {
                let name = &store.name;
                match first.get(name.as_str()) {
                    None => drop(first.insert(name, path)),
                    Some(before) if before == path => {
                        told.push(format!("{shown} describes `{name}` twice, and the first counts: rename one"));
                    }
                    Some(before) => told.push(format!(
                        "`{name}` of {shown} is never measured: {} has a store of this name, and is \
                         found first. Rename one",
                        before.display()
                    )),
                }
            }
        }
        told
    }

    fn leave_out(&mut self, path: &Path, error: &anyhow::Error) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.unresponsive.insert(name, UnresponsiveDriver { path: path.to_owned(), why: explained(error) });
    }

    /// Every store, each once: where two drivers offer one, the first found counts.
    pub fn stores(&self) -> Vec<StoreDescription> {
        let mut names = BTreeSet::new();
        let all = self.drivers.iter().flat_map(|driver| &driver.description.stores);
        all.filter(|store| names.insert(&store.name)).cloned().collect()
    }

    /// Why a store cannot be opened here, and how to fix that; `None` if it can.
    pub fn missing(&self, name: &str) -> Option<&str> {
        self.of_store(name)?.description.missing.get(name).map(String::as_str)
    }

    /// Whether a driver's executable has this name.
    pub fn has_program(&self, program: &str) -> bool {
        self.drivers.iter().any(|driver| driver.path.file_name().is_some_and(|name| name == program))
    }

    /// The driver of a store.
    pub fn of_store(&self, name: &str) -> Option<&Driver> {
        self.drivers.iter().find(|driver| driver.description.stores.iter().any(|store| store.name == name))
    }
}

/// Executable files whose names begin with [`PREFIX`], in the order in which they count.
struct Candidates {
    beside: Vec<PathBuf>,
    on_path: Vec<PathBuf>,
}

fn candidates() -> Candidates {
    let beside = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let path = std::env::var_os("PATH").unwrap_or_default();
    // An empty entry and `.` are the current directory, in which anyone may have left a program.
    let on_path = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
    let mut names = BTreeSet::new();
    let mut in_directory = |directory: PathBuf| {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let mut here: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_driver(path)).collect();
        here.sort();
        here.retain(|path| names.insert(path.file_name().map(std::ffi::OsStr::to_owned)));
        here
    };
    let beside = beside.into_iter().flat_map(&mut in_directory).collect();
    Candidates { beside, on_path: on_path.flat_map(in_directory).collect() }
}

fn is_driver(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    // `cargo build` leaves `NAME.d` files next to the programs; they are not executable.
    name.starts_with(PREFIX)
        && path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// Refuses a script whose interpreter is missing: the system's error does not show how to fix that.
fn check_interpreter(path: &Path) -> Result<()> {
    let mut first = Vec::new();
    let read = |file: File| BufReader::new(file).take(LINE_BYTES_MAX).read_until(b'\n', &mut first);
    // What cannot be read shows when it is started.
    let _ = File::open(path).and_then(read);
    let words = String::from_utf8_lossy(&first);
    let named = words.strip_prefix("#!/usr/bin/env ").map(str::trim).filter(|name| !name.contains(' '));
    match named.filter(|name| !is_on_path(name)) {
        Some(name) => {
            bail!("it is a script for {name}, which is not on PATH: install {name}, or add its directory to PATH")
        }
        None => Ok(()),
    }
}

/// Refuses to take a driver for absent, or for none, because a limit kept it from starting.
fn refuse_shortage(path: &Path, described: &Result<DriverDescription>) -> Result<()> {
    let shortage = described.as_ref().err().and_then(|error| Shortage::among(error.chain()));
    let cannot = || format!("cannot start the driver {}", path.display());
    shortage.map_or(Ok(()), |shortage| Err(shortage).with_context(cannot))
}

/// Has each of these programs describe itself, all at the same time.
fn describe_all(paths: &[PathBuf]) -> Vec<Result<DriverDescription>> {
    let strays = Strays::watch();
    let described = std::thread::scope(|scope| {
        let asked: Vec<_> = paths.iter().map(|path| spawn_in(scope, || describe(path))).collect();
        let described =
            |asked: ScopedJoinHandle<'_, Result<_>>| asked.join().unwrap_or_else(|_| Err(anyhow!("asking it failed")));
        asked.into_iter().map(|asked| asked.map_or_else(|why| Err(why.into()), described)).collect()
    });
    strays.kill();
    described
}

fn describe(path: &Path) -> Result<DriverDescription> {
    if path.to_str().is_none() {
        bail!("its path is not UTF-8, so run.json cannot keep it: move it to a UTF-8 path");
    }
    check_interpreter(path)?;
    let log = Log::in_memory()?;
    let start = DriverStart::new(path, "describe", &log);
    // Others answer at the same time, so leftovers are killed when all have answered.
    let answer = ask(&start, Vec::new(), DESCRIBE_TIME_MAX, None, &|| true)?;
    let described = match answer.status {
        Some(status) if status.success() || !answer.output.is_empty() => description_of(&answer.output),
        _ => Err(anyhow!("`describe` {}", answer.ending())),
    };
    described.map_err(|why| match answer.last_words() {
        words if words.is_empty() => why,
        words => anyhow!("{}; its last words: {words}", explained(&why)),
    })
}

/// A description in this version of the protocol.
fn description_of(text: &[u8]) -> Result<DriverDescription> {
    let description: DriverDescription = serde_json::from_slice(text).map_err(|error| {
        let why = shorten_error(&error);
        anyhow!("what it prints for `describe` is not a description (docs/PROTOCOL.md): {why}")
    })?;
    if description.protocol != PROTOCOL_VERSION {
        bail!("it speaks protocol {}, this is {PROTOCOL_VERSION}: build both alike", description.protocol);
    }
    for store in &description.stores {
        check_store_name(&store.name).map_err(|why| anyhow!("its store `{}` {why}", shorten(&store.name)))?;
        check_title(&store.title)
            .map_err(|wrong| anyhow!("the title of its store `{}` {wrong}: {TITLE_RULE}", store.name))?;
    }
    printable(&description)
}

/// The same with escapes in place of what would steer a terminal, in every text.
fn printable(description: &DriverDescription) -> Result<DriverDescription> {
    let mut value = serde_json::to_value(description)?;
    make_printable(&mut value);
    Ok(serde_json::from_value(value)?)
}

fn make_printable(value: &mut Value) {
    match value {
        Value::String(text) => *text = printable_lines(text),
        Value::Array(values) => values.iter_mut().for_each(make_printable),
        Value::Object(fields) => fields.values_mut().for_each(make_printable),
        _ => {}
    }
}
