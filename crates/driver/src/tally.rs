//! What a thread adds up while it replays: per kind of operation, counts, bytes and latencies.

use bakeoff_measure::Histogram;
use bakeoff_protocol::{OperationResult, SizeResult, ValueSizeRange};
use bakeoff_tape::Operation;

/// Counts and latencies of one kind of operation.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) operations: u64,
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
    pub(crate) latencies: Option<Histogram>,
    /// By the number of the range of value sizes.
    by_size: Vec<Option<Histogram>>,
}

/// Timed operations of one kind in a row.
#[derive(Clone, Copy, Default)]
pub(crate) struct Row {
    /// Their kind; `None` before the first.
    pub(crate) operation: Option<Operation>,
    pub(crate) operations: u64,
    /// Entries minus one for each operation: of scans and walks; below zero if some found none. A sum that grew with
    /// each operation, like the bytes, would be added together with them in one wide register, and wait for memory each
    /// time.
    pub(crate) more_entries: i64,
    pub(crate) bytes: u64,
}

/// The tallies of a thread, by operation code, and the order in which kinds first appeared.
#[derive(Default)]
pub(crate) struct Tallies {
    by_code: [Tally; Operation::ALL.len()],
    order: Vec<Operation>,
}

impl Tallies {
    /// Adds timed operations in a row.
    #[inline(never)]
    pub(crate) fn add(&mut self, row: Row) {
        let Some(operation) = row.operation.filter(|_| row.operations > 0) else { return };
        let tally = &mut self.by_code[operation as usize - 1];
        if tally.operations == 0 {
            self.order.push(operation);
        }
        tally.operations += row.operations;
        tally.entries += row.operations.saturating_add_signed(row.more_entries);
        tally.bytes += row.bytes;
    }

    /// Records what one operation took, nanoseconds.
    #[inline(always)]
    pub(crate) fn time(&mut self, operation: Operation, time_ns: u64) {
        let tally = &mut self.by_code[operation as usize - 1];
        tally.latencies.get_or_insert_with(Histogram::new).record(time_ns);
    }

    /// Records the nanoseconds of one operation, with a value in the range of sizes with this number.
    pub(crate) fn time_of_size(&mut self, operation: Operation, number: usize, time_ns: u64) {
        let by_size = &mut self.by_code[operation as usize - 1].by_size;
        if by_size.len() <= number {
            by_size.resize_with(number + 1, || None);
        }
        by_size[number].get_or_insert_with(Histogram::new).record(time_ns);
    }

    /// Adds what another thread counted.
    pub(crate) fn merge(&mut self, other: Self) {
        for operation in other.order {
            if !self.order.contains(&operation) {
                self.order.push(operation);
            }
        }
        for (mine, theirs) in self.by_code.iter_mut().zip(other.by_code) {
            mine.operations += theirs.operations;
            mine.entries += theirs.entries;
            mine.bytes += theirs.bytes;
            add(&mut mine.latencies, theirs.latencies);
            mine.by_size.resize_with(mine.by_size.len().max(theirs.by_size.len()), || None);
            mine.by_size.iter_mut().zip(theirs.by_size).for_each(|(mine, theirs)| add(mine, theirs));
        }
    }

    /// Timed operations of all kinds together.
    pub(crate) fn operations(&self) -> u64 {
        self.by_code.iter().map(|tally| tally.operations).sum()
    }

    /// Entries of all kinds together.
    pub(crate) fn entries(&self) -> u64 {
        self.by_code.iter().map(|tally| tally.entries).sum()
    }

    /// The results by kind, and of each by these sizes of values. `timed_ns` is the time in the store of all threads together, which belongs
    /// to a kind only if it is alone.
    pub(crate) fn results(&self, timed_ns: u64, value_sizes: &[ValueSizeRange]) -> Vec<OperationResult> {
        let alone = self.order.len() == 1;
        self.order
            .iter()
            .map(|&operation| {
                let tally = &self.by_code[operation as usize - 1];
                OperationResult {
                    operation: operation.name().to_owned(),
                    operations: tally.operations,
                    entries: tally.entries,
                    bytes: tally.bytes,
                    timed_ns: match &tally.latencies {
                        Some(latencies) => Some(latencies.sum_ns()),
                        None => alone.then_some(timed_ns),
                    },
                    latency: tally.latencies.as_ref().map(Histogram::to_latency),
                    by_size: value_sizes
                        .iter()
                        .zip(&tally.by_size)
                        .filter_map(|(sizes, latencies)| Some(of_size(*sizes, latencies.as_ref()?)))
                        .collect(),
                }
            })
            .collect()
    }
}

/// Adds latencies to others, where there are some.
fn add(mine: &mut Option<Histogram>, theirs: Option<Histogram>) {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => mine.merge(&theirs),
        (slot @ None, theirs) => *slot = theirs,
        (Some(_), None) => {}
    }
}

fn of_size(sizes: ValueSizeRange, latencies: &Histogram) -> SizeResult {
    SizeResult { sizes, operations: latencies.count(), latency: latencies.to_latency() }
}
