//! What a store held at any moment, as the tapes say.

use std::collections::HashMap;

use anyhow::{Context, Result};
use bakeoff_tape::consume::xxh64;
use bakeoff_tape::{Batch, Operation, PhaseSpec, PhaseTape, Pool, TapeReader};

/// A value, as inventories have it: its length and checksum.
pub(super) type Value = (u64, u64);

/// A write of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// A key, by its number, has this value then, or none.
    Put(usize, Option<Value>),
    /// The end of a batch.
    Commit,
}

/// What a lane writes, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    pub(super) writes: Vec<Write>,
    /// After how many writes the lane may be acknowledged: ascending, from 0 to all of them.
    pub(super) boundaries: Vec<usize>,
}

impl Lane {
    pub(super) fn new() -> Self {
        Self { writes: Vec::new(), boundaries: vec![0] }
    }

    pub(super) fn push(&mut self, write: Write, is_boundary: bool) {
        self.writes.push(write);
        if is_boundary {
            self.boundaries.push(self.writes.len());
        }
    }

    /// Ends it: what was never acknowledged may be there too.
    pub(super) fn end(&mut self) {
        if self.boundaries.last() != Some(&self.writes.len()) {
            self.boundaries.push(self.writes.len());
        }
    }

    /// The next boundary after so many writes, or all of them.
    pub(super) fn next_boundary(&self, writes: usize) -> usize {
        let next = self.boundaries.partition_point(|boundary| *boundary <= writes);
        self.boundaries.get(next).copied().unwrap_or(self.writes.len())
    }
}

/// What lanes write, and the keys they write to. Each key has one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub(super) lanes: Vec<Lane>,
    /// Keys, each with its lane.
    pub(super) keys: Vec<(Vec<u8>, usize)>,
    pub(super) numbers: HashMap<Vec<u8>, usize>,
}

impl History {
    /// Reads the tapes of the phases that a driver replays.
    pub(super) fn read(phases: &[(&PhaseSpec, &PhaseTape)], pool: &Pool, lanes: u32) -> Result<Self> {
        let mut history = Self { lanes: vec![Lane::new(); lanes as usize], ..Self::default() };
        for (spec, tape) in phases {
            let tape = TapeReader::open(&tape.path)?;
            for lane in 0..lanes.min(tape.facts().lanes.len() as u32) {
                history.read_lane(&tape, lane, spec.batch == Batch::Each, pool)?;
            }
        }
        history.lanes.iter_mut().for_each(Lane::end);
        Ok(history)
    }

    fn read_lane(&mut self, tape: &TapeReader, lane: u32, each: bool, pool: &Pool) -> Result<()> {
        let mut reader = tape.lane(lane)?;
        while let Some(block) = reader.next_block()? {
            for record in block.records() {
                let write = match record.operation {
                    Operation::Commit => Write::Commit,
                    Operation::Delete => Write::Put(self.number(record.key, lane as usize), None),
                    operation if operation.writes() => {
                        let value = pool.slice(record.value_offset, record.value_bytes);
                        let value = value.context("a value on a tape is not in its pool")?;
                        let value = (value.len() as u64, xxh64(value));
                        Write::Put(self.number(record.key, lane as usize), Some(value))
                    }
                    _ => continue,
                };
                self.lanes[lane as usize].push(write, each || write == Write::Commit);
            }
        }
        Ok(())
    }

    /// The number of a key, which is new or known.
    pub(super) fn number(&mut self, key: &[u8], lane: usize) -> usize {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        self.keys.push((key.to_owned(), lane));
        self.numbers.insert(key.to_owned(), self.keys.len() - 1);
        self.keys.len() - 1
    }

    /// The number of a key, if it is ever written.
    pub(super) fn find(&self, key: &[u8]) -> Option<usize> {
        self.numbers.get(key).copied()
    }

    /// Writes and commits of all lanes.
    pub(super) fn writes(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.writes.len() as u64).sum()
    }
}
