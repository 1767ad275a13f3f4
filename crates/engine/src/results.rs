//! `results.jsonl`: lines are only ever added, a cell's round at a time; what a killed run left half-written is cut off, and cells
//! with lines that cannot be read are put aside, to be measured again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_protocol::{CellStatus, ResultLine};

use crate::place::own_directory::replace_file;
use crate::reporter::Reporter;

/// The file's name in a run's directory.
pub const RESULTS: &str = "results.jsonl";

/// The results of a run, open for adding to.
pub struct Results {
    file: File,
    finished: BTreeMap<(String, u32), CellStatus>,
    lines: Vec<ResultLine>,
}

impl Results {
    /// Opens or makes the file; whatever follows the last line that ends a cell is cut off.
    pub fn open(directory: &Path, reporter: Reporter) -> Result<Self> {
        let path = directory.join(RESULTS);
        let mut file = open(&path)?;
        let mut known = Known::read(&mut file).with_context(|| format!("cannot read {}", path.display()))?;
        if !known.spoiled.is_empty() {
            put_aside(directory, &file, &known, reporter)?;
            file = open(&path)?;
            known = Known::read(&mut file).with_context(|| format!("cannot read {}", path.display()))?;
        }
        file.set_len(known.end)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .with_context(|| format!("cannot cut {} to its last whole cell", path.display()))?;
        Ok(Self { file, finished: known.finished, lines: known.lines })
    }

    /// Adds a cell's round in one write. Its last line must be the one that ends the cell.
    pub fn append(&mut self, lines: Vec<ResultLine>) -> Result<()> {
        let mut text = Vec::new();
        for line in &lines {
            serde_json::to_writer(&mut text, line).context("cannot write a result as JSON")?;
            text.push(b'\n');
        }
        self.file
            .write_all(&text)
            .context("cannot add to results.jsonl: is the disk full? Make room: `bakeoff run --resume` goes on from here, and a pick begins anew")?;
        for line in &lines {
            if let ResultLine::Cell(end) = line {
                self.finished.insert((end.cell.clone(), end.round), end.status);
            }
        }
        self.lines.extend(lines);
        Ok(())
    }

    /// How a cell's round ended, if it did.
    pub fn status(&self, cell: &str, round: u32) -> Option<CellStatus> {
        self.finished.get(&(cell.to_owned(), round)).copied()
    }

    /// Whether some round of this cell failed: it is not tried again.
    pub fn has_failed(&self, cell: &str) -> bool {
        self.finished
            .range((cell.to_owned(), 0)..=(cell.to_owned(), u32::MAX))
            .any(|(_, status)| *status == CellStatus::Failed)
    }

    /// How many cells failed in some round.
    pub fn failed(&self) -> usize {
        self.finished.values().filter(|status| **status == CellStatus::Failed).count()
    }

    /// Everything so far.
    pub fn lines(&self) -> &[ResultLine] {
        &self.lines
    }

    /// Makes sure that all is on the disk.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_all().context("cannot flush results.jsonl")
    }
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    options.open(path).with_context(|| format!("cannot open {}", path.display()))
}

/// What is in the file.
#[derive(Default)]
struct Known {
    finished: BTreeMap<(String, u32), CellStatus>,
    /// The finished cells' lines.
    lines: Vec<ResultLine>,
    /// Where the last of them ends.
    end: u64,
    /// Where cells are of which some line cannot be read.
    spoiled: Vec<Range<u64>>,
}

impl Known {
    fn read(file: &mut File) -> Result<Self> {
        let mut reader = BufReader::new(file);
        let (mut known, mut pending, mut is_spoiled, mut at) = (Self::default(), Vec::new(), false, 0_u64);
        let mut text = Vec::new();
        loop {
            text.clear();
            let length = reader.read_until(b'\n', &mut text)?;
            at += length as u64;
            if length == 0 || !text.ends_with(b"\n") {
                return Ok(known);
            }
            let Ok(line) = serde_json::from_slice::<ResultLine>(&text) else {
                is_spoiled = true;
                continue;
            };
            let ended = match &line {
                ResultLine::Cell(cell) => Some(((cell.cell.clone(), cell.round), cell.status)),
                ResultLine::Phase(_) => None,
            };
            pending.push(line);
            let Some((key, status)) = ended else { continue };
            match std::mem::take(&mut is_spoiled) {
                true => {
                    known.spoiled.push(known.end..at);
                    pending.clear();
                }
                false => {
                    known.finished.insert(key, status);
                    known.lines.append(&mut pending);
                }
            }
            known.end = at;
        }
    }
}

/// Leaves only what can be read in the file; the whole, as it was, is kept beside it.
fn put_aside(directory: &Path, file: &File, known: &Known, reporter: Reporter) -> Result<()> {
    let path = directory.join(RESULTS);
    let names = (1..).map(|number| directory.join(format!("results-damaged-{number}.jsonl")));
    let kept = names.into_iter().find(|name| !name.exists()).unwrap_or_default();
    std::fs::copy(&path, &kept).with_context(|| format!("cannot copy {} to {}", path.display(), kept.display()))?;
    let sound = sound(file, known).with_context(|| format!("cannot read {}", path.display()))?;
    replace_file(&path, &sound)?;
    reporter.report(&format!(
        "{} of the cells in {} have lines that cannot be read: they are measured again; the file as it was is {}",
        known.spoiled.len(),
        path.display(),
        kept.display()
    ));
    Ok(())
}

/// The bytes of all cells but those that are spoiled.
fn sound(mut file: &File, known: &Known) -> io::Result<Vec<u8>> {
    let begins = std::iter::once(0).chain(known.spoiled.iter().map(|spoiled| spoiled.end));
    let ends = known.spoiled.iter().map(|spoiled| spoiled.start).chain([known.end]);
    let mut sound = Vec::new();
    for (begin, end) in begins.zip(ends) {
        file.seek(SeekFrom::Start(begin))?;
        file.take(end - begin).read_to_end(&mut sound)?;
    }
    Ok(sound)
}
