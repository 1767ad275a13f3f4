//! `results.jsonl`: the only code that reads or writes it.
//!
//! Lines are only appended, a cell's round in one write. Every reader of the file gets the same rounds. Unreadable
//! lines, impossible figures, and rounds without an end or a phase are left out. The order of lines does not matter.
//! Before lines are appended, everything left out is removed, so that it is measured again. A copy of the original file
//! is kept.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bakeoff_protocol::{CellStatus, ResultLine};

use crate::assembly::Assembly;
use crate::cell_rounds::CellRound;
use crate::plausible::{absurd, long_text_in};
use crate::read_note::{LinesLeftOut, ReadNote};
use crate::seal::{Seal, digits_of, seal, seal_of};
use bakeoff_files::{check_length, check_links, open_regular, replace_file};
use bakeoff_text::format_size;

/// The file's name in a run's directory.
pub const RESULTS_FILE: &str = "results.jsonl";

/// The longest line with its line end, bytes. A driver's event has at most half of that.
const LINE_BYTES_MAX: u64 = 8 << 20;

/// The maximum length of the file, bytes: its rounds are kept in memory.
pub(crate) const RESULTS_BYTES_MAX: u64 = 8 << 30;

/// The longest text in a line, bytes: a driver's longest text plus bakeoff's additions.
const TEXT_BYTES_MAX: usize = 128 << 10;

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file cannot be opened.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A damaged file cannot be copied.
    #[error("cannot copy {} to {}", path.display(), copy.display())]
    Copy {
        /// The file.
        path: PathBuf,
        /// The path of the copy.
        copy: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The sound part of a damaged file cannot be written.
    #[error("cannot write {}", path.display())]
    Replace {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A round cannot be appended.
    #[error(
        "cannot add to results.jsonl. Fix that, then `{} run --resume` continues from here; a pick \
         starts again",
        bakeoff_text::program()
    )]
    Append(#[source] io::Error),
    /// A result cannot be written as JSON.
    #[error("cannot write a result as JSON")]
    Json(#[source] serde_json::Error),
    /// Appended data may not have reached the disk.
    #[error("cannot flush results.jsonl")]
    Flush(#[source] io::Error),
}

/// Reads the text of a `results.jsonl`: every finished round of a cell, and a note for each kind of omission.
///
/// Unreadable lines are left out, such as the incomplete last line of a killed run, and kinds of lines unknown to this
/// version. So are lines with impossible figures, rounds without an end or without all their phases, and repeated ends
/// of a round.
///
/// # Errors
/// The text cannot be read.
pub fn read_results(text: impl BufRead) -> io::Result<(Vec<CellRound>, Vec<ReadNote>)> {
    read_and_look_for_seals(text).map(|(cells, notes, _)| (cells, notes))
}

/// The same, and whether any line has a checksum.
pub(crate) fn read_and_look_for_seals(text: impl BufRead) -> io::Result<(Vec<CellRound>, Vec<ReadNote>, bool)> {
    let mut reading = Reading::default();
    reading.read(text)?;
    let Reading { assembly, unreadable, changed, has_seals, unsealed, untrue, is_torn, repeated, .. } = reading;
    let (cells, mut notes) = assembly.finish();
    notes.extend(unreadable.note(ReadNote::LinesUnreadable));
    // One version writes a run, and seals all of its lines or none.
    notes.extend((has_seals && unsealed > 0).then_some(ReadNote::LinesUnsealed(unsealed)));
    notes.extend((repeated > 0).then_some(ReadNote::LinesRepeated(repeated)));
    notes.extend(changed.note(ReadNote::LinesChanged));
    notes.extend(untrue.note(ReadNote::LinesUntrue));
    notes.extend(is_torn.then_some(ReadNote::TornLine));
    Ok((cells, notes, has_seals))
}

/// The same from a text in memory.
pub fn parse_results(text: &str) -> (Vec<CellRound>, Vec<ReadNote>) {
    // Reading from memory cannot fail.
    read_results(text.as_bytes()).unwrap_or_default()
}

/// The contents of a file.
#[derive(Default)]
struct Reading {
    assembly: Assembly,
    /// Lines that are not empty.
    lines: usize,
    unreadable: LinesLeftOut,
    changed: LinesLeftOut,
    /// Whether any line has a checksum, and the number of lines without one.
    has_seals: bool,
    unsealed: usize,
    /// Checksums of the lines so far, and the number of lines whose checksum was seen before.
    seals: HashSet<Vec<u8>>,
    repeated: usize,
    untrue: LinesLeftOut,
    is_torn: bool,
}

impl Reading {
    /// Reads line by line, so that only the rounds are in memory.
    fn read(&mut self, mut text: impl BufRead) -> io::Result<()> {
        let (mut line, mut at) = (Vec::new(), 0_u64);
        for index in 0.. {
            line.clear();
            // One byte more, so that a line of exactly the maximum length is complete.
            let mut length = text.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)?;
            if length == 0 {
                break;
            }
            let is_too_long = length as u64 > LINE_BYTES_MAX;
            if is_too_long && !line.ends_with(b"\n") {
                length += text.skip_until(b'\n')?;
            }
            let place = at..at + length as u64;
            at = place.end;
            if is_too_long {
                self.lines += 1;
                let most = format_size(LINE_BYTES_MAX);
                self.unreadable.add(index, &format!("it has {length} bytes, and the maximum is {most}"));
                continue;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            self.lines += 1;
            match self.line(index, &line, place) {
                Ok(()) => {}
                Err(_) if !line.ends_with(b"\n") => self.is_torn = true,
                Err(why) => self.unreadable.add(index, &why),
            }
        }
        Ok(())
    }

    /// Adds a line.
    fn line(&mut self, index: usize, line: &[u8], place: Range<u64>) -> Result<(), String> {
        let text = std::str::from_utf8(line).map_err(|why| why.to_string())?;
        let read = ResultLine::from_json(text).map_err(|why| why.to_string())?;
        match seal_of(line) {
            Seal::Intact => {
                self.has_seals = true;
                if digits_of(line).is_some_and(|digits| !self.seals.insert(digits.to_owned())) {
                    self.repeated += 1;
                    return Ok(());
                }
            }
            Seal::None => self.unsealed += 1,
            Seal::Broken => {
                self.has_seals = true;
                self.changed.add(index, "its checksum does not match");
                return Ok(());
            }
        }
        if let Some(what) = long_text_in(text, TEXT_BYTES_MAX) {
            return Err(what);
        }
        match absurd(text, &read) {
            Some(figure) => self.untrue.add(index, &figure),
            None => self.assembly.add(read, Some(place)),
        }
        Ok(())
    }

    /// Whether each line belongs to a round that ended.
    fn is_whole(&self) -> bool {
        self.lines == self.assembly.lines() + self.repeated
    }
}

/// What was removed from a damaged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutAside {
    /// The number of unfinished rounds that can be named. They are measured again.
    pub rounds: usize,
    /// The file.
    pub path: PathBuf,
    /// The copy of the original file.
    pub copy: PathBuf,
}

/// The results of a run, open for appending.
pub struct ResultsFile {
    file: File,
    assembly: Assembly,
}

impl ResultsFile {
    /// Opens or creates the file. Lines that belong to no finished round are removed: unreadable lines, impossible
    /// figures, and rounds with missing phases or from a killed run. A copy of the whole original file is kept under
    /// another name.
    ///
    /// # Errors
    /// The file cannot be opened, read or written.
    pub fn open(directory: &Path) -> Result<(Self, Option<PutAside>), ResultsError> {
        let path = directory.join(RESULTS_FILE);
        let (mut file, mut reading) = open(&path)?;
        let mut put_aside = None;
        if !reading.is_whole() {
            put_aside = Some(remove_unfinished(directory, &path, &file, &reading)?);
            (file, reading) = open(&path)?;
        }
        file.seek(SeekFrom::End(0))
            .and_then(|_| end_line(&mut file))
            .map_err(|source| ResultsError::Replace { path, source })?;
        Ok((Self { file, assembly: reading.assembly }, put_aside))
    }

    /// Appends a cell's round in one write. The last line must be the end of the cell.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, mut lines: Vec<ResultLine>) -> Result<(), ResultsError> {
        if let Some(ResultLine::Cell(end)) = lines.last() {
            let attempt = self.assembly.next_attempt(&end.cell, end.round);
            lines.iter_mut().for_each(|line| line.set_attempt(attempt));
        }
        let mut text = Vec::new();
        for line in &lines {
            let mut line = serde_json::to_vec(line).map_err(ResultsError::Json)?;
            seal(&mut line);
            text.append(&mut line);
            text.push(b'\n');
        }
        self.file.write_all(&text).map_err(ResultsError::Append)?;
        lines.into_iter().for_each(|line| self.assembly.add(line, None));
        Ok(())
    }

    /// Every round so far.
    pub fn rounds(&self) -> &[CellRound] {
        self.assembly.rounds()
    }

    /// The status of a cell's round, if it ended.
    pub fn status(&self, cell: &str, round: u32) -> Option<CellStatus> {
        self.assembly.status(cell, round)
    }

    /// Whether some round of this cell failed. It is not tried again.
    pub fn has_failed(&self, cell: &str) -> bool {
        self.assembly.has_failed(cell)
    }

    /// The number of ended rounds of cells, including failed ones.
    pub fn ended(&self) -> usize {
        self.assembly.ended()
    }

    /// The number of failed rounds of cells.
    pub fn failed(&self) -> usize {
        self.assembly.failed()
    }

    /// The number of failed rounds of cells that are repeated when the run is resumed, because the machine lacked
    /// something.
    pub fn retried(&self) -> usize {
        self.assembly.retried()
    }

    /// Flushes everything to the disk.
    ///
    /// # Errors
    /// The disk reports an error.
    pub fn sync(&self) -> Result<(), ResultsError> {
        self.file.sync_all().map_err(ResultsError::Flush)
    }
}

/// Opens or creates the file, and reads it.
fn open(path: &Path) -> Result<(File, Reading), ResultsError> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let file = check_links(path).and_then(|()| open_regular(path, options));
    let file = file.and_then(|file| check_length(&file, RESULTS_BYTES_MAX).map(|_| file));
    let file = file.map_err(|source| ResultsError::Open { path: path.to_owned(), source })?;
    let mut reading = Reading::default();
    reading.read(BufReader::new(&file)).map_err(|source| ResultsError::Read { path: path.to_owned(), source })?;
    reading.assembly.settle();
    Ok((file, reading))
}

/// Ends the last line, if its line end is missing.
fn end_line(file: &mut File) -> io::Result<()> {
    let length = file.stream_position()?;
    if length == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

/// Keeps only finished rounds in the file, with the lines of each together. The original is copied next to it.
fn remove_unfinished(directory: &Path, path: &Path, file: &File, reading: &Reading) -> Result<PutAside, ResultsError> {
    let path = path.to_owned();
    let names = (1..).map(|number| directory.join(format!("results-damaged-{number}.jsonl")));
    let copy = names.into_iter().find(|name| name.symlink_metadata().is_err()).unwrap_or_default();
    if let Err(source) = std::fs::copy(&path, &copy) {
        return Err(ResultsError::Copy { path, copy, source });
    }
    let finished = match lines_at(file, reading.assembly.places()) {
        Ok(finished) => finished,
        Err(source) => return Err(ResultsError::Read { path, source }),
    };
    match replace_file(&path, &finished) {
        Ok(()) => Ok(PutAside { rounds: reading.assembly.unfinished(), path, copy }),
        Err(source) => Err(ResultsError::Replace { path, source }),
    }
}

/// The lines at these places, each with a line end.
fn lines_at<'a>(mut file: &File, places: impl Iterator<Item = &'a Range<u64>>) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for place in places {
        file.seek(SeekFrom::Start(place.start))?;
        file.take(place.end - place.start).read_to_end(&mut lines)?;
        if !lines.ends_with(b"\n") {
            lines.push(b'\n');
        }
    }
    Ok(lines)
}
