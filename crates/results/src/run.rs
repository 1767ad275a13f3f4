//! A run's directory, read whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use bakeoff_protocol::{CellEnd, Profile, StoreDescription};
use bakeoff_text::command_again;

use crate::cell_rounds::{CellRound, failed_cells};
use crate::error::RunError;
use crate::pick_facts::PickFacts;
use crate::rate_search::RateFacts;
use crate::read_note::ReadNote;
use crate::record::RunRecord;
use crate::results_file::{RESULTS_BYTES_MAX, RESULTS_FILE, read_and_look_for_seals};
use bakeoff_files::{check_length, open_regular};

/// A run: what was to be measured, where, and every round that ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run's directory, as it was named.
    pub directory: PathBuf,
    /// `run.json`, as far as it can be read.
    pub record: RunRecord,
    /// Every round of a cell that ended, in the order in which they ran.
    pub cells: Vec<CellRound>,
    /// What was left out while it was read.
    pub notes: Vec<ReadNote>,
}

impl Run {
    /// Reads a run's directory.
    ///
    /// # Errors
    /// The directory has neither a `run.json` of bakeoff's nor results that can be read without it,
    /// or a file of it cannot be read. Damaged files are no error: what is left out is said in
    /// [`Run::notes`].
    pub fn read(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join(RESULTS_FILE);
        let (cells, mut notes, has_seals) = match read_file(&path) {
            Ok(read) => read,
            Err(source) if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                (Vec::new(), vec![ReadNote::NoResults], false)
            }
            Err(source) => return Err(RunError::Read { path, source }),
        };
        // A report of figures that anybody may have written must say so.
        notes.extend((!has_seals && !cells.is_empty()).then_some(ReadNote::ResultsUnsealed));
        let record = match RunRecord::read(directory) {
            Ok((record, notes_of_record)) => {
                // Without a checksum anywhere an older version wrote the run.
                notes.extend(notes_of_record.into_iter().filter(|note| has_seals || *note != ReadNote::RecordUnsealed));
                record
            }
            // Results name what was measured, so they can be shown alone.
            Err(RunError::NotARun { why, .. }) if !cells.is_empty() => {
                notes.insert(0, ReadNote::ResultsAlone(why));
                RunRecord::default()
            }
            Err(error) => return Err(error),
        };
        let mut run = Self { directory: directory.to_owned(), record, cells, notes };
        run.check_cells();
        Ok(run)
    }

    /// A run of these parts.
    pub fn new(directory: PathBuf, record: RunRecord, cells: Vec<CellRound>, notes: Vec<ReadNote>) -> Self {
        Self { directory, record, cells, notes }
    }

    /// The rounds that count: those of cells that never failed.
    pub fn counted(&self) -> impl Iterator<Item = &CellRound> {
        let failed = failed_cells(&self.cells);
        self.cells.iter().filter(move |cell| !failed.contains(cell.end.cell.as_str()))
    }

    /// The stores that `run.json` describes.
    pub fn stores(&self) -> &[StoreDescription] {
        &self.record.stores
    }

    /// What was asked, if this was a pick.
    pub fn pick(&self) -> Option<&PickFacts> {
        self.record.pick.as_ref()
    }

    /// What was looked for, if this was a search for the highest rates.
    pub fn find_rate(&self) -> Option<&RateFacts> {
        self.record.find_rate.as_ref()
    }

    /// Whether it was stopped before its end.
    pub fn is_unfinished(&self) -> bool {
        self.is_told() && self.record.finished.is_none()
    }

    /// Whether anything is known but the results alone.
    pub fn is_told(&self) -> bool {
        self.record != RunRecord::default()
    }

    /// What the run is called.
    pub fn title(&self) -> &str {
        self.record.title()
    }

    /// What ran drivers that need more than a processor, such as a Java, each with the titles of
    /// the stores that ran there.
    pub fn runtimes(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut runtimes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for end in self.cells.iter().map(|cell| &cell.end) {
            let Some(runtime) = end.opened.as_ref().and_then(|opened| opened.runtime.as_deref()) else { continue };
            let store = self.stores().iter().find(|store| store.name == end.axes.store);
            runtimes.entry(runtime).or_default().insert(store.map_or(&end.axes.store, |store| &store.title));
        }
        runtimes
    }

    /// The command that does a cell of this run again, in a clone of the project: its request,
    /// given to the store's driver.
    pub fn command_again(&self, cell: &str, store: &str) -> String {
        let drivers = &self.record.drivers;
        let driver = drivers.iter().find(|driver| driver.stores.iter().any(|name| name == store));
        let path = driver.map(|driver| driver.path.display().to_string()).filter(|path| !path.is_empty());
        let driver = path.as_deref().unwrap_or("bakeoff-driver");
        command_again("./bakeoff", cell, &self.directory.display().to_string(), driver)
    }

    /// Why a cell failed, and the command that repeats it. Results of older versions have no such
    /// command: it is then made from the run.
    pub fn failure(&self, end: &CellEnd) -> (String, String) {
        let again = end.failure_again.clone();
        let again = again.unwrap_or_else(|| self.command_again(&end.cell, &end.axes.store));
        (end.failure_message.clone().unwrap_or_default(), again)
    }

    /// What was profiled in this run; `None` for a measurement. A run with a single profiled cell
    /// is none.
    pub fn profile(&self) -> Option<Profile> {
        let of_cells = self.cells.iter().find_map(|cell| cell.end.axes.profile);
        of_cells.or_else(|| self.record.profile.as_ref().map(|profile| profile.kind))
    }

    /// Refuses a run that was profiled where only a measurement will do.
    ///
    /// # Errors
    /// It was profiled.
    pub fn must_be_measured(&self) -> Result<(), RunError> {
        let refuse = |profile| Err(RunError::Profiled { directory: self.directory.clone(), profile });
        self.profile().map_or(Ok(()), refuse)
    }

    /// Cells whose ids `run.json` does not know came from another run, and rounds that it counted
    /// were lost. Where it knows none beforehand, rounds that it did not count were added.
    fn check_cells(&mut self) {
        let known: BTreeSet<&str> = self.record.cells.iter().map(String::as_str).collect();
        let ids: BTreeSet<&str> = self.cells.iter().map(|cell| cell.end.cell.as_str()).collect();
        let foreign = ids.into_iter().filter(|id| !known.contains(id)).count();
        let is_told = !known.is_empty();
        if foreign > 0 && is_told {
            self.notes.push(ReadNote::ForeignCells(foreign));
        }
        // A search and a map find out on the way which cells there are. Nothing is added to a run that is finished.
        let is_closed = !is_told && self.record.finished.is_some();
        let added = self.record.rounds_ended.map(|ended| (self.cells.len() as u64).saturating_sub(ended));
        self.notes.extend(added.filter(|added| is_closed && *added > 0).map(ReadNote::RoundsAdded));
        let missing = self.record.rounds_ended.unwrap_or(0).saturating_sub(self.cells.len() as u64);
        if missing > 0 {
            self.notes.push(ReadNote::RoundsMissing(missing));
        }
    }
}

/// The rounds in the file, notes on what was left out, and whether some line has a checksum.
fn read_file(path: &Path) -> io::Result<(Vec<CellRound>, Vec<ReadNote>, bool)> {
    let file = open_regular(path, OpenOptions::new().read(true))?;
    if check_length(&file, RESULTS_BYTES_MAX)? == 0 {
        return Ok((Vec::new(), vec![ReadNote::EmptyResults], false));
    }
    read_and_look_for_seals(BufReader::new(file))
}
