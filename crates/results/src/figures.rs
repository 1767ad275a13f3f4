//! Figures taken out of results: one number a round, for everything that is ranked.

use bakeoff_measure::Histogram;
use bakeoff_protocol::{Latency, Mode, OperationResult, PhaseLine, PhaseResult};
use bakeoff_tape::key_bytes_of;
use bakeoff_text::printable;

use crate::cell_rounds::CellRound;

/// The kind of operation that acknowledges a batch.
pub const COMMIT: &str = "commit";

/// Widest name of a phase in the first column.
const LABEL_MAX: usize = 20;

/// A page of memory: resident sets cannot be told apart by less.
pub const PAGE_BYTES: f64 = 4096.0;

/// What is measured in a row of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Time of an operation in a phase; the kind is named where the phase mixes several.
    Time {
        /// The phase.
        phase: String,
        /// The kind of operation, in a mixed phase.
        operation: Option<String>,
    },
    /// Bytes of data per byte allocated after closing.
    Space,
    /// Highest resident set above the empty store's.
    Memory,
}

/// Measures that are ranked and compared together: they have their scatter in common, and a level for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// All times.
    Time,
    /// Space on disk.
    Space,
    /// Memory.
    Memory,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Time, Self::Space, Self::Memory];
}

impl Measure {
    /// Which measures it is ranked together with.
    pub fn family(&self) -> Family {
        match self {
            Self::Time { .. } => Family::Time,
            Self::Space => Family::Space,
            Self::Memory => Family::Memory,
        }
    }

    /// Whether it is a time.
    pub fn is_time(&self) -> bool {
        self.family() == Family::Time
    }

    /// Its name: the phase, with the kind of operation where it mixes several. Safe to print, and not too long for a table.
    pub fn label(&self) -> String {
        let label = match self {
            Self::Time { phase, operation: None } => printable(phase),
            Self::Time { phase, operation: Some(operation) } => printable(&format!("{phase}: {operation}")),
            Self::Space => "space efficiency".to_owned(),
            Self::Memory => "peak memory".to_owned(),
        };
        if label.chars().count() <= LABEL_MAX {
            return label;
        }
        label.chars().take(LABEL_MAX - 1).chain(['…']).collect()
    }
}

/// Time spent on one kind of operation in one phase and round.
#[derive(Clone, Debug)]
pub struct Timing<'a> {
    /// The kind, or `all` where a mixed phase was timed as a whole.
    pub operation: &'a str,
    /// Whether the phase mixes kinds, so that this one must be named.
    pub mixed: bool,
    /// Mean time in nanoseconds for an operation (for scans: an entry), the commits of a phase of one kind included.
    pub mean_ns: f64,
    /// How many of those a second, all threads together.
    pub per_second: f64,
    /// Distribution over operations (for a scan, over whole scans), where each was timed.
    pub latency: Option<&'a Latency>,
    /// How many operations that is a distribution of.
    pub operations: u64,
    /// The slowest of them, in a phase of one kind its commits included: where writes wait for them, that is what a program waits for.
    pub max_ns: Option<u64>,
}

/// Operations that must have taken longer than a percentile for it to be told: with fewer it is little more than the slowest one's time.
const BEYOND_MIN: f64 = 10.0;

/// How many operations take longer than the percentile at a share does; what dividing lost is given back.
fn beyond(share: f64, operations: u64) -> f64 {
    (1.0 - share) * operations as f64 + 1e-6
}

/// Whether rounds of so many operations each tell the percentile at a share: enough of all together lie beyond it, and at least one in
/// each round, or the rounds' percentiles would be their slowest operations. Every percentile that is shown or ranked is asked this.
pub fn is_told(share: f64, operations: &[u64]) -> bool {
    let all = operations.iter().fold(0, |all: u64, number| all.saturating_add(*number));
    beyond(share, all) >= BEYOND_MIN && operations.iter().all(|number| beyond(share, *number) >= 1.0)
}

/// The fewest operations by which a single round tells the percentile at a share.
pub fn operations_to_tell(share: f64) -> u64 {
    ((BEYOND_MIN - 1e-6) / (1.0 - share)).ceil() as u64
}

/// What stands in place of a percentile that is not told.
pub const TOO_FEW: &str = "too few";

/// A percentile over all operations of a phase, whatever their kind.
pub fn quantile(phase: &PhaseResult, share: f64) -> Option<u64> {
    let mut all = Histogram::new();
    for latency in phase.operations.iter().filter_map(|of| of.latency.as_ref()) {
        all.merge(&Histogram::from_base64(&latency.histogram).ok()?);
    }
    all.quantile_ns(share)
}

/// What one kind of operation, or a phase as a whole, came to.
struct Sum<'a> {
    operation: &'a str,
    mixed: bool,
    count: f64,
    timed_ns: f64,
    latency: Option<&'a Latency>,
    operations: u64,
    max_ns: Option<u64>,
}

/// The result of the commits of a phase; `None` where each write was acknowledged alone.
pub fn commits(result: &PhaseResult) -> Option<&OperationResult> {
    result.operations.iter().find(|of| of.operation == COMMIT)
}

/// The slowest operation of these kinds; `None` where they were not timed one by one.
fn slowest_ns<'a>(operations: impl IntoIterator<Item = &'a OperationResult>) -> Option<u64> {
    operations.into_iter().filter_map(|of| Some(of.latency.as_ref()?.latency_ns_max)).max()
}

/// The timings of a phase: one if its operations are of one kind, else one for each kind.
///
/// A phase of one kind with commits counts the commits' time to its writes, and the slowest commit as one of them: that is what a write costs. What
/// the commits took alone is in [`commits`]. A mixed phase that
/// was timed by blocks has only a sum, shown as `all`.
pub fn timings(result: &PhaseResult) -> Vec<Timing<'_>> {
    let whole_ns = result.timed_ns as f64;
    let thread_ns = result.threads_timed_ns.map_or(whole_ns * f64::from(result.threads.max(1)), |ns| ns as f64);
    let work: Vec<&OperationResult> = result.operations.iter().filter(|each| each.operation != COMMIT).collect();
    let sums = match work.as_slice() {
        [only] => vec![Sum {
            operation: &only.operation,
            mixed: false,
            count: units(only),
            timed_ns: total_ns(&result.operations).unwrap_or(thread_ns),
            latency: only.latency.as_ref(),
            operations: only.operations,
            max_ns: slowest_ns(&result.operations),
        }],
        _ if total_ns(&result.operations).is_none() => vec![Sum {
            operation: "all",
            mixed: true,
            count: work.iter().map(|each| units(each)).sum(),
            timed_ns: thread_ns,
            latency: None,
            operations: 0,
            max_ns: None,
        }],
        _ => result.operations.iter().map(single).collect(),
    };
    sums.into_iter().filter(|sum| sum.count > 0.0).map(|sum| timing(sum, whole_ns)).collect()
}

fn single(of: &OperationResult) -> Sum<'_> {
    let timed_ns = of.timed_ns.unwrap_or(0) as f64;
    let (count, latency, operations) = (units(of), of.latency.as_ref(), of.operations);
    Sum { operation: &of.operation, mixed: true, count, timed_ns, latency, operations, max_ns: slowest_ns([of]) }
}

fn timing(sum: Sum<'_>, whole_ns: f64) -> Timing<'_> {
    let per_second = if whole_ns > 0.0 { sum.count / whole_ns * 1e9 } else { 0.0 };
    let Sum { operation, mixed, count, timed_ns, latency, operations, max_ns } = sum;
    Timing { operation, mixed, mean_ns: timed_ns / count, per_second, latency, operations, max_ns }
}

/// Time in all of them; `None` if some were not timed by themselves.
fn total_ns(operations: &[OperationResult]) -> Option<f64> {
    operations.iter().map(|each| each.timed_ns.map(|ns| ns as f64)).sum()
}

/// How many operations a second were due in an open loop, of all kinds on all threads together; `None` in a closed one.
pub fn asked_per_second(line: &PhaseLine) -> Option<f64> {
    let due_ns = line.result.open_loop?.due_ns;
    (due_ns > 0).then(|| line.tape.operations as f64 / due_ns as f64 * 1e9)
}

/// What part of the rate asked for an open loop kept up with: 1 if the last answer came when its operation was due.
pub fn rate_kept(result: &PhaseResult) -> Option<f64> {
    let due_ns = result.open_loop?.due_ns;
    (due_ns > 0 && result.timed_ns > 0).then(|| (due_ns as f64 / result.timed_ns as f64).min(1.0))
}

/// Whether figures of this kind are per entry rather than per operation.
pub fn is_per_entry(operation: &str) -> bool {
    matches!(operation, "scan" | "scan-all" | "scan-prefix")
}

/// How many of them a figure counts: entries for scans, operations for everything else.
pub fn units(of: &OperationResult) -> f64 {
    if is_per_entry(&of.operation) { of.entries as f64 } else { of.operations as f64 }
}

/// A sum over a whole phase by its operations, of all kinds but commits; of scans by entries.
pub fn per_operation(phase: &PhaseResult, sum: f64) -> Option<f64> {
    let count: f64 = phase.operations.iter().filter(|each| each.operation != COMMIT).map(units).sum();
    (count > 0.0).then(|| sum / count)
}

/// Time of an operation as it was acknowledged, with its commits, of scans of an entry, nanoseconds.
pub fn acknowledged_ns_mean(phase: &PhaseResult) -> Option<f64> {
    per_operation(phase, phase.timed_ns as f64)
}

/// The same with the time until the store had done what it put off; `None` where it did not end, or nobody waited.
pub fn settled_ns_mean(phase: &PhaseResult) -> Option<f64> {
    let settled_ns = phase.background_work?.done_ns?;
    acknowledged_ns_mean(phase).map(|each| each * (1.0 + settled_ns as f64 / phase.timed_ns.max(1) as f64))
}

/// The least difference that counts, in the measure's unit: single operations are timed in whole nanoseconds.
pub fn resolution(measure: &Measure, mode: Option<Mode>) -> f64 {
    match (measure, mode) {
        (Measure::Time { .. }, Some(Mode::Latency)) => 1.0,
        (Measure::Memory, _) => PAGE_BYTES,
        _ => 0.0,
    }
}

/// Bytes of values alone, without keys, alive at the end; `None` where keys are of many lengths.
fn value_bytes(cell: &CellRound) -> Option<u64> {
    let of_each = key_bytes_of(&cell.end.axes.key)?;
    cell.end.data_bytes.checked_sub(cell.end.records_alive.checked_mul(of_each)?)
}

/// A round whose space efficiency counts values alone, as some papers have it.
pub fn of_values_alone(cell: &CellRound) -> CellRound {
    let mut cell = cell.clone();
    cell.end.data_bytes = value_bytes(&cell).unwrap_or(cell.end.data_bytes);
    cell
}

/// Data bytes per byte allocated after closing; `None` if either is unknown or nothing is there.
pub fn space_efficiency(cell: &CellRound) -> Option<f64> {
    by_allocated(cell.end.data_bytes, cell)
}

fn by_allocated(bytes: u64, cell: &CellRound) -> Option<f64> {
    let allocated = cell.end.finished.as_ref()?.disk_after_close?.allocated_bytes;
    (allocated > 0 && bytes > 0).then(|| bytes as f64 / allocated as f64)
}

/// The highest of the phases' peaks above the empty store; `None` if none could be read.
pub fn peak_memory(cell: &CellRound) -> Option<f64> {
    let peaks = cell.phases.iter().filter_map(|phase| phase.result.resources.rss_peak_above_baseline_bytes);
    peaks.max().map(|bytes| bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_takes_ten_operations_beyond_it_and_one_in_each_round() {
        assert!(is_told(0.5, &[20]) && !is_told(0.5, &[19]));
        assert!(is_told(0.9, &[100]) && is_told(0.99, &[1_000]) && is_told(0.999, &[10_000]));
        assert!(is_told(0.99, &[500; 3]) && !is_told(0.99, &[300; 3]));
        assert!(
            !is_told(0.999, &[500; 100]),
            "the p99.9 of 500 operations is their maximum, however many rounds there are"
        );
        assert!(!is_told(0.5, &[]));
        assert_eq!([0.5, 0.9, 0.99, 0.999].map(operations_to_tell), [20, 100, 1_000, 10_000]);
    }
}
