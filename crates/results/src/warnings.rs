//! Warnings that follow from the results of a run: circumstances that spoiled its figures.

use std::collections::BTreeMap;

use bakeoff_measure::Warning;
use bakeoff_protocol::{LatencyTimeline, Opened, PhaseLine};
use bakeoff_stats::level_change;
use bakeoff_text::format_data;

use crate::cell_rounds::CellRound;
use crate::record::WarningRecord;

/// By less than this, a level that changes makes no other figure.
const CHANGE_MIN: f64 = 1.2;

/// Table files with less than this part of the data have none of it: they may have pages of their own.
const IN_TABLES_MIN: f64 = 0.05;

/// The warnings of a run.
pub fn warnings(rounds: &[CellRound]) -> Vec<WarningRecord> {
    let found =
        [steal(rounds), clock_slow(rounds), clock_overhead(rounds), not_steady(rounds), in_write_buffer(rounds)];
    records(found.into_iter().flatten().collect())
}

/// CPU time given to others during all phases together.
fn steal(rounds: &[CellRound]) -> Option<Warning> {
    let known = phases(rounds)
        .map(|phase| &phase.result)
        .filter_map(|result| Some((result.resources.steal_ns?, result.wall_ns)));
    let (steal_ns, wall_ns) = known.fold((0, 0), |(steal, wall), (s, w)| (steal + s, wall + w));
    Warning::steal(Some(steal_ns), wall_ns)
}

/// The facts from opening each store, for cells that finished.
fn opened(rounds: &[CellRound]) -> impl Iterator<Item = (&str, &Opened)> {
    let ends = rounds.iter().filter(|round| round.is_ok()).map(|round| &round.end);
    ends.filter_map(|end| Some((end.axes.store.as_str(), end.opened.as_ref()?)))
}

fn phases(rounds: &[CellRound]) -> impl Iterator<Item = &PhaseLine> {
    rounds.iter().flat_map(|round| &round.phases)
}

/// The clock of drivers that choose one: a virtual machine has its own.
fn clock_slow(rounds: &[CellRound]) -> Option<Warning> {
    let (_, native) = opened(rounds).find(|(_, opened)| opened.runtime.is_none())?;
    Warning::clock_slow(&native.clock, native.clock_pair_ns)
}

/// The operation that is hidden most by its own driver's clock.
fn clock_overhead(rounds: &[CellRound]) -> Option<Warning> {
    let pairs_ns: BTreeMap<&str, u64> = opened(rounds).map(|(store, opened)| (store, opened.clock_pair_ns)).collect();
    let operations = phases(rounds).flat_map(|phase| phase.result.operations.iter().map(|of| (&phase.axes.store, of)));
    let timed = operations.filter_map(|(store, of)| {
        let median_ns = of.latency.as_ref()?.latency_ns_p50;
        Some((*pairs_ns.get(store.as_str())?, median_ns, format!("{} of {store}", of.operation)))
    });
    let part = |(pair_ns, median_ns, _): &(u64, u64, String)| *pair_ns as f64 / (*median_ns).max(1) as f64;
    let (pair_ns, median_ns, operation) = timed.max_by(|a, b| part(a).total_cmp(&part(b)))?;
    Warning::clock_overhead(&operation, pair_ns, median_ns)
}

/// Phases that were to be measured at a steady rate, and for all one knows were not.
fn not_steady(rounds: &[CellRound]) -> Option<Warning> {
    let unsteady = phases(rounds).filter_map(|phase| {
        let warm_up = phase.result.warm_up.as_ref()?;
        let how = if warm_up.steady == Some(true) { changed(phase.result.over_time.as_ref()?)? } else { String::new() };
        Some(format!("{} of {}{how}", phase.result.phase, phase.axes.store))
    });
    Warning::not_steady(unsteady.collect())
}

/// Stores whose data had not left their memory when some phase after the load had ended, each with the workload.
fn in_write_buffer(rounds: &[CellRound]) -> Option<Warning> {
    let later = rounds.iter().filter(|round| round.is_ok()).flat_map(|round| round.phases.iter().skip(1));
    let buffered = later.filter_map(|phase| {
        let axes = &phase.axes;
        let is_buffered = (phase.table_bytes? as f64) < phase.tape.data_bytes_after as f64 * IN_TABLES_MIN;
        let data = format_data(axes.value_bytes_min, axes.value_bytes_max, axes.records);
        is_buffered.then(|| format!("{} ({data})", axes.store))
    });
    Warning::in_write_buffer(buffered.collect())
}

/// How the level changed while a phase was measured, if it did.
fn changed(course: &LatencyTimeline) -> Option<String> {
    let means: Vec<f64> =
        course.slices.iter().filter(|slice| slice.0 > 0).map(|slice| slice.1 as f64 / slice.0 as f64).collect();
    let change = level_change(&means).filter(|change| change.factor.max(change.factor.recip()) > CHANGE_MIN)?;
    Some(format!(" (from {:.0} % of the time on {:.1} times as long)", 100.0 * change.after_part, change.factor))
}

/// Warnings as they are kept, each once.
pub fn records(warnings: Vec<Warning>) -> Vec<WarningRecord> {
    let mut records: Vec<WarningRecord> = Vec::new();
    for warning in warnings {
        let record = WarningRecord { code: warning.code().to_owned(), message: warning.to_string(), advice: None };
        if !records.contains(&record) {
            records.push(record);
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compaction that begins after measuring did, as a store with large buffers has it: the warm-up cannot know.
    #[test]
    fn a_level_that_changes_while_it_is_measured_is_told() {
        let course = |ns_of: &dyn Fn(u64) -> u64| LatencyTimeline {
            slice_ns: 1_000_000,
            slices: (0..40).map(|slice| (1_000, 1_000 * (ns_of(slice) + slice % 3), 9_000)).collect(),
        };
        assert_eq!(changed(&course(&|_| 2_000)), None);
        // By a tenth, which is seen and too little to tell.
        assert_eq!(changed(&course(&|slice| if slice < 10 { 2_000 } else { 2_200 })), None);
        let told = changed(&course(&|slice| if slice < 10 { 2_000 } else { 7_600 }));
        assert_eq!(told.as_deref(), Some(" (from 25 % of the time on 3.8 times as long)"));
    }
}
