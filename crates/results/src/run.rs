//! Reads the directory of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use bakeoff_protocol::{CellEnd, Profile, StoreDescription};
use bakeoff_text::command_again;

use crate::cell_rounds::{CellRound, failed_cells};
use crate::contender::{shown_title, tell_apart};
use crate::error::RunError;
use crate::pick_facts::PickFacts;
use crate::rate_search::RateFacts;
use crate::read_note::ReadNote;
use crate::record::RunRecord;
use crate::results_file::{RESULTS_BYTES_MAX, RESULTS_FILE, read_and_look_for_seals};
use bakeoff_files::{check_length, open_regular};

/// A run: its plan, its place, and every round that ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run's directory as typed.
    pub directory: PathBuf,
    /// The readable parts of `run.json`.
    pub record: RunRecord,
    /// Every ended round of a cell, in order of execution.
    pub cells: Vec<CellRound>,
    /// Notes on parts left out while reading.
    pub notes: Vec<ReadNote>,
}

impl Run {
    /// Reads a run's directory.
    ///
    /// # Errors
    /// The directory has neither a `run.json` of bakeoff's nor results that can be read without it, or one of its files
    /// cannot be read. Damaged files are not an error: [`Run::notes`] lists the parts left out.
    pub fn read(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join(RESULTS_FILE);
        let (cells, mut notes, has_seals) = match read_file(&path) {
            Ok(read) => read,
            Err(source) if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                (Vec::new(), vec![ReadNote::NoResults], false)
            }
            Err(source) => return Err(RunError::Read { path, source }),
        };
        // Without checksums anybody may have written these figures, so a report must say so.
        notes.extend((!has_seals && !cells.is_empty()).then_some(ReadNote::ResultsUnsealed));
        let record = match RunRecord::read(directory) {
            Ok((record, notes_of_record)) => {
                // If nothing has a checksum, an older version wrote the run.
                notes.extend(notes_of_record.into_iter().filter(|note| has_seals || *note != ReadNote::RecordUnsealed));
                record
            }
            // Results name their cells, so they can be shown without `run.json`.
            Err(RunError::NotARun { why, .. }) if !cells.is_empty() => {
                notes.insert(0, ReadNote::ResultsAlone(why));
                RunRecord::default()
            }
            Err(error) => return Err(error),
        };
        let mut run = Self { directory: directory.to_owned(), record, cells, notes };
        tell_apart(&mut run.record.stores);
        run.record.suite.title = shown_title(&run.record.suite.title, &run.record.suite.name);
        run.check_cells();
        run.order();
        Ok(run)
    }

    /// A run made of these parts.
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

    /// The description of the store with this name.
    pub fn store(&self, name: &str) -> Option<&StoreDescription> {
        self.stores().iter().find(|store| store.name == name)
    }

    /// The title of the store with this name; the name if it is not described.
    pub fn store_title<'a>(&'a self, name: &'a str) -> &'a str {
        self.store(name).map_or(name, |store| &store.title)
    }

    /// The question, if this is a pick.
    pub fn pick(&self) -> Option<&PickFacts> {
        self.record.pick.as_ref()
    }

    /// The question, if this is a search for the highest rates.
    pub fn find_rate(&self) -> Option<&RateFacts> {
        self.record.find_rate.as_ref()
    }

    /// Whether it was stopped before its end.
    pub fn is_unfinished(&self) -> bool {
        self.is_told() && self.record.finished.is_none()
    }

    /// Whether anything besides the results is known.
    pub fn is_told(&self) -> bool {
        self.record != RunRecord::default()
    }

    /// The title of the run.
    pub fn title(&self) -> &str {
        self.record.title()
    }

    /// Runtimes of drivers, such as a Java virtual machine, each with the titles of its stores.
    pub fn runtimes(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut runtimes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for end in self.cells.iter().map(|cell| &cell.end) {
            let Some(runtime) = end.opened.as_ref().and_then(|opened| opened.runtime.as_deref()) else { continue };
            runtimes.entry(runtime).or_default().insert(self.store_title(&end.axes.store));
        }
        runtimes
    }

    /// The command that repeats a cell of this run in a clone of the project: it passes the cell's request to the
    /// store's driver.
    pub fn command_again(&self, cell: &str, store: &str) -> String {
        let drivers = &self.record.drivers;
        let driver = drivers.iter().find(|driver| driver.stores.iter().any(|name| name == store));
        let path = driver.map(|driver| driver.path.display().to_string()).filter(|path| !path.is_empty());
        let driver = path.as_deref().unwrap_or("bakeoff-driver");
        command_again(cell, &self.directory.display().to_string(), driver)
    }

    /// Why a cell failed, and the command that repeats it. Results of older versions have no command, so it is made
    /// from the run.
    pub fn failure(&self, end: &CellEnd) -> (String, String) {
        let again = end.failure_again.clone();
        let again = again.unwrap_or_else(|| self.command_again(&end.cell, &end.axes.store));
        (end.failure_message.clone().unwrap_or_default(), again)
    }

    /// The kind of profile of this run. `None` for a measurement. A run with any profiled cell is not a measurement.
    pub fn profile(&self) -> Option<Profile> {
        let of_cells = self.cells.iter().find_map(|cell| cell.end.axes.profile);
        of_cells.or_else(|| self.record.profile.as_ref().map(|profile| profile.kind))
    }

    /// Refuses a profiled run where a measurement is needed.
    ///
    /// # Errors
    /// It was profiled.
    pub fn must_be_measured(&self) -> Result<(), RunError> {
        let refuse = |profile| Err(RunError::Profiled { directory: self.directory.clone(), profile });
        self.profile().map_or(Ok(()), refuse)
    }

    /// Puts rounds in the order in which they ran, and phases in that of the suite, wherever their lines stand. Of rounds that began
    /// in the same second, those of cells that were planned first come first.
    fn order(&mut self) {
        let planned: BTreeMap<&str, usize> =
            self.record.cells.iter().enumerate().map(|(place, cell)| (cell.as_str(), place)).collect();
        let place = |cell: &str| planned.get(cell).copied().unwrap_or(planned.len());
        self.cells.sort_by_cached_key(|CellRound { end, .. }| {
            (end.started.clone(), end.round, place(&end.cell), end.cell.clone())
        });
        for round in &mut self.cells {
            let Some(order) = self.record.suite.phases_of(round.end.axes.variant.as_deref()) else { continue };
            let place = |phase: &str| order.iter().position(|name| name == phase).unwrap_or(order.len());
            round.phases.sort_by_key(|line| place(&line.result.phase));
        }
    }

    /// Notes cells whose ids are not in `run.json`: they come from another run. Notes lost rounds, which it counted.
    /// For runs whose cells are not known in advance, notes rounds that it did not count.
    fn check_cells(&mut self) {
        let known: BTreeSet<&str> = self.record.cells.iter().map(String::as_str).collect();
        let ids: BTreeSet<&str> = self.cells.iter().map(|cell| cell.end.cell.as_str()).collect();
        let foreign = ids.into_iter().filter(|id| !known.contains(id)).count();
        let is_told = !known.is_empty();
        if foreign > 0 && is_told {
            self.notes.push(ReadNote::ForeignCells(foreign));
        }
        // A rate search and a map find their cells as they go. Nothing is added to a finished run.
        let is_closed = !is_told && self.record.finished.is_some();
        let added = self.record.rounds_ended.map(|ended| (self.cells.len() as u64).saturating_sub(ended));
        self.notes.extend(added.filter(|added| is_closed && *added > 0).map(ReadNote::RoundsAdded));
        let missing = self.record.rounds_ended.unwrap_or(0).saturating_sub(self.cells.len() as u64);
        if missing > 0 {
            self.notes.push(ReadNote::RoundsMissing(missing));
        }
    }
}

/// The rounds in the file, notes on parts left out, and whether any line has a checksum.
fn read_file(path: &Path) -> io::Result<(Vec<CellRound>, Vec<ReadNote>, bool)> {
    let file = open_regular(path, OpenOptions::new().read(true))?;
    if check_length(&file, RESULTS_BYTES_MAX)? == 0 {
        return Ok((Vec::new(), vec![ReadNote::EmptyResults], false));
    }
    read_and_look_for_seals(BufReader::new(file))
}
