//! The memory and the processor's time that a phase claims, held against each other and against what the machine has.

use bakeoff_measure::cpus_online;
use bakeoff_protocol::{PhaseResult, Resources};

/// Memory at the end of a phase may be larger than its peak by this part of it, and by [`APART_BYTES`]: a driver may read one after the other.
const APART_PART: u64 = 10;

/// See [`APART_PART`].
const APART_BYTES: u64 = 1 << 20;

/// The time around a phase in which its driver may compute: its CPU time is counted in ticks, and a driver may collect
/// garbage before it reads its counters.
const AROUND_NS: u64 = 5_000_000_000;

/// The mistake in the resources of a phase, as text. `baseline` is the resident set that the driver had with the empty
/// store.
pub(crate) fn untrue(result: &PhaseResult, baseline: Option<u64>) -> Option<String> {
    let cpus = cpus_online();
    memory(&result.resources, baseline).or_else(|| processor(result, cpus?)).or_else(|| waiting(result, cpus?))
}

fn memory(of: &Resources, baseline: Option<u64>) -> Option<String> {
    let held = of.rss_anonymous_bytes.unwrap_or(0).saturating_add(of.rss_file_bytes.unwrap_or(0));
    let most = |peak: u64| peak.saturating_add(peak / APART_PART).saturating_add(APART_BYTES);
    if let Some(peak) = of.rss_peak_bytes.filter(|peak| held > most(*peak)) {
        return Some(format!("rss_peak_bytes {peak}, while {held} bytes were resident at its end"));
    }
    let above = of.rss_peak_above_baseline_bytes?;
    let Some((peak, baseline)) = of.rss_peak_bytes.zip(baseline) else {
        return Some(format!(
            "rss_peak_above_baseline_bytes {above} without rss_peak_bytes and rss_baseline_bytes, whose difference it is"
        ));
    };
    (above != peak.saturating_sub(baseline)).then(|| {
        format!(
            "rss_peak_above_baseline_bytes {above}, while rss_peak_bytes is {peak} and rss_baseline_bytes {baseline}"
        )
    })
}

/// The most time that all CPUs together have in and around this time.
fn of_all_cpus(took_ns: u64, cpus: u64) -> u64 {
    took_ns.saturating_add(took_ns / 10).saturating_add(AROUND_NS).saturating_mul(cpus)
}

/// More time spent waiting, collecting or compiling than the phase has on all CPUs.
fn waiting(result: &PhaseResult, cpus: u64) -> Option<String> {
    let of = &result.resources;
    let times = [
        ("gc_ns", of.gc_ns),
        ("jit_compile_ns", of.jit_compile_ns),
        ("stall_cpu_ns", of.stall_cpu_ns),
        ("stall_memory_ns", of.stall_memory_ns),
        ("stall_io_ns", of.stall_io_ns),
        ("steal_ns", of.steal_ns),
    ];
    let most_ns = of_all_cpus(result.wall_ns, cpus);
    let (name, spent_ns) = times.into_iter().find_map(|(name, ns)| Some((name, ns.filter(|ns| *ns > most_ns)?)))?;
    Some(format!("{name} {spent_ns} in {} ns, with {cpus} CPUs", result.wall_ns))
}

fn processor(result: &PhaseResult, cpus: u64) -> Option<String> {
    let of = &result.resources;
    let spent_ns = of.cpu_user_ns.unwrap_or(0).saturating_add(of.cpu_system_ns.unwrap_or(0));
    let waited = result.background_work.map(|work| (work.cpu_ns, work.waited_ns));
    let (spent_ns, took_ns) = [(spent_ns, result.wall_ns)]
        .into_iter()
        .chain(waited)
        .find(|(spent_ns, took_ns)| *spent_ns > of_all_cpus(*took_ns, cpus))?;
    Some(format!("{spent_ns} ns of CPU time in {took_ns} ns, with {cpus} CPUs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn memory_that_agrees_is_taken_and_other_is_not() {
        let honest = Resources {
            rss_peak_bytes: Some(50 * MIB),
            rss_peak_above_baseline_bytes: Some(10 * MIB),
            rss_anonymous_bytes: Some(30 * MIB),
            rss_file_bytes: Some(20 * MIB),
            ..Resources::default()
        };
        let baseline = Some(40 * MIB);
        assert_eq!(memory(&honest, baseline), None);
        assert_eq!(memory(&Resources::default(), None), None);
        // Memory returned since the store was opened.
        let shrunk =
            Resources { rss_peak_above_baseline_bytes: Some(0), rss_anonymous_bytes: Some(MIB), ..honest.clone() };
        assert_eq!(memory(&shrunk, Some(60 * MIB)), None);
        // Read a moment later.
        assert_eq!(memory(&Resources { rss_file_bytes: Some(25 * MIB), ..honest.clone() }, baseline), None);
        let lies = [
            (Resources { rss_peak_bytes: Some(1), ..honest.clone() }, baseline, "were resident at its end"),
            (Resources { rss_file_bytes: Some(27 * MIB), ..honest.clone() }, baseline, "were resident at its end"),
            (
                Resources { rss_peak_above_baseline_bytes: Some(0), ..honest.clone() },
                baseline,
                "rss_peak_above_baseline_bytes 0, while",
            ),
            (honest, None, "without"),
        ];
        for (lie, baseline, words) in lies {
            let told = memory(&lie, baseline).unwrap_or_default();
            assert!(told.contains(words), "{words}: {told}");
        }
    }

    #[test]
    fn no_phase_has_more_time_than_all_cpus_have() {
        let phase = |cpu_ns: u64, settled_ns: u64| {
            let phase = serde_json::json!({
                "phase": "get", "mode": "latency", "threads": 1, "timed_ns": 3, "wall_ns": 10_000_000_000_u64,
                "operations": [], "answers_checked": 0, "answers_wrong": 0,
                "resources": { "cpu_user_ns": cpu_ns, "cpu_system_ns": 0 },
                "settled": { "waited_ns": 0, "cpu_ns": settled_ns, "process_write_bytes": 0 },
            });
            serde_json::from_value::<PhaseResult>(phase).unwrap()
        };
        assert_eq!(processor(&phase(32_000_000_000, 10_000_000_000), 2), None);
        let told = processor(&phase(32_000_000_001, 0), 2).unwrap();
        assert_eq!(told, "32000000001 ns of CPU time in 10000000000 ns, with 2 CPUs");
        assert!(processor(&phase(0, 10_000_000_001), 2).unwrap().contains("in 0 ns"));
    }
}
