//! Imported recordings: the operations of an application instead of drawn ones, in the same files as any recording.
//!
//! An importer writes the tapes and the pool into a directory and calls [`keep_import`] last. Until then, nothing takes
//! the directory for a recording.

use std::path::Path;

use crate::recording::{RECORDING_FILE, RecordingFile, from_json, to_json};
use crate::{Recording, TapeError, Workload, consume};

/// What follows every byte of the tapes of a recording, for [`crate::Import::identity`].
pub fn import_identity(recording: &Recording) -> String {
    let identities: Vec<&str> = recording.phases.iter().map(|phase| phase.tape_checksum.as_str()).collect();
    format!("{:016x}", consume::xxh64(identities.concat().as_bytes()))
}

/// Makes the directory of an import a recording, which its files, named relative to it, must be complete for. `verify_checksum` is
/// the identity of the last tape, `generator` the name and version of what made them.
///
/// # Errors
/// The directory cannot be written.
pub fn keep_import(
    directory: &Path,
    generator: &str,
    workload: &Workload,
    recording: Recording,
    verify_checksum: String,
) -> Result<(), TapeError> {
    let workload = to_json(workload, directory)?;
    RecordingFile { generator: generator.to_owned(), workload, corpus_stamp: None, verify_checksum, recording }
        .write(directory)
}

/// Opens an imported tape: a stand-in for its workload, and its files. It reads and checks every file.
///
/// # Errors
/// No import made the directory, or its files are not as they were written.
pub fn open_import(directory: &Path) -> Result<(Workload, Recording), TapeError> {
    let foreign = |what: &str| TapeError::NotImported { path: directory.to_owned(), what: what.to_owned() };
    let not_read = |why| foreign(&format!("{}: {why}", directory.join(RECORDING_FILE).display()));
    let file = RecordingFile::read(directory).map_err(not_read)?;
    let workload: Workload = from_json(file.workload.as_bytes()).map_err(not_read)?;
    let Some(import) = &workload.import else { return Err(foreign("its operations were drawn for a suite")) };
    let (identity, phases) = (import.identity.clone(), workload.phases.len());
    let damaged = |why| foreign(&format!("a file of it is missing, damaged or was changed: {why}"));
    let recording = file.whole(directory).map_err(damaged)?;
    if import_identity(&recording) != identity || recording.phases.len() != phases {
        return Err(foreign("its tapes are not the imported ones"));
    }
    Ok((workload, recording))
}
