//! A run from its plan to its end: bakeoff makes the files that it needs, measures the cells, and removes the rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use bakeoff_measure::{Machine, Medium};

use crate::map::Map;
use crate::mode::{Mode, measure};
use crate::place::guard::Guard;
use crate::place::made_media::MadeMedia;
use crate::place::own_directory::OwnDirectory;
use crate::place::scratch::{Scratch, remove_left_behind, remove_leftovers, report_left_stores};
use crate::plan::setup::Setup;
use crate::race::Race;
use crate::rate_search::RateSearches;
use crate::reporter::Reporter;
use crate::run::Run;
use crate::state::{Ended, RunState};
use crate::surroundings::interrupt::Interrupt;
use crate::surroundings::progress::Display;
use bakeoff_results::record::RunRecord;
use bakeoff_results::results_file::{PutAside, ResultsFile};

/// The part of the usable memory that a driver may take for itself, so that one store's hunger does
/// not bring the machine down.
const MEMORY_PART: (u64, u64) = (9, 10);

/// A measured run. Its results are kept; tapes, stores and made media exist until it is dropped or removed.
pub struct FinishedRun {
    /// How it ended.
    pub ended: Ended,
    /// Whether it can be taken up again where it ended.
    pub is_resumable: bool,
    pub(crate) grounds: Grounds,
}

impl FinishedRun {
    /// Removes what the run needed, which can take a while where there are many files.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub fn remove(self) -> Result<()> {
        self.grounds.scratch.remove()?;
        self.grounds.made.remove()
    }
}

/// What a run is measured on: directories for tapes and stores, and the media that are made for it.
pub(crate) struct Grounds {
    scratch: Scratch,
    made: MadeMedia,
    // Dropped after the media, which it guards.
    _guard: Option<Guard>,
}

impl Grounds {
    /// Makes what a run needs, after what earlier runs left was removed, and writes the first
    /// `run.json`.
    ///
    /// # Errors
    /// Something cannot be made.
    pub(crate) fn prepare(setup: &Setup, directory: &OwnDirectory, file: &mut RunRecord) -> Result<Self> {
        let name = directory.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        remove_leftovers(setup.directories.values().chain([&setup.base]), &name, setup.reporter);
        remove_left_behind(&setup.base, setup.reporter);
        report_left_stores(setup.directories.values(), setup.reporter);
        // Before the media, so that it is dropped after them, and outside their namespace.
        let guard = (!setup.made.is_empty()).then(|| Guard::start(&setup.base, &name)).transpose()?;
        let made = MadeMedia::create(&setup.made, &setup.base, &name, setup.is_cut())?;
        let directories = all_directories(setup, &made, file);
        file.write(directory.path())?;
        if let Some(groups) = &setup.groups {
            // A group that cannot be removed does no harm.
            groups.leftovers().iter().for_each(|group| drop(std::fs::remove_dir(group)));
        }
        let scratch = Scratch::create(&directories, &setup.base, &name, setup.reporter)?;
        Ok(Self { scratch, made, _guard: guard })
    }

    /// The run that is measured here, at its beginning.
    ///
    /// # Errors
    /// Its results cannot be opened.
    pub(crate) fn begin<'a>(
        &'a mut self,
        (setup, directory, file): (&'a Setup, &'a OwnDirectory, RunRecord),
        interrupt: &'a Interrupt,
        begin: Instant,
        budget: Option<Duration>,
    ) -> Result<RunState<'a>> {
        let memory_bytes = file.machine.as_ref().and_then(Machine::memory_usable_bytes);
        Ok(RunState {
            setup,
            directory,
            file,
            results: open_results(directory.path(), setup.reporter)?,
            scratch: &mut self.scratch,
            interrupt,
            budget,
            memory_bytes_max: memory_bytes.map(|bytes| bytes / MEMORY_PART.1 * MEMORY_PART.0),
            begin,
            cut: None,
            tapes: BTreeMap::new(),
        })
    }
}

/// Measures the plan: all of it, or as a race, in search of the highest rates, or for a map, as `file` says. The
/// results are kept in `directory`.
///
/// # Errors
/// Something that the run needs cannot be made, or its results cannot be written.
pub fn execute(
    setup: &Setup,
    directory: &OwnDirectory,
    mut file: RunRecord,
    budget: Option<Duration>,
) -> Result<FinishedRun> {
    let begin = Instant::now();
    let interrupt = Interrupt::install()?;
    let mut grounds = Grounds::prepare(setup, directory, &mut file)?;
    let mut run = grounds.begin((setup, directory, file), &interrupt, begin, budget)?;
    let mut display = Display::new(setup.reporter);
    let (pick, rates, map) = (run.file.pick.clone(), run.file.find_rate.clone(), run.file.map.clone());
    let is_resumable = pick.is_none();
    let mode: Box<dyn Mode> = if let Some(facts) = pick {
        Box::new(Race::new(&run, facts)?)
    } else if let Some(facts) = rates {
        Box::new(RateSearches::new(&mut run, facts))
    } else if let Some(facts) = map {
        Box::new(Map::new(&mut run, facts)?)
    } else {
        Box::new(Run::new(&mut run, &mut display)?)
    };
    let ended = measure(run, mode, display)?;
    Ok(FinishedRun { ended, is_resumable, grounds })
}

/// Where each medium is, the made ones included, which are recorded now that they are there.
fn all_directories(setup: &Setup, made: &MadeMedia, file: &mut RunRecord) -> BTreeMap<String, PathBuf> {
    let mut directories = setup.directories.clone();
    for (medium, directory) in made.directories() {
        let facts = Medium::read(&directory);
        // The kernel names the server of the file system; bakeoff knows what it made.
        let file_system = setup.made.get(&medium).map(|new| new.name.to_owned()).or(facts.file_system.clone());
        let image_on = (!facts.is_memory()).then(|| Box::new(Medium::read(&setup.base)));
        file.media.insert(medium.clone(), Medium { file_system, image_on, ..facts });
        directories.insert(medium, directory);
    }
    directories
}

/// Opens the results to add to them, and reports what has to be measured again.
fn open_results(directory: &Path, reporter: Reporter) -> Result<ResultsFile> {
    let (results, put_aside) = ResultsFile::open(directory)?;
    if let Some(PutAside { rounds, path, copy }) = put_aside {
        reporter.report(&format!(
            "{rounds} round(s) of cells in {} are not whole, or cannot be read: they are measured again; the file as it was is {}",
            path.display(),
            copy.display()
        ));
    }
    Ok(results)
}
