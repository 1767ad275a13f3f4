//! `results.jsonl`: lines are only ever added, a cell's round at a time; what a killed run left half-written is cut off.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_protocol::{CellStatus, ResultLine};

/// The file's name in a run's directory.
pub(crate) const RESULTS: &str = "results.jsonl";

/// The results of a run, open for adding to.
pub(crate) struct Results {
    file: File,
    finished: BTreeMap<(String, u32), CellStatus>,
    lines: Vec<ResultLine>,
}

impl Results {
    /// Opens or makes the file; whatever follows the last line that ends a cell is cut off.
    pub(crate) fn open(directory: &Path) -> Result<Self> {
        let path = directory.join(RESULTS);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        let (finished, lines, end) = read(&mut file).with_context(|| format!("cannot read {}", path.display()))?;
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .with_context(|| format!("cannot cut {} to its last whole cell", path.display()))?;
        Ok(Self { file, finished, lines })
    }

    /// Adds a cell's round in one write. Its last line must be the one that ends the cell.
    pub(crate) fn append(&mut self, lines: Vec<ResultLine>) -> Result<()> {
        let mut text = Vec::new();
        for line in &lines {
            serde_json::to_writer(&mut text, line).context("cannot write a result as JSON")?;
            text.push(b'\n');
        }
        self.file
            .write_all(&text)
            .context("cannot add to results.jsonl: is the disk full? --resume goes on from here")?;
        for line in &lines {
            if let ResultLine::Cell(end) = line {
                self.finished.insert((end.cell.clone(), end.round), end.status);
            }
        }
        self.lines.extend(lines);
        Ok(())
    }

    /// How a cell's round ended, if it did.
    pub(crate) fn status(&self, cell: &str, round: u32) -> Option<CellStatus> {
        self.finished.get(&(cell.to_owned(), round)).copied()
    }

    /// Whether some round of this cell failed: it is not tried again.
    pub(crate) fn has_failed(&self, cell: &str) -> bool {
        self.finished
            .range((cell.to_owned(), 0)..=(cell.to_owned(), u32::MAX))
            .any(|(_, status)| *status == CellStatus::Failed)
    }

    /// How many cells failed in some round.
    pub(crate) fn failed(&self) -> usize {
        self.finished.values().filter(|status| **status == CellStatus::Failed).count()
    }

    /// Everything so far.
    pub(crate) fn lines(&self) -> &[ResultLine] {
        &self.lines
    }

    /// Makes sure that all is on the disk.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_all().context("cannot flush results.jsonl")
    }
}

type Finished = BTreeMap<(String, u32), CellStatus>;

/// The finished cells, their lines, and where the last of them ends.
fn read(file: &mut File) -> Result<(Finished, Vec<ResultLine>, u64)> {
    let mut reader = BufReader::new(file);
    let (mut finished, mut lines, mut pending) = (Finished::new(), Vec::new(), Vec::new());
    let (mut at, mut end) = (0_u64, 0_u64);
    let mut text = Vec::new();
    loop {
        text.clear();
        let length = reader.read_until(b'\n', &mut text)?;
        at += length as u64;
        if length == 0 || !text.ends_with(b"\n") {
            return Ok((finished, lines, end));
        }
        // A line that cannot be read stays in the file if a cell ends after it: it is not ours to remove.
        let Ok(line) = serde_json::from_slice::<ResultLine>(&text) else { continue };
        let ended = match &line {
            ResultLine::Cell(cell) => Some(((cell.cell.clone(), cell.round), cell.status)),
            ResultLine::Phase(_) => None,
        };
        pending.push(line);
        if let Some((key, status)) = ended {
            finished.insert(key, status);
            lines.append(&mut pending);
            end = at;
        }
    }
}
