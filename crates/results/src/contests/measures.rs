//! Measures that the page can show for a store in a contest. Each is one row.

use bakeoff_protocol::{Latency, Mode, PhaseLine};
use bakeoff_stats::{Better, Rounds, median};
use serde::Serialize;

use crate::cell_rounds::CellRound;
use crate::figures::{
    self, Family, PAGE_BYTES, Timing, is_told, peak_memory, rate_kept, settled_ns_mean, space_efficiency,
};

/// A measure that the page offers.
#[derive(Clone, Copy, Serialize)]
pub struct ContestMeasure {
    /// Its name, as in `docs/RESULTS.md`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is, in a sentence.
    pub help: &'static str,
    /// `ns`, `bytes`, `per_second` or `share`.
    pub unit: &'static str,
    /// Whether lower is better.
    pub lower_is_better: bool,
    /// Whether it is per phase rather than per cell.
    pub per_phase: bool,
    /// How the displayed figure combines the rounds.
    pub of_rounds: OfRounds,
    /// Whether it is a column of the table with every store of a workload.
    pub in_detail: bool,
    /// The corresponding measures of [tables](crate::verdict::Table), whose rankings are reused here.
    #[serde(skip)]
    pub table: Option<Family>,
    /// The percentile's share of operations.
    #[serde(skip)]
    share: Option<f64>,
    /// The smallest difference that counts.
    #[serde(skip)]
    resolution: f64,
    #[serde(skip)]
    figure: fn(&Subject) -> Option<f64>,
}

/// How figures of several rounds become the displayed one. Ranks come from the rounds, independent of this choice.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OfRounds {
    /// The figure of a typical round.
    Centre,
    /// The median, as reports show percentiles.
    Median,
    /// The maximum.
    Largest,
}

impl OfRounds {
    /// The displayed figure of all rounds. With several rounds, the lowest and the highest follow.
    pub fn figures(self, rounds: &Rounds) -> Vec<f64> {
        let shown = match self {
            Self::Centre => rounds.centre(),
            Self::Median => median(&rounds.figures()),
            Self::Largest => rounds.range().map(|(_, highest)| highest),
        };
        match (shown, rounds.range().filter(|_| rounds.len() > 1)) {
            (Some(shown), Some((low, high))) => vec![shown, low, high],
            (shown, _) => shown.into_iter().collect(),
        }
    }
}

/// What a figure describes: one kind of operation in one phase and round.
pub(crate) struct Subject<'a, 't> {
    /// The round. For a measure of whole cells, only this matters.
    pub(crate) cell: &'a CellRound,
    /// The phase and its operation. `None` for the whole cell.
    pub(crate) phase: Option<(&'a PhaseLine, &'t Timing<'a>)>,
}

impl ContestMeasure {
    /// The figure of one round. `None` if it could not be read, or does not apply to this subject.
    pub(crate) fn of(&self, subject: &Subject) -> Option<f64> {
        (self.figure)(subject).filter(|_| self.per_phase == subject.phase.is_some())
    }

    /// Whether rounds with these numbers of operations are enough for it.
    pub(crate) fn is_told(&self, operations: &[u64]) -> bool {
        self.share.is_none_or(|share| is_told(share, operations))
    }

    /// The smallest difference that counts, in the measure's unit. Timing by blocks resolves fractions of a nanosecond
    /// per operation.
    pub(crate) fn resolution(&self, mode: Option<Mode>) -> f64 {
        if self.unit == "ns" && mode != Some(Mode::Latency) { 0.0 } else { self.resolution }
    }

    /// Which direction is better.
    pub(crate) fn better(&self) -> Better {
        if self.lower_is_better { Better::Lower } else { Better::Higher }
    }
}

const TIME: ContestMeasure = ContestMeasure {
    name: "time_ns_mean",
    title: "mean time",
    help: "Time in the store per operation; of scans per entry; of batched writes with their commits; in an open loop from when \
           operations were due.",
    unit: "ns",
    lower_is_better: true,
    per_phase: true,
    of_rounds: OfRounds::Centre,
    in_detail: true,
    table: None,
    share: None,
    resolution: 1.0,
    figure: |of| Some(of.phase?.1.mean_ns),
};

const PERCENTILE: ContestMeasure = ContestMeasure { of_rounds: OfRounds::Median, ..TIME };

/// Differences in kept rates below this are noise: the last operation alone can cause them.
const RATE_RESOLUTION: f64 = 0.001;

const CELL: ContestMeasure = ContestMeasure { per_phase: false, resolution: 0.0, ..TIME };

/// All measures, in display order.
pub const MEASURES: [ContestMeasure; 22] = [
    ContestMeasure { table: Some(Family::Time), ..TIME },
    ContestMeasure {
        name: "latency_ns_p50",
        title: "p50",
        share: Some(0.5),
        help: "Half of the operations took at most this long.",
        figure: |of| latency(of, |latency| latency.latency_ns_p50),
        ..PERCENTILE
    },
    ContestMeasure {
        name: "latency_ns_p99",
        title: "p99",
        share: Some(0.99),
        help: "99 of 100 operations took at most this long.",
        figure: |of| latency(of, |latency| latency.latency_ns_p99),
        ..PERCENTILE
    },
    ContestMeasure {
        name: "latency_ns_p999",
        title: "p99.9",
        share: Some(0.999),
        help: "999 of 1,000 operations took at most this long.",
        figure: |of| latency(of, |latency| latency.latency_ns_p999),
        ..PERCENTILE
    },
    ContestMeasure {
        name: "latency_ns_max",
        title: "max",
        help: "The slowest operation of all rounds; for batched writes, commits included.",
        of_rounds: OfRounds::Largest,
        figure: |of| Some(of.phase?.1.max_ns? as f64),
        ..TIME
    },
    ContestMeasure {
        name: "per_second",
        title: "ops/s",
        help: "Operations (entries for scans) per second of time in the store, all threads together.",
        unit: "per_second",
        lower_is_better: false,
        resolution: 0.0,
        figure: |of| Some(of.phase?.1.per_second).filter(|rate| *rate > 0.0),
        ..TIME
    },
    ContestMeasure {
        name: "rate_kept",
        title: "rate kept",
        help: "Open loops only: the reached rate divided by the requested rate. Below 100 % the store could not keep up.",
        unit: "share",
        lower_is_better: false,
        resolution: RATE_RESOLUTION,
        figure: |of| rate_kept(&of.phase?.0.result),
        ..TIME
    },
    ContestMeasure {
        name: "cpu_ns_per_operation",
        title: "CPU",
        help: "CPU time of the whole phase, background threads and the harness's checking included, per operation of it.",
        figure: |of| {
            let resources = &of.phase?.0.result.resources;
            per_operation(of, resources.cpu_user_ns? as f64 + resources.cpu_system_ns? as f64)
        },
        ..TIME
    },
    ContestMeasure {
        name: "block_write_bytes_per_operation",
        title: "bytes written",
        help: "Bytes that the process sent to the block layer during the phase, per operation of it. A page that is written again \
               before it reaches the disk counts once, and files in memory count nothing.",
        unit: "bytes",
        figure: |of| per_operation(of, of.phase?.0.result.resources.block_write_bytes? as f64),
        ..TIME
    },
    ContestMeasure {
        name: "allocated_bytes_per_operation",
        title: "allocated",
        help: "Stores on the JVM: bytes of its heap that the replaying threads allocated while the clock ran, per operation (JMH's gc.alloc.rate.norm).",
        unit: "bytes",
        figure: |of| per_operation(of, of.phase?.0.result.resources.allocated_bytes? as f64),
        ..TIME
    },
    ContestMeasure {
        name: "gc_ns_per_operation",
        title: "collections",
        help: "Stores on the JVM: time that collections of its heap took during the phase, per operation of it.",
        figure: |of| per_operation(of, of.phase?.0.result.resources.gc_ns? as f64),
        ..TIME
    },
    ContestMeasure {
        name: "rss_peak_above_baseline_bytes_of_phase",
        title: "memory in the phase",
        help: "Highest resident memory of the phase above that of the opened, empty store. Pages of files that a store maps count. \
               Those that the page cache holds for other stores do not.",
        unit: "bytes",
        resolution: PAGE_BYTES,
        in_detail: false,
        figure: |of| Some(of.phase?.0.result.resources.rss_peak_above_baseline_bytes? as f64),
        ..TIME
    },
    ContestMeasure {
        name: "space_efficiency",
        title: "space efficiency",
        help: "Bytes of keys and values per byte on disk after closing.",
        unit: "share",
        lower_is_better: false,
        in_detail: false,
        table: Some(Family::Space),
        figure: |of| space_efficiency(of.cell),
        ..CELL
    },
    ContestMeasure {
        name: "disk_after_close_allocated_bytes",
        title: "space on disk",
        help: "Bytes on disk after closing.",
        unit: "bytes",
        figure: |of| Some(of.cell.end.finished.as_ref()?.disk_after_close?.allocated_bytes as f64),
        ..CELL
    },
    ContestMeasure {
        name: "disk_before_close_allocated_bytes",
        title: "disk before closing",
        help: "Bytes on disk just before the store was closed.",
        unit: "bytes",
        figure: |of| Some(of.cell.end.finished.as_ref()?.disk_before_close?.allocated_bytes as f64),
        ..CELL
    },
    ContestMeasure {
        name: "disk_peak_allocated_bytes",
        title: "peak disk",
        help: "Peak bytes on disk while the cell ran, sampled every 20 ms, or less often for a store with very many files.",
        unit: "bytes",
        figure: |of| Some(of.cell.end.disk_peak_allocated_bytes? as f64),
        ..CELL
    },
    ContestMeasure {
        name: "settled_disk_allocated_bytes",
        title: "disk after background work",
        help: "Bytes on disk after background work; only for phases that wait for it.",
        unit: "bytes",
        in_detail: false,
        figure: |of| Some(of.phase?.0.result.background_work?.disk?.allocated_bytes as f64),
        ..TIME
    },
    ContestMeasure {
        name: "compacted_copy_allocated_bytes",
        title: "compacted copy",
        help: "Bytes on disk of a compacted copy; only in suites that make one.",
        unit: "bytes",
        figure: |of| Some(of.cell.end.verified.as_ref()?.compacted_copy?.disk.allocated_bytes as f64),
        ..CELL
    },
    ContestMeasure {
        name: "rss_peak_above_baseline_bytes",
        title: "peak memory",
        help: "Highest resident memory of all phases above that of the opened, empty store. Pages of files that a store maps count. \
               Those that the page cache holds for other stores do not.",
        unit: "bytes",
        resolution: PAGE_BYTES,
        table: Some(Family::Memory),
        figure: |of| peak_memory(of.cell),
        ..CELL
    },
    ContestMeasure {
        name: "settled_time_ns_mean",
        title: "settled time",
        help: "Time per operation with background work included; only for phases that wait for it.",
        figure: |of| settled_ns_mean(&of.phase?.0.result),
        ..TIME
    },
    ContestMeasure {
        name: "cold_open_ns",
        title: "time to open, cold",
        help: "Time to open the store before the phase, after its files were dropped from the page cache; only for phases with cold caches.",
        resolution: 0.0,
        in_detail: false,
        figure: |of| {
            let line = of.phase?.0;
            Some(line.result.reopen_ns.filter(|_| line.dropped_cache.is_some())? as f64)
        },
        ..TIME
    },
    ContestMeasure {
        name: "reopen_ns",
        title: "time to reopen",
        help: "Time to open the store with its data after it was closed.",
        figure: |of| Some(of.cell.end.verified.as_ref()?.reopen_ns as f64),
        ..CELL
    },
];

fn latency(of: &Subject, figure: fn(&Latency) -> u64) -> Option<f64> {
    Some(figure(of.phase?.1.latency?) as f64)
}

/// A sum over the phase, per operation.
fn per_operation(of: &Subject, sum: f64) -> Option<f64> {
    figures::per_operation(&of.phase?.0.result, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typical_round_lies_between_the_lowest_and_the_highest() {
        let shown = |of: OfRounds| of.figures(&Rounds::from([100.0, 400.0, 100.0]));
        let centre = shown(OfRounds::Centre);
        assert_eq!(centre[1..], [100.0, 400.0]);
        assert!(100.0 < centre[0] && centre[0] < 200.0, "{centre:?}");
        assert_eq!(shown(OfRounds::Median), [100.0, 100.0, 400.0]);
        assert_eq!(shown(OfRounds::Largest), [400.0, 100.0, 400.0]);
        assert_eq!(OfRounds::Centre.figures(&Rounds::only(7.0)), [7.0]);
    }
}
