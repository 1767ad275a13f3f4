//! A trace summed up: what an application does, with how many records of which sizes, and how it asks for them.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::io::Read;

use bakeoff_measure::Histogram;
use bakeoff_tape::{Operation, TapeReader};
use xxhash_rust::xxh64::xxh64;

use crate::error::TraceError;
use crate::hash::Hashed;
use crate::popularity::Popularity;
use crate::read::{Event, Trace};

/// The most different keys that are counted: they take about 20 bytes of memory each.
pub(crate) const KEYS_MAX: usize = 200_000_000;

/// Sizes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Mean.
    pub mean: f64,
    /// A twentieth is no larger.
    pub p5: u64,
    /// Half are no larger.
    pub p50: u64,
    /// A twentieth is larger.
    pub p95: u64,
    /// Largest.
    pub max: u64,
}

/// When operations came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// From the first to the last, seconds.
    pub duration_s: f64,
    /// Mean time between two, seconds.
    pub gap_s_mean: f64,
    /// The standard deviation of that time by its mean: 1 for independent arrivals, more for bursts.
    pub variation: f64,
}

/// What a trace says.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Operations in all.
    pub operations: u64,
    /// By kind.
    pub mix: BTreeMap<Operation, u64>,
    /// Different keys.
    pub keys: u64,
    /// Length of keys, over operations.
    pub key_bytes: Sizes,
    /// Length of values, over operations that tell one above 0; `None` if none does.
    pub value_bytes: Option<Sizes>,
    /// How popular keys are; `None` where too few came often enough.
    pub popularity: Option<Popularity>,
    /// When operations came; `None` where the trace does not tell, or all came at once.
    pub arrival: Option<Arrival>,
}

impl Summary {
    /// Reads a trace to its end.
    ///
    /// # Errors
    /// A line is not what it should be, there is none, or there are too many keys.
    pub fn read<R: Read>(mut trace: Trace<R>) -> Result<Self, TraceError> {
        let mut counting = Counting::default();
        while let Some(event) = trace.next_event()? {
            counting.add(&event)?;
        }
        counting.finish()
    }

    /// Sums up what is on an imported tape. When operations came is told only if all are on one lane.
    ///
    /// # Errors
    /// The tape is damaged, or there is nothing on it.
    pub fn of_tape(tape: &TapeReader) -> Result<Self, TraceError> {
        let mut counting = Counting::default();
        let lanes = tape.facts().lanes.len() as u32;
        for number in 0..lanes {
            let mut lane = tape.lane(number)?;
            while let Some(block) = lane.next_block()? {
                for record in block.records() {
                    let time_s = record.due_ns.filter(|_| lanes == 1).map(|due_ns| due_ns as f64 / 1e9);
                    let value_bytes = Some(u64::from(record.value_bytes));
                    let (operation, key, key_bytes) = (record.operation, record.key, record.key.len() as u64);
                    let line = counting.operations + 1;
                    counting.add(&Event { line, operation, key, key_bytes, value_bytes, time_s, thread: None })?;
                }
            }
        }
        counting.finish()
    }

    /// The bytes of keys and values of all different keys, about.
    pub fn working_set_bytes(&self) -> f64 {
        self.keys as f64 * (self.key_bytes.mean + self.value_bytes.map_or(0.0, |sizes| sizes.mean))
    }
}

#[derive(Default)]
struct Counting {
    mix: BTreeMap<Operation, u64>,
    counts: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    key_bytes: Histogram,
    value_bytes: Histogram,
    operations: u64,
    last_s: Option<f64>,
    gaps: u64,
    gap_sum: f64,
    gap_squares: f64,
}

impl Counting {
    fn add(&mut self, event: &Event<'_>) -> Result<(), TraceError> {
        self.operations += 1;
        *self.mix.entry(event.operation).or_default() += 1;
        let count = self.counts.entry(xxh64(event.key, 0)).or_default();
        *count = count.saturating_add(1);
        if self.counts.len() > KEYS_MAX {
            return Err(TraceError::TooManyKeys { line: event.line, most: KEYS_MAX as u64 });
        }
        self.key_bytes.record(event.key_bytes);
        if let Some(bytes) = event.value_bytes.filter(|bytes| *bytes > 0) {
            self.value_bytes.record(bytes);
        }
        event.time_s.into_iter().for_each(|time_s| self.arrived(time_s));
        Ok(())
    }

    fn arrived(&mut self, time_s: f64) {
        if let Some(last_s) = self.last_s.replace(time_s) {
            let gap = time_s - last_s;
            self.gaps += 1;
            self.gap_sum += gap;
            self.gap_squares += gap * gap;
        }
    }

    fn finish(self) -> Result<Summary, TraceError> {
        let (Some(key_bytes), Some(_)) = (sizes(&self.key_bytes), self.mix.first_key_value()) else {
            return Err(TraceError::Empty);
        };
        let arrival = self.arrival();
        Ok(Summary {
            operations: self.operations,
            keys: self.counts.len() as u64,
            key_bytes,
            value_bytes: sizes(&self.value_bytes),
            arrival,
            mix: self.mix,
            popularity: Popularity::fit(self.counts.into_values().collect()),
        })
    }

    fn arrival(&self) -> Option<Arrival> {
        let mean = self.gap_sum / self.gaps as f64;
        let variance = self.gap_squares / self.gaps as f64 - mean * mean;
        (mean > 0.0).then(|| Arrival {
            duration_s: self.gap_sum,
            gap_s_mean: mean,
            variation: variance.max(0.0).sqrt() / mean,
        })
    }
}

/// Three digits of each are enough to ask for records of such sizes.
fn sizes(of: &Histogram) -> Option<Sizes> {
    let at = |part| of.quantile_ns(part);
    let mean = of.sum_ns() as f64 / of.count().max(1) as f64;
    Some(Sizes { mean, p5: at(0.05)?, p50: at(0.5)?, p95: at(0.95)?, max: of.max_ns()? })
}
