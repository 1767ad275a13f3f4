//! What a driver is asked, built from what is planned and recorded.

use bakeoff_protocol::{Capabilities, DataHints, Mode, PhaseRequest, ValueSizeRange, WarmUp};
use bakeoff_suite::{WarmUpLimit, offered};
use bakeoff_tape::{Batch, Hints, Measure, OpenLoop, PhaseSpec, PhaseTape, Recording, SizeRange, Workload};

/// The phases a store is asked for, and those it does not offer.
pub(crate) struct Phases<'a> {
    pub(crate) asked: Vec<(&'a PhaseSpec, &'a PhaseTape)>,
    /// By name, with the reason.
    pub(crate) not_offered: Vec<(String, String)>,
}

impl<'a> Phases<'a> {
    /// Sorts the phases of a workload by what a store offers.
    pub(crate) fn of(workload: &'a Workload, recording: &'a Recording, capabilities: &Capabilities) -> Self {
        let mut phases = Self { asked: Vec::new(), not_offered: Vec::new() };
        for (spec, tape) in workload.phases.iter().zip(&recording.phases) {
            match offered(spec, capabilities) {
                Ok(()) => phases.asked.push((spec, tape)),
                Err(why) => phases.not_offered.push((spec.name.clone(), why)),
            }
        }
        phases
    }
}

/// What a store may know of recorded data.
pub(crate) fn data_hints(hints: &Hints, threads: u32) -> DataHints {
    DataHints {
        records_max: hints.records_max,
        records_inserted: hints.records_inserted,
        key_bytes_max: hints.key_bytes_max,
        value_bytes_mean: hints.value_bytes_mean,
        value_bytes_max: hints.value_bytes_max,
        data_bytes_max: hints.data_bytes_max,
        written_bytes: hints.written_bytes,
        integer_keys: hints.integer_keys,
        threads,
    }
}

/// The ranges of value sizes whose latencies a driver keeps apart; none if values have one range.
pub(crate) fn value_sizes(workload: &Workload) -> Vec<ValueSizeRange> {
    let range = |range: SizeRange| ValueSizeRange { value_bytes_min: range.min, value_bytes_max: range.max };
    workload.value_bytes.distinct().into_iter().map(range).collect()
}

/// One phase as a driver is asked for it.
pub(crate) fn phase_request(spec: &PhaseSpec, tape: &PhaseTape, value_sizes: &[ValueSizeRange]) -> PhaseRequest {
    PhaseRequest {
        name: spec.name.clone(),
        tape: tape.path.clone(),
        mode: mode(spec),
        batched: spec.batch != Batch::Each,
        ascending: tape.ascending,
        speed: spec.open_loop.map(OpenLoop::speed),
        steady_within: spec.steady_within,
        settle: spec.settle,
        reopen: spec.reopen,
        gate: None,
        value_sizes: if spec.measure == Measure::Latency { value_sizes.to_vec() } else { Vec::new() },
    }
}

/// How a phase is timed.
pub(crate) fn mode(spec: &PhaseSpec) -> Mode {
    match spec.measure {
        Measure::Latency => Mode::Latency,
        Measure::Throughput => Mode::Throughput,
    }
}

/// What a driver that warms up is asked to do before it measures; `recording` is the small workload for that.
pub(crate) fn warm_up_request(
    limit: WarmUpLimit,
    recording: &Recording,
    phases: &Phases<'_>,
    threads: u32,
) -> Option<WarmUp> {
    let (time_ns, operations) = match limit {
        WarmUpLimit::None => return None,
        WarmUpLimit::Time(time) => (u64::try_from(time.as_nanos()).ok(), None),
        WarmUpLimit::Operations(operations) => (None, Some(operations)),
    };
    let asked = phases.asked.iter().filter_map(|(spec, _)| {
        let tape = recording.phases.iter().find(|tape| tape.name == spec.name)?;
        // As fast as it goes: what is to be compiled is compiled sooner.
        let asked = phase_request(spec, tape, &[]);
        Some(PhaseRequest { speed: None, steady_within: None, settle: false, reopen: false, ..asked })
    });
    Some(WarmUp {
        time_ns,
        operations,
        pool: recording.pool.clone(),
        hints: data_hints(&recording.hints, threads),
        phases: asked.collect(),
    })
}
