//! A run's directory, read whole.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use bakeoff_protocol::{CellEnd, PROTOCOL_VERSION, Profile, StoreDescription};
use bakeoff_text::command_again;
use serde_json::Value;

use crate::cell_rounds::{CellRound, parse_results};

/// Why a run cannot be read, or not be taken for a measurement.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The directory has no `run.json` that bakeoff wrote.
    #[error(
        "{} is not a bakeoff run: {why}. Name a directory that `bakeoff run` made, such as bakeoff-results/<time>-<suite>",
        directory.display()
    )]
    NotARun {
        /// The directory.
        directory: PathBuf,
        /// What is missing or wrong.
        why: String,
    },
    /// A file of the run is there and cannot be read.
    #[error("cannot read {} (check its permissions and that its disk works)", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A run was profiled, and only a measurement will do.
    #[error(
        "{} was profiled (--profile {profile}), which slows each store down in its own way: its figures are not to be compared with any; \
         run it again without --profile",
        directory.display()
    )]
    Profiled {
        /// The run.
        directory: PathBuf,
        /// What was profiled.
        profile: Profile,
    },
}

/// A run: what was to be measured, where, and every round that ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run's directory, as it was named.
    pub directory: PathBuf,
    /// `run.json` as it is (`docs/RESULTS.md` lists its keys; any may be absent).
    pub info: Value,
    /// The stores that `run.json` describes.
    pub stores: Vec<StoreDescription>,
    /// Every round of a cell that ended, in the order in which they ran.
    pub cells: Vec<CellRound>,
    /// What was left out of the results while reading, for people.
    pub notes: Vec<String>,
}

/// What is said of results without a line.
const EMPTY: &str = "results.jsonl is empty: nothing was measured, or it was emptied since";

/// What is left out where there is no `run.json` that can be read.
const WITHOUT_INFO: &str = "the results are shown alone, without machine, medium, warnings, the stores' titles and whether the run ended; stores for \
                            tests are ranked like others";

impl Run {
    /// Reads a run's directory.
    ///
    /// # Errors
    /// The directory has neither a `run.json` of bakeoff's nor results that can be read without it, or a file of it cannot be read. Damaged
    /// files are no error: what is left out is said in [`Run::notes`].
    pub fn read(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join("results.jsonl");
        let (cells, mut notes) = match std::fs::read(&path) {
            Ok(text) if text.is_empty() => (Vec::new(), vec![EMPTY.to_owned()]),
            Ok(text) => parse_results(&String::from_utf8_lossy(&text)),
            Err(source) if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                (Vec::new(), vec!["there is no results.jsonl: nothing was measured yet".to_owned()])
            }
            Err(source) => return Err(RunError::Read { path, source }),
        };
        let info = match read_info(directory) {
            Ok(info) => info,
            // Results say of themselves what was measured, so they can be shown alone.
            Err(RunError::NotARun { why, .. }) if !cells.is_empty() => {
                notes.insert(0, format!("{why}: {WITHOUT_INFO}"));
                Value::Object(serde_json::Map::new())
            }
            Err(error) => return Err(error),
        };
        let mut run = Self { directory: directory.to_owned(), stores: Vec::new(), info, cells, notes };
        run.read_stores();
        run.check_version();
        run.check_cells();
        Ok(run)
    }

    /// Whether anything is known but the results alone.
    pub fn is_told(&self) -> bool {
        self.info.as_object().is_some_and(|info| !info.is_empty())
    }

    /// A text of `run.json`, by its path: `["suite", "title"]`.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        path.iter().try_fold(&self.info, |value, key| value.get(key))?.as_str().filter(|text| !text.is_empty())
    }

    /// The entries of a list in `run.json`; none if it is absent.
    pub fn list(&self, key: &str) -> &[Value] {
        self.info.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// What the run is called.
    pub fn title(&self) -> &str {
        self.text(&["suite", "title"]).or(self.text(&["suite", "name"])).unwrap_or("bakeoff")
    }

    /// What ran drivers that need more than a processor, such as a Java, each with the titles of the stores that ran there.
    pub fn runtimes(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut runtimes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for end in self.cells.iter().map(|cell| &cell.end) {
            let Some(runtime) = end.opened.as_ref().and_then(|opened| opened.runtime.as_deref()) else { continue };
            let store = self.stores.iter().find(|store| store.name == end.axes.store);
            runtimes.entry(runtime).or_default().insert(store.map_or(&end.axes.store, |store| &store.title));
        }
        runtimes
    }

    /// The command that does a cell of this run again, in a clone of the project: its request, given to the store's driver.
    pub fn command_again(&self, cell: &str, store: &str) -> String {
        let offers = |driver: &&Value| {
            let stores = driver.get("stores").and_then(Value::as_array);
            stores.is_some_and(|stores| stores.iter().any(|name| name == store))
        };
        let path = self.list("drivers").iter().find(offers).and_then(|driver| driver.get("path")?.as_str());
        let driver = path.unwrap_or("bakeoff-driver");
        command_again("./bakeoff", cell, &self.directory.display().to_string(), driver)
    }

    /// Why a cell failed, and the command that shows it again: the engine's own stands behind its message.
    pub fn failure(&self, end: &CellEnd) -> (String, String) {
        let message = end.failure_message.as_deref().unwrap_or_default();
        match message.rsplit_once(" (again: ").and_then(|(why, again)| Some((why, again.strip_suffix(')')?))) {
            Some((why, again)) => (why.to_owned(), again.to_owned()),
            None => (message.to_owned(), self.command_again(&end.cell, &end.axes.store)),
        }
    }

    /// What was profiled in this run; `None` for a measurement. A run with a single profiled cell is none.
    pub fn profile(&self) -> Option<Profile> {
        self.cells.iter().find_map(|cell| cell.end.axes.profile).or_else(|| {
            let kind = self.text(&["profile", "kind"])?;
            kind.parse().ok()
        })
    }

    /// Refuses a run that was profiled where only a measurement will do.
    ///
    /// # Errors
    /// It was profiled.
    pub fn must_be_measured(&self) -> Result<(), RunError> {
        let refuse = |profile| Err(RunError::Profiled { directory: self.directory.clone(), profile });
        self.profile().map_or(Ok(()), refuse)
    }

    fn read_stores(&mut self) {
        let entries = self.list("stores");
        let stores: Vec<StoreDescription> =
            entries.iter().filter_map(|entry| serde_json::from_value(entry.clone()).ok()).collect();
        let unread = entries.len() - stores.len();
        if unread > 0 {
            self.notes.push(format!("{unread} store description(s) in run.json cannot be read by this version"));
        }
        self.stores = stores;
    }

    /// Cells whose ids `run.json` does not know came from another run.
    fn check_cells(&mut self) {
        let known: BTreeSet<&str> = self.list("cells").iter().filter_map(Value::as_str).collect();
        let ids: BTreeSet<&str> = self.cells.iter().map(|cell| cell.end.cell.as_str()).collect();
        let foreign = ids.into_iter().filter(|id| !known.contains(id)).count();
        let is_told = !known.is_empty();
        if foreign > 0 && is_told {
            self.notes.push(format!(
                "{foreign} cell(s) in results.jsonl are not among those of run.json: they seem to come from another run, and are shown \
                 with this one's"
            ));
        }
    }

    fn check_version(&mut self) {
        let written = self.info.get("protocol").and_then(Value::as_u64);
        if let Some(other) = written.filter(|version| *version != u64::from(PROTOCOL_VERSION)) {
            self.notes.push(format!(
                "the run was written in version {other} of the format, this program knows version {PROTOCOL_VERSION}: what \
                 it does not know is left out"
            ));
        }
    }
}

/// `run.json`, if it is one of ours.
fn read_info(directory: &Path) -> Result<Value, RunError> {
    let path = directory.join("run.json");
    let not_a_run = |why: String| RunError::NotARun { directory: directory.to_owned(), why };
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(source) => {
            return Err(match source.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    not_a_run("there is no run.json in it".to_owned())
                }
                _ => RunError::Read { path, source },
            });
        }
    };
    let info: Value =
        serde_json::from_slice(&text).map_err(|why| not_a_run(format!("its run.json is no JSON ({why})")))?;
    if info.get("bakeoff_version").is_none() && info.get("protocol").is_none() {
        return Err(not_a_run("its run.json has neither `bakeoff_version` nor `protocol`".to_owned()));
    }
    Ok(info)
}
