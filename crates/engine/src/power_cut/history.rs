//! What a store held at any moment, as the tapes say.

use std::collections::HashMap;

use anyhow::{Context, Result};
use bakeoff_protocol::PhaseRequest;
use bakeoff_tape::consume::xxh64;
use bakeoff_tape::{Operation, Pool, TapeReader};

/// A value, as inventories have it: its length and checksum.
pub(crate) type Value = (u64, u64);

/// A write of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// A key, by its number, has this value then, or none.
    Put(usize, Option<Value>),
    /// The end of a batch.
    Commit,
}

/// What a lane writes, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lane {
    pub(crate) writes: Vec<Write>,
    /// After how many writes the lane may be acknowledged: ascending, from 0 to all of them.
    pub(crate) boundaries: Vec<usize>,
}

impl Lane {
    pub(crate) fn new() -> Self {
        Self { writes: Vec::new(), boundaries: vec![0] }
    }

    pub(crate) fn push(&mut self, write: Write, is_boundary: bool) {
        self.writes.push(write);
        if is_boundary {
            self.boundaries.push(self.writes.len());
        }
    }

    /// Ends it: what was never acknowledged may be there too.
    pub(crate) fn end(&mut self) {
        if self.boundaries.last() != Some(&self.writes.len()) {
            self.boundaries.push(self.writes.len());
        }
    }

    /// The next boundary after so many writes, or all of them.
    pub(crate) fn next_boundary(&self, writes: usize) -> usize {
        let next = self.boundaries.partition_point(|boundary| *boundary <= writes);
        self.boundaries.get(next).copied().unwrap_or(self.writes.len())
    }
}

/// What lanes write, and the keys they write to. Each key has one lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) lanes: Vec<Lane>,
    /// Keys, each with its lane.
    pub(crate) keys: Vec<(Vec<u8>, usize)>,
    numbers: HashMap<Vec<u8>, usize>,
}

impl History {
    /// That of so many lanes before they write.
    pub(crate) fn new(lanes: u32) -> Self {
        Self { lanes: vec![Lane::new(); lanes as usize], ..Self::default() }
    }

    /// Reads the tapes of the phases that a driver replays.
    pub(crate) fn read(phases: &[PhaseRequest], pool: &Pool, lanes: u32) -> Result<Self> {
        let mut history = Self::new(lanes);
        for phase in phases {
            let tape = TapeReader::open(&phase.tape)?;
            for lane in 0..lanes.min(tape.facts().lanes.len() as u32) {
                history.read_lane(&tape, lane, !phase.batched, pool)?;
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
    pub(crate) fn number(&mut self, key: &[u8], lane: usize) -> usize {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        self.keys.push((key.to_owned(), lane));
        self.numbers.insert(key.to_owned(), self.keys.len() - 1);
        self.keys.len() - 1
    }

    /// The number of a key, if it is ever written.
    pub(crate) fn find(&self, key: &[u8]) -> Option<usize> {
        self.numbers.get(key).copied()
    }

    /// Writes and commits of all lanes.
    pub(crate) fn writes(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.writes.len() as u64).sum()
    }
}
