//! A recorded workload: its files, and facts about them.

use std::path::{Path, PathBuf};

use bakeoff_files::read_regular;
use bakeoff_text::shorten_error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Counts, Pool, PoolFacts, TapeError, TapeReader};

/// The file that is written last and says what the others are.
pub(crate) const RECORDING_FILE: &str = "recording.json";

/// The longest file of facts about a recording, bytes: a workload is described in it twice.
pub(crate) const FACTS_BYTES_MAX: u64 = 16 << 20;

/// A phase's tape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseTape {
    /// The phase.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The tape's identity: 16 hexadecimal digits.
    pub tape_checksum: String,
    /// Operations on the tape, commits and restoring inserts included.
    pub operations: u64,
    /// What a driver must report of it.
    pub counts: Counts,
    /// Records alive after the phase.
    pub records_after: u64,
    /// Bytes of keys and values alive after the phase.
    pub data_bytes_after: u64,
    /// Bytes of keys and values that the phase writes, restoring inserts included.
    pub written_bytes: u64,
    /// The phase only inserts, keys ascending byte by byte, into an empty store.
    pub ascending: bool,
}

/// What may be known beforehand about the data of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hints {
    /// Records alive at the same time, at most.
    pub records_max: u64,
    /// Records that all phases insert together, deleted ones included.
    pub records_inserted: u64,
    /// Length of the longest key.
    pub key_bytes_max: u64,
    /// Mean length of a value written.
    pub value_bytes_mean: u64,
    /// Length of the longest value.
    pub value_bytes_max: u64,
    /// Bytes of keys and values alive at the same time, at most.
    pub data_bytes_max: u64,
    /// Bytes of keys and values that all phases write together.
    pub written_bytes: u64,
    /// All keys are big-endian integers of one length.
    pub integer_keys: bool,
}

/// A recorded workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The value pool.
    pub pool: PathBuf,
    /// Facts about it.
    pub pool_facts: PoolFacts,
    /// The phases' tapes, in order.
    pub phases: Vec<PhaseTape>,
    /// The tape that scans everything that must be there after the last phase.
    pub verify: PathBuf,
    /// What may be known beforehand about the data.
    pub hints: Hints,
}

impl Recording {
    /// Every file that a driver reads of it.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.pool, &self.verify].into_iter().chain(self.phases.iter().map(|phase| &phase.path)).map(PathBuf::as_path)
    }

    /// The same with its files in `directory`.
    pub(crate) fn located(mut self, directory: &Path) -> Self {
        self.pool = directory.join(&self.pool);
        self.verify = directory.join(&self.verify);
        for phase in &mut self.phases {
            phase.path = directory.join(&phase.path);
        }
        self
    }
}

/// What `recording.json` holds. A recording is used again only if all of this but the recording itself is as it would be.
#[derive(Serialize, Deserialize)]
pub(crate) struct RecordingFile {
    pub(crate) generator: String,
    /// The workload as JSON text: compared letter by letter, so that no number is rounded on the way.
    pub(crate) workload: String,
    /// Follows the files that text was taken from.
    pub(crate) corpus_stamp: Option<u64>,
    pub(crate) verify_checksum: String,
    /// With file names only, so that the directory can be moved.
    pub(crate) recording: Recording,
}

impl RecordingFile {
    /// Writes it into a directory whose tapes are complete.
    pub(crate) fn write(&self, directory: &Path) -> Result<(), TapeError> {
        let file = directory.join(RECORDING_FILE);
        let temporary = directory.join("recording.json.part");
        std::fs::write(&temporary, to_json(self, &file)?).map_err(TapeError::io("write", &temporary))?;
        std::fs::rename(&temporary, &file).map_err(TapeError::io("give its name to", &file))
    }

    /// Reads it from a directory.
    ///
    /// # Errors
    /// It is missing or damaged; the message quotes little of it.
    pub(crate) fn read(directory: &Path) -> Result<Self, String> {
        let text = read_regular(&directory.join(RECORDING_FILE), FACTS_BYTES_MAX).map_err(|why| why.to_string())?;
        from_json(&text)
    }

    /// The recording, with its files in `directory`. It reads and checks each file, except files of a wrong length.
    ///
    /// # Errors
    /// The first file that is missing, damaged or another one.
    pub(crate) fn whole(self, directory: &Path) -> Result<Recording, String> {
        let recording = self.recording.located(directory);
        let told = |why: TapeError| why.to_string();
        let pool = Pool::open_whole(&recording.pool, recording.pool_facts.bytes).map_err(told)?;
        let (pool_bytes, pool_checksum) = (pool.bytes(), pool.checksum());
        let check = |path: &Path, identity: &str| {
            let tape = TapeReader::open(path).map_err(told)?;
            let facts = tape.facts();
            let is_it =
                facts.identity() == identity && (facts.pool_bytes, facts.pool_checksum) == (pool_bytes, pool_checksum);
            if !is_it {
                return Err(format!("{} is not the tape that was recorded here", path.display()));
            }
            tape.check().map(drop).map_err(told)
        };
        recording.phases.iter().try_for_each(|phase| check(&phase.path, &phase.tape_checksum))?;
        check(&recording.verify, &self.verify_checksum)?;
        Ok(recording)
    }
}

/// Reads what [`to_json`] made. The error's message quotes little of the text.
pub(crate) fn from_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|why| shorten_error(&why))
}

/// A value as JSON text, which is written into a file at `path`.
pub(crate) fn to_json(value: &impl Serialize, path: &Path) -> Result<String, TapeError> {
    serde_json::to_string(value).map_err(|error| TapeError::io("write as JSON into", path)(error.into()))
}
