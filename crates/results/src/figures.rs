//! Figures from results: one number per round for everything that is ranked.

use bakeoff_measure::Histogram;
use bakeoff_protocol::{Latency, Mode, OperationResult, PhaseLine, PhaseResult};
use bakeoff_tape::key_bytes_of;
use bakeoff_text::printable;

use crate::cell_rounds::CellRound;

/// The kind of operation that acknowledges a batch.
pub const COMMIT: &str = "commit";

/// The maximum width of a phase's name in the first column.
const LABEL_MAX: usize = 20;

/// A page of memory: the resolution of resident set sizes.
pub const PAGE_BYTES: f64 = 4096.0;

/// What a row of the matrix measures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Time per operation in a phase, with the kind of operation if the phase mixes several.
    Time {
        /// The phase.
        phase: String,
        /// The kind of operation, in a mixed phase.
        operation: Option<String>,
    },
    /// Bytes of data per byte allocated after closing.
    Space,
    /// Peak resident set size above that of the empty store.
    Memory,
}

/// Measures that are ranked and compared together. They share their scatter and one confidence level.
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
    /// The family it is ranked in.
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

    /// Its name: the phase, with the kind of operation if it mixes several. Safe to print, and short enough for a
    /// table.
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
    /// The kind, or `all` for a mixed phase that was timed as a whole.
    pub operation: &'a str,
    /// Whether the phase mixes kinds, so that the label must name this one.
    pub mixed: bool,
    /// Mean time in nanoseconds per operation (per entry for scans), with the commits if the phase has one kind.
    pub mean_ns: f64,
    /// Rate per second of all threads together.
    pub per_second: f64,
    /// The latency distribution over operations (over whole scans), if each operation was timed.
    pub latency: Option<&'a Latency>,
    /// The number of operations in that distribution.
    pub operations: u64,
    /// The slowest operation. In a phase of one kind this includes commits, since writes wait for them.
    pub max_ns: Option<u64>,
}

/// The minimum of operations beyond a percentile. With fewer, the percentile is little more than the maximum.
const BEYOND_MIN: f64 = 10.0;

/// The number of operations beyond the percentile at a share. The small addend compensates for rounding.
fn beyond(share: f64, operations: u64) -> f64 {
    (1.0 - share) * operations as f64 + 1e-6
}

/// Whether rounds with these numbers of operations support the percentile at a share. Together, enough operations must
/// lie beyond it. Each round needs at least one: without it, the percentile of the round would be its maximum. Every
/// displayed or ranked percentile must pass this check.
pub fn is_told(share: f64, operations: &[u64]) -> bool {
    let all = operations.iter().fold(0, |all: u64, number| all.saturating_add(*number));
    beyond(share, all) >= BEYOND_MIN && operations.iter().all(|number| beyond(share, *number) >= 1.0)
}

/// The fewest operations with which a single round supports the percentile at a share.
pub fn operations_to_tell(share: f64) -> u64 {
    ((BEYOND_MIN - 1e-6) / (1.0 - share)).ceil() as u64
}

/// The text in place of a percentile with too few operations.
pub const TOO_FEW: &str = "too few";

/// A percentile over all operations of a phase, of all kinds.
pub fn quantile(phase: &PhaseResult, share: f64) -> Option<u64> {
    let mut all = Histogram::new();
    for latency in phase.operations.iter().filter_map(|of| of.latency.as_ref()) {
        all.merge(&Histogram::from_base64(&latency.histogram).ok()?);
    }
    all.quantile_ns(share)
}

/// The sums for one kind of operation, or for a whole phase.
struct Sum<'a> {
    operation: &'a str,
    mixed: bool,
    count: f64,
    timed_ns: f64,
    latency: Option<&'a Latency>,
    operations: u64,
    max_ns: Option<u64>,
}

/// The commits of a phase. `None` if each write was acknowledged individually.
pub fn commits(result: &PhaseResult) -> Option<&OperationResult> {
    result.operations.iter().find(|of| of.operation == COMMIT)
}

/// The slowest operation of these kinds. `None` if they were not timed individually.
fn slowest_ns<'a>(operations: impl IntoIterator<Item = &'a OperationResult>) -> Option<u64> {
    operations.into_iter().filter_map(|of| Some(of.latency.as_ref()?.latency_ns_max)).max()
}

/// The timings of a phase: one if it has one kind of operation, otherwise one per kind.
///
/// If a phase of one kind has commits, their time counts as time of its writes, and the slowest commit as a write. This
/// is the cost of a write. [`commits`] has the commits alone. A mixed phase that was timed by blocks has only a sum,
/// shown as `all`.
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

/// Time in all of them. `None` if some were not timed separately.
fn total_ns(operations: &[OperationResult]) -> Option<f64> {
    operations.iter().map(|each| each.timed_ns.map(|ns| ns as f64)).sum()
}

/// Operations per second that were due in an open loop, of all kinds and threads. `None` in a closed loop.
pub fn asked_per_second(line: &PhaseLine) -> Option<f64> {
    let due_ns = line.result.open_loop?.due_ns;
    (due_ns > 0).then(|| line.tape.operations as f64 / due_ns as f64 * 1e9)
}

/// The share of the requested rate that an open loop reached: 1 if the last answer came when its operation was due.
pub fn rate_kept(result: &PhaseResult) -> Option<f64> {
    let due_ns = result.open_loop?.due_ns;
    (due_ns > 0 && result.timed_ns > 0).then(|| (due_ns as f64 / result.timed_ns as f64).min(1.0))
}

/// Whether figures of this kind are per entry instead of per operation.
pub fn is_per_entry(operation: &str) -> bool {
    matches!(operation, "scan" | "scan-all" | "scan-prefix")
}

/// The number of units: entries for scans, operations for everything else.
pub fn units(of: &OperationResult) -> f64 {
    if is_per_entry(&of.operation) { of.entries as f64 } else { of.operations as f64 }
}

/// A sum over a whole phase, per operation of any kind except commits (per entry for scans).
pub fn per_operation(phase: &PhaseResult, sum: f64) -> Option<f64> {
    let count: f64 = phase.operations.iter().filter(|each| each.operation != COMMIT).map(units).sum();
    (count > 0.0).then(|| sum / count)
}

/// Time per operation when acknowledged, with its commits (per entry for scans), nanoseconds.
pub fn acknowledged_ns_mean(phase: &PhaseResult) -> Option<f64> {
    per_operation(phase, phase.timed_ns as f64)
}

/// The same with background work included. `None` if the work did not finish, or the phase did not wait.
pub fn settled_ns_mean(phase: &PhaseResult) -> Option<f64> {
    let settled_ns = phase.background_work?.done_ns?;
    acknowledged_ns_mean(phase).map(|each| each * (1.0 + settled_ns as f64 / phase.timed_ns.max(1) as f64))
}

/// The smallest difference that counts, in the measure's unit. Individual operations are timed in whole nanoseconds.
pub fn resolution(measure: &Measure, mode: Option<Mode>) -> f64 {
    match (measure, mode) {
        (Measure::Time { .. }, Some(Mode::Latency)) => 1.0,
        (Measure::Memory, _) => PAGE_BYTES,
        _ => 0.0,
    }
}

/// Bytes of values without keys, alive at the end. `None` if key lengths vary.
fn value_bytes(cell: &CellRound) -> Option<u64> {
    let of_each = key_bytes_of(&cell.end.axes.key)?;
    cell.end.data_bytes.checked_sub(cell.end.records_alive.checked_mul(of_each)?)
}

/// A round whose space efficiency counts values without keys, as in some papers.
pub fn of_values_alone(cell: &CellRound) -> CellRound {
    let mut cell = cell.clone();
    cell.end.data_bytes = value_bytes(&cell).unwrap_or(cell.end.data_bytes);
    cell
}

/// Bytes of data per byte allocated after closing. `None` if either is unknown or zero.
pub fn space_efficiency(cell: &CellRound) -> Option<f64> {
    by_allocated(cell.end.data_bytes, cell)
}

fn by_allocated(bytes: u64, cell: &CellRound) -> Option<f64> {
    let allocated = cell.end.finished.as_ref()?.disk_after_close?.allocated_bytes;
    (allocated > 0 && bytes > 0).then(|| bytes as f64 / allocated as f64)
}

/// The maximum of the phases' peaks above the empty store. `None` if none could be read.
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
