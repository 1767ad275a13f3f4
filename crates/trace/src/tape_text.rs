//! An imported tape as the text of a table, so that it is read like any trace. It has the loaded records, then the
//! operations in the order in which they are due, or of all lanes in turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use bakeoff_limits::spawn;
use bakeoff_tape::{LaneReader, Operation, TapeError, TapeReader};

use crate::error::TraceError;
use crate::rows_out::{CsvOut, OutColumns, OutRow, RowsOut};

/// Bytes of text that are sent together, and how many of these wait.
const PIECE_BYTES: usize = 1 << 16;
const PIECES_AHEAD: usize = 4;

/// The text of a tape.
pub(crate) struct TapeText {
    pieces: Receiver<Result<Vec<u8>, TraceError>>,
    piece: Vec<u8>,
    read: usize,
}

impl TapeText {
    /// The text of an imported tape in a directory.
    pub(crate) fn open(directory: &Path) -> Result<Self, TraceError> {
        let (_, recording) = bakeoff_tape::open_import(directory)?;
        // The last phase is what the application did.
        let mut loads: Vec<PathBuf> = recording.phases.iter().map(|phase| phase.path.clone()).collect();
        let application = loads.pop().ok_or(TraceError::Empty)?;
        let (sender, pieces) = sync_channel(PIECES_AHEAD);
        spawn(move || {
            let mut out = Pieces { sender: sender.clone(), bytes: Vec::new() };
            if let Err(why) = write(&loads, &application, &mut out) {
                // Nobody reads any more.
                let _ = sender.send(Err(why));
            }
        })?;
        Ok(Self { pieces, piece: Vec::new(), read: 0 })
    }
}

impl Read for TapeText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.piece.len() {
            self.read = 0;
            self.piece = match self.pieces.recv() {
                Ok(piece) => piece.map_err(io::Error::other)?,
                Err(_) => Vec::new(),
            };
        }
        let bytes = buffer.len().min(self.piece.len() - self.read);
        buffer[..bytes].copy_from_slice(&self.piece[self.read..self.read + bytes]);
        self.read += bytes;
        Ok(bytes)
    }
}

/// Sends the written bytes in pieces.
struct Pieces {
    sender: SyncSender<Result<Vec<u8>, TraceError>>,
    bytes: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.bytes);
        if piece.is_empty() {
            return Ok(());
        }
        self.sender.send(Ok(piece)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

fn write(loads: &[PathBuf], application: &Path, out: &mut Pieces) -> Result<(), TraceError> {
    let operations = TapeReader::open(application)?;
    let lanes = operations.facts().lanes.len() as u32;
    let (mut time, thread) = (false, lanes > 1);
    for lane in 0..lanes {
        let mut lane = operations.lane(lane)?;
        let first = lane.next_block()?.and_then(|block| block.records().next());
        time |= first.is_some_and(|record| record.due_ns.is_some());
    }
    let mut table = CsvOut::new(out, OutColumns { time, thread })?;
    for path in loads {
        let tape = TapeReader::open(path)?;
        each(&tape, |_, kept, key| match kept.operation {
            Operation::Insert => table.row(&OutRow { operation: None, ..kept.row(key, None) }),
            _ => Ok(()),
        })?;
        tape.check_unchanged()?;
    }
    each(&operations, |lane, kept, key| table.row(&kept.row(key, Some(lane).filter(|_| thread))))?;
    operations.check_unchanged()?;
    Box::new(table).finish()
}

/// Goes through the lanes of a tape at the same time: by when operations are due, or else in turn, so that all end together.
fn each(tape: &TapeReader, mut work: impl FnMut(u8, &Kept, &[u8]) -> Result<(), TraceError>) -> Result<(), TraceError> {
    let mut lanes = Vec::new();
    let mut queue = BinaryHeap::new();
    for (number, facts) in tape.facts().lanes.iter().enumerate() {
        let reader = tape.lane(number as u32)?;
        let mut lane =
            Lane { reader, keys: Vec::new(), kept: Vec::new(), next: 0, done: 0, operations: facts.operations };
        queue.extend(lane.turn()?.map(|turn| Reverse((turn, number))));
        lanes.push(lane);
    }
    while let Some(Reverse((_, number))) = queue.pop() {
        let lane = &mut lanes[number];
        let kept = &lane.kept[lane.next];
        work(u8::try_from(number).unwrap_or(u8::MAX), kept, &lane.keys[kept.key.clone()])?;
        (lane.next, lane.done) = (lane.next + 1, lane.done + 1);
        queue.extend(lane.turn()?.map(|turn| Reverse((turn, number))));
    }
    Ok(())
}

/// A lane, and what its block at hand has.
struct Lane {
    reader: LaneReader,
    keys: Vec<u8>,
    kept: Vec<Kept>,
    next: usize,
    done: u64,
    operations: u64,
}

/// An operation of a block.
struct Kept {
    operation: Operation,
    is_found: bool,
    key: Range<usize>,
    value_bytes: u64,
    due_ns: Option<u64>,
}

impl Lane {
    /// When it is its turn: as the next operation is due, or after what part of the lane. `None` at its end.
    fn turn(&mut self) -> Result<Option<u64>, TapeError> {
        if self.next == self.kept.len() {
            self.keys.clear();
            self.kept.clear();
            self.next = 0;
            let Some(block) = self.reader.next_block()? else { return Ok(None) };
            for record in block.records() {
                let begin = self.keys.len();
                self.keys.extend_from_slice(record.key);
                self.kept.push(Kept {
                    operation: record.operation,
                    is_found: record.found(),
                    key: begin..self.keys.len(),
                    value_bytes: record.value_bytes.into(),
                    due_ns: record.due_ns,
                });
            }
        }
        let part = || (u128::from(self.done) << 40) / u128::from(self.operations.max(1));
        Ok(self.kept.get(self.next).map(|kept| kept.due_ns.unwrap_or_else(|| part() as u64)))
    }
}

impl Kept {
    fn row<'a>(&self, key: &'a [u8], thread: Option<u8>) -> OutRow<'a> {
        let value_bytes = OutRow::value_size(self.operation, self.is_found, self.value_bytes);
        let time_s = self.due_ns.map(|due_ns| due_ns as f64 / 1e9);
        OutRow { operation: Some(self.operation), key, value_bytes, time_s, thread }
    }
}
