//! Checks the memory that a driver reports against what the caller sees of its processes.
//!
//! A driver resets its peak before each phase, so the caller cannot read the peak itself. But memory that the caller sees during a phase is
//! never above the phase's peak. And the peak at the process's exit is never below the peak of its last phase.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bakeoff_measure::{ProcessMemory, has_open};
use bakeoff_protocol::{Event, PhaseRequest, PhaseResult, Request};

use crate::strays::family;

/// A figure may be off by this part of it plus [`APART_BYTES`], because memory changes between the driver's reading and the caller's.
const APART_PART: u64 = 4;

/// See [`APART_PART`].
const APART_BYTES: u64 = 32 << 20;

/// The longest time between the end of a phase and the reading of its event.
const ON_ITS_WAY: Duration = Duration::from_millis(100);

/// One reading of the resident memory.
struct Look {
    at: Instant,
    resident_bytes: u64,
    /// The peak of the phase before, if the reading may belong to that phase.
    peak_before: u64,
}

/// The memory of one driver process, as the caller sees it.
pub(crate) struct SeenMemory {
    driver: i32,
    /// The store's directory and the pool.
    paths: Vec<PathBuf>,
    /// The processes that have them open, or else the driver's own.
    holders: Vec<i32>,
    /// Readings since the end of the last phase.
    looks: Vec<Look>,
    phases: usize,
    /// The peak that the last phase reported.
    peak: Option<u64>,
    /// The largest sum of the processes' peaks.
    most_bytes: u64,
}

impl SeenMemory {
    /// For a driver whose process has just started.
    pub(crate) fn begin(process: u32, request: &Request) -> Self {
        let paths = [&request.directory, &request.pool].into_iter().filter_map(|path| path.canonicalize().ok());
        let driver = i32::try_from(process).unwrap_or(i32::MAX);
        let (holders, looks) = (vec![driver], Vec::new());
        Self { driver, paths: paths.collect(), holders, looks, phases: 0, peak: None, most_bytes: 0 }
    }

    /// Checks the memory in an event. `at` is when the event was read, and `is_late` says that this process was held up before.
    ///
    /// # Errors
    /// The reason why it cannot be true.
    pub(crate) fn take(
        &mut self,
        event: &Event,
        (at, is_late): (Instant, bool),
        request: &Request,
    ) -> Result<(), String> {
        match event {
            Event::Opened(opened) => {
                self.find_holders();
                let Some(baseline) = opened.rss_baseline_bytes.filter(|_| !is_late) else { return Ok(()) };
                let most_bytes = self.most_for(baseline);
                if baseline > with_slack(most_bytes) {
                    return Err(format!(
                        "the driver reported rss_baseline_bytes {baseline}, but its processes never had more than {most_bytes} bytes resident"
                    ));
                }
            }
            // Once an operation is done, the driver has reset its peak.
            Event::Progress(progress) if progress.operations > 0 && !is_late => {
                let phase = request.phases.get(self.phases).filter(|phase| phase.name == progress.phase);
                if phase.is_some_and(|phase| phase.steady_within.is_none() && !phase.settle) {
                    self.look(0);
                }
            }
            Event::Phase(result) => {
                self.judge(result, at)?;
                self.peak = result.resources.rss_peak_bytes;
                self.phases += 1;
                let Some(peak) = self.peak else { return Ok(()) };
                self.most_for(peak);
                let is_plain = |phase: &PhaseRequest| !phase.reopen && !phase.settle && phase.steady_within.is_none();
                let both = request.phases.get(self.phases - 1).zip(request.phases.get(self.phases));
                if !is_late && both.is_some_and(|(ended, next)| is_plain(ended) && is_plain(next)) {
                    self.look(peak);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks the last phase's peak against the kernel's count at exit. Returns the reason why it cannot be true.
    pub(crate) fn ended(&self, exit_peak_bytes: u64, threads: u32) -> Option<String> {
        let peak = self.peak?;
        let most_bytes = exit_peak_bytes.max(self.most_bytes);
        // A driver may use one process per thread. The kernel counts only the largest.
        let all_bytes = most_bytes.saturating_mul(u64::from(threads).saturating_add(1));
        (peak > with_slack(all_bytes)).then(|| {
            format!(
                "the driver reported rss_peak_bytes {peak} in its last phase, but its processes never had more than {most_bytes} bytes resident"
            )
        })
    }

    /// Finds the processes that have the store open.
    fn find_holders(&mut self) {
        let paths: Vec<_> = self.paths.iter().map(PathBuf::as_path).collect();
        // Reading all of /proc takes longer, so it is done only if the driver itself does not have the store open.
        if has_open(self.driver, &paths) {
            return;
        }
        let holders: Vec<_> = family(self.driver).into_iter().filter(|process| has_open(*process, &paths)).collect();
        if !holders.is_empty() {
            self.holders = holders;
        }
    }

    fn look(&mut self, peak_before: u64) {
        let resident = self.holders.iter().filter_map(|process| ProcessMemory::of(*process));
        if let Some(resident_bytes) = resident.map(|memory| memory.resident_bytes).max() {
            self.looks.push(Look { at: Instant::now(), resident_bytes, peak_before });
        }
    }

    /// The largest sum of peaks. It includes all of the driver's processes only if those with the store explain less than `claimed_bytes`.
    fn most_for(&mut self, claimed_bytes: u64) -> u64 {
        let together = |processes: &[i32]| {
            let peaks = processes.iter().filter_map(|process| ProcessMemory::of(*process));
            peaks.fold(0, |sum: u64, memory| sum.saturating_add(memory.peak_bytes))
        };
        self.most_bytes = self.most_bytes.max(together(&self.holders));
        if claimed_bytes > with_slack(self.most_bytes) {
            self.most_bytes = self.most_bytes.max(together(&family(self.driver)));
        }
        self.most_bytes
    }

    fn judge(&mut self, result: &PhaseResult, read_at: Instant) -> Result<(), String> {
        let looks = std::mem::take(&mut self.looks);
        let Some(peak) = result.resources.rss_peak_bytes else { return Ok(()) };
        let is_above = |look: &&Look| {
            look.at + ON_ITS_WAY <= read_at && look.resident_bytes > with_slack(peak.max(look.peak_before))
        };
        match looks.iter().find(is_above) {
            None => Ok(()),
            Some(Look { resident_bytes, .. }) => Err(format!(
                "the driver reported rss_peak_bytes {peak} in the phase `{}`, but {resident_bytes} bytes were resident in its process",
                result.phase
            )),
        }
    }
}

fn with_slack(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / APART_PART).saturating_add(APART_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn seen(looks: Vec<Look>) -> SeenMemory {
        SeenMemory {
            driver: i32::MAX,
            paths: Vec::new(),
            holders: Vec::new(),
            looks,
            phases: 0,
            peak: Some(100 * MIB),
            most_bytes: 0,
        }
    }

    fn phase(peak: Option<u64>) -> PhaseResult {
        let phase = serde_json::json!({
            "phase": "get", "mode": "latency", "threads": 1, "timed_ns": 3, "wall_ns": 3,
            "operations": [], "answers_checked": 0, "answers_wrong": 0, "resources": {},
        });
        let mut phase = serde_json::from_value::<PhaseResult>(phase).unwrap();
        phase.resources.rss_peak_bytes = peak;
        phase
    }

    #[test]
    fn what_was_seen_in_a_phase_is_no_more_than_its_peak() {
        let at = Instant::now();
        let look = |mib: u64, before: u64| Look { at, resident_bytes: mib * MIB, peak_before: before * MIB };
        let later = at + ON_ITS_WAY;
        let judge = |looks: Vec<Look>, peak, read_at| seen(looks).judge(&phase(peak), read_at);
        assert_eq!(judge(vec![look(157, 0), look(90, 0)], Some(100 * MIB), later), Ok(()));
        assert_eq!(judge(vec![look(400, 300)], Some(100 * MIB), later), Ok(()), "it may be of the phase before");
        assert_eq!(judge(vec![look(400, 0)], Some(100 * MIB), at), Ok(()), "it may be of the phase after");
        assert_eq!(judge(vec![look(400, 0)], None, later), Ok(()), "what is not claimed is not judged");
        let told = judge(vec![look(90, 0), look(158, 0)], Some(100 * MIB), later).unwrap_err();
        assert!(told.contains("rss_peak_bytes 104857600 in the phase `get`, but 165675008 bytes"), "{told}");
    }

    #[test]
    fn no_peak_is_above_what_the_kernel_counted_at_the_end() {
        let seen = seen(Vec::new());
        // The second case has one process for each of two threads.
        assert_eq!(seen.ended(28 * MIB, 1), None);
        assert_eq!(seen.ended(19 * MIB, 2), None);
        assert!(seen.ended(27 * MIB, 1).is_some_and(|told| told.contains("in its last phase")));
        assert_eq!(SeenMemory { peak: None, ..seen }.ended(0, 1), None);
    }
}
