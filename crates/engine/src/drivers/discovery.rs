//! Finds drivers and asks them what they can do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_protocol::{
    DriverDescription, PROTOCOL_VERSION, Platform, StoreDescription, TWINS_PROGRAM, check_store_name,
};
use bakeoff_text::shorten;

use crate::programs::{is_on_path, kill};
use crate::strays::Strays;

/// Executables with this prefix, beside the command line or on PATH, are drivers.
const PREFIX: &str = "bakeoff-driver-";

/// How long a driver may take to describe itself (a JVM takes most of a second). All are asked at the same time.
pub(crate) const DESCRIBE_TIME_MAX: Duration = Duration::from_secs(10);

/// How long the last words of a driver that has ended are waited for.
const LAST_LINE_TIME_MAX: Duration = Duration::from_millis(200);

/// The most that is read of a line that a driver says to people.
const LINE_BYTES_MAX: u64 = 4 << 10;

/// The longest description that is read.
const DESCRIPTION_BYTES_MAX: u64 = 16 << 20;

/// A driver that has described itself.
pub struct Driver {
    /// Its executable.
    pub path: PathBuf,
    /// What it says of itself and its stores.
    pub description: DriverDescription,
}

/// The variables by which a JVM is told how to run from outside. The last goes before all that its command line says.
const OPTIONS_OF_JVM: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

impl Driver {
    /// What the environment tells the driver's virtual machine, if it has one. It is left in force: whoever set it may mean to measure with it.
    pub fn options(&self) -> BTreeMap<String, String> {
        let names = OPTIONS_OF_JVM.into_iter().filter(|_| self.description.platform == Platform::Jvm);
        let value = |name| std::env::var_os(name).map(|value| value.to_string_lossy().trim().to_owned());
        let given = names.filter_map(|name| Some((name.to_owned(), value(name).filter(|value| !value.is_empty())?)));
        given.collect()
    }
}

/// Every driver found, and what was wrong with those left out.
pub struct Drivers {
    /// Drivers that answer, those found first before others.
    pub drivers: Vec<Driver>,
    /// What a run goes on without, and why, of drivers that could not be built.
    pub notes: Vec<String>,
    /// Programs that are there and do not answer.
    pub unresponsive: BTreeMap<String, UnresponsiveDriver>,
    /// Whether those on PATH were asked, and not only those beside this executable.
    is_whole: bool,
}

/// A driver that does not answer.
pub struct UnresponsiveDriver {
    /// Its executable.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl UnresponsiveDriver {
    /// Where it is, and what is wrong with it.
    pub fn describe(&self) -> String {
        format!("{} is left out: {}", self.path.display(), self.why)
    }
}

impl Drivers {
    /// Asks every driver: those beside this executable, then those along PATH; of drivers with the same file name the first counts.
    ///
    /// # Errors
    /// If no driver answers at all.
    pub fn discover() -> Result<Self> {
        let mut found = Self::beside();
        found.ask_path();
        found.check_any()?;
        Ok(found)
    }

    /// Asks those along PATH only if one beside this executable has not all of these stores: a program on PATH that hangs then costs nothing.
    ///
    /// # Errors
    /// As [`Self::discover`].
    pub fn discover_for(stores: &[String]) -> Result<Self> {
        let mut found = Self::beside();
        found.ask_path_for(stores);
        found.check_any()?;
        Ok(found)
    }

    /// Asks those beside this executable.
    pub(crate) fn beside() -> Self {
        let mut found = Self { drivers: Vec::new(), notes: Vec::new(), unresponsive: BTreeMap::new(), is_whole: false };
        found.ask(candidates().beside);
        found
    }

    /// Asks the same ones again, since some may have been built.
    ///
    /// # Errors
    /// As [`Self::discover`].
    pub(crate) fn again(&self) -> Result<Self> {
        if self.is_whole { Self::discover() } else { Ok(Self::beside()) }
    }

    /// Asks those along PATH, unless all of these stores are found.
    pub(crate) fn ask_path_for(&mut self, stores: &[String]) {
        if stores.iter().any(|store| self.of_store(store).is_none()) {
            self.ask_path();
        }
    }

    /// Asks those along PATH, unless they were.
    pub(crate) fn ask_path(&mut self) {
        if !std::mem::replace(&mut self.is_whole, true) {
            self.ask(candidates().on_path);
        }
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

    /// Has each of these programs describe itself, all at the same time.
    fn ask(&mut self, paths: Vec<PathBuf>) {
        let strays = Strays::watch();
        let described: Vec<_> = std::thread::scope(|scope| {
            let asked: Vec<_> = paths.iter().map(|path| scope.spawn(|| describe(path))).collect();
            asked.into_iter().map(|asked| asked.join().unwrap_or_else(|_| Err(anyhow!("asking it failed")))).collect()
        });
        strays.kill();
        for (path, described) in paths.into_iter().zip(described) {
            match described {
                Ok(description) => self.drivers.push(Driver { path, description }),
                Err(error) => self.leave_out(&path, &error),
            }
        }
    }

    /// Puts the driver at `path` before all others, so that its stores are measured with it.
    ///
    /// # Errors
    /// It does not describe itself.
    pub(crate) fn prefer(&mut self, path: &Path) -> Result<()> {
        let description = describe(path).with_context(|| format!("{} is not a driver", path.display()))?;
        self.drivers.insert(0, Driver { path: path.to_owned(), description });
        Ok(())
    }

    /// Stores that are there and cannot be asked for, and drivers that have none, each in a sentence.
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
                        "`{name}` of {shown} is never measured, as {} has a store of this name and is found first: rename one",
                        before.display()
                    )),
                }
            }
        }
        told
    }

    fn leave_out(&mut self, path: &Path, error: &anyhow::Error) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.unresponsive.insert(name, UnresponsiveDriver { path: path.to_owned(), why: format!("{error:#}") });
    }

    /// Every store, each once: where two drivers offer one, the first found counts.
    pub fn stores(&self) -> Vec<StoreDescription> {
        let mut names = BTreeSet::new();
        let all = self.drivers.iter().flat_map(|driver| &driver.description.stores);
        all.filter(|store| names.insert(&store.name)).cloned().collect()
    }

    /// Why a store cannot be opened here, and how that is mended; `None` if it can.
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
    // `cargo build` leaves `NAME.d` files beside the programs; they are not executable.
    name.starts_with(PREFIX)
        && path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// Refuses a script whose interpreter is not there: what the system says of it does not tell what to do.
fn check_interpreter(path: &Path) -> Result<()> {
    let mut first = Vec::new();
    let read = |file: File| BufReader::new(file).take(LINE_BYTES_MAX).read_until(b'\n', &mut first);
    // What cannot be read shows when it is started.
    let _ = File::open(path).and_then(read);
    let words = String::from_utf8_lossy(&first);
    let named = words.strip_prefix("#!/usr/bin/env ").map(str::trim).filter(|name| !name.contains(' '));
    match named.filter(|name| !is_on_path(name)) {
        Some(name) => bail!("it is a script for {name}, which is not on PATH: install {name}"),
        None => Ok(()),
    }
}

fn describe(path: &Path) -> Result<DriverDescription> {
    check_interpreter(path)?;
    let mut child = Command::new(path)
        .arg("describe")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .context("it does not start")?;
    let words = child.stderr.take().map(last_line);
    read_with_limit(&mut child).and_then(|text| description_of(&text)).map_err(|error| {
        // Whatever still holds its standard error is not waited for.
        let words =
            words.and_then(|words| words.recv_timeout(LAST_LINE_TIME_MAX).ok()).filter(|words| !words.is_empty());
        words.map_or_else(|| anyhow!("{error:#}"), |words| anyhow!("{error:#}; its last words: {words}"))
    })
}

/// The last line of what somebody says, when all was said; all the while it is read, so that nobody is held up.
fn last_line(from: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut last = String::new();
        let mut lines = BufReader::new(from);
        let mut line = Vec::new();
        // A line without an end is taken in pieces.
        while lines.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            let said = String::from_utf8_lossy(&line).trim().to_owned();
            line.clear();
            last = if said.is_empty() { last } else { said };
        }
        // Nobody waits for it where all went well.
        let _ = send.send(last);
    });
    receive
}

/// A description in this version of the protocol.
fn description_of(text: &str) -> Result<DriverDescription> {
    let description: DriverDescription =
        serde_json::from_str(text).context("what it prints for `describe` is not a description (docs/PROTOCOL.md)")?;
    if description.protocol != PROTOCOL_VERSION {
        bail!("it speaks protocol {}, this is {PROTOCOL_VERSION}: build both alike", description.protocol);
    }
    for store in &description.stores {
        check_store_name(&store.name).map_err(|why| anyhow!("its store `{}` {why}", shorten(&store.name)))?;
    }
    Ok(description)
}

/// What the child prints until it ends; it is killed, with all it has started, when it takes too long or prints too much.
fn read_with_limit(child: &mut Child) -> Result<String> {
    let stdout = child.stdout.take().context("it has no standard output")?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.take(DESCRIPTION_BYTES_MAX).read_to_string(&mut text).map(|_| text)
    });
    let begin = Instant::now();
    while !reader.is_finished() && begin.elapsed() < DESCRIBE_TIME_MAX {
        std::thread::sleep(Duration::from_millis(1));
    }
    if !reader.is_finished() {
        kill(child);
        bail!("`describe` took more than {} s", DESCRIBE_TIME_MAX.as_secs());
    }
    let text = reader.join().map_err(|_| anyhow::anyhow!("reading from it failed"))?;
    let status = match child.try_wait()? {
        Some(status) => status,
        None => {
            // It closed its output; give it a moment to end by itself.
            std::thread::sleep(Duration::from_millis(20));
            kill(child);
            child.wait()?
        }
    };
    let text = text.context("what it prints is not text")?;
    if !status.success() && text.is_empty() {
        bail!("`describe` ended with {status}");
    }
    Ok(text)
}
