//! The reports of a driver about one round of a cell, checked against its request, as result lines.

use bakeoff_protocol::{
    CellEnd, CellStatus, DiskUsage, Event, FailureKind, Finished, PhaseLine, PhaseResult, PowerCuts, Request,
    ResultLine, Structure, TapeFacts,
};

use crate::cell::claims::directory::Kept;
use crate::cell::claims::memory::SeenMemory;
use crate::cell::claims::order::{self, Order};
use crate::cell::claims::time::Claimed;
use crate::cell::claims::{Refusal, directory, phase, settings};
use crate::cell::cold::Gates;
use crate::cell::job::CellJob;
use crate::cell::process::{Ending, Printed};
use crate::cell::table_files::table_bytes;
use crate::timestamp::now;

/// What a driver has said so far about one round of a cell.
pub(crate) struct RoundRecord<'a> {
    job: &'a CellJob<'a>,
    round: u32,
    lines: Vec<ResultLine>,
    pub(crate) end: CellEnd,
    order: Order,
    /// What drops caches before phases that are to begin cold.
    pub(crate) gates: Option<Gates>,
    /// The times that the process under way has claimed; `None` before it starts.
    claimed: Option<Claimed>,
    /// Observations of its memory.
    memory: Option<SeenMemory>,
    /// What fails it in any case, such as wrong answers that a driver has counted. It may say more of them.
    wrong: Option<Refusal>,
}

impl<'a> RoundRecord<'a> {
    pub(crate) fn new(job: &'a CellJob<'a>, round: u32, log: String) -> Self {
        let phases = job.phases();
        let last = phases.asked.last().map(|(_, tape)| *tape);
        let end = CellEnd {
            cell: job.cell.id.clone(),
            round,
            attempt: 1,
            axes: job.cell.axes.clone(),
            status: CellStatus::Failed,
            failure: None,
            failure_phase: None,
            failure_message: None,
            failure_again: None,
            phases_measured: None,
            started: now(),
            process_ns: 0,
            memory_settings: job.cell.memory_settings.clone(),
            memory_peak_bytes: None,
            disk_peak_allocated_bytes: None,
            flush_ns: None,
            not_offered: phases.not_offered,
            opened: None,
            verified: None,
            finished: None,
            power_cuts: None,
            data_bytes: last.map_or(0, |tape| tape.data_bytes_after),
            records_alive: last.map_or(0, |tape| tape.records_after),
            log,
            profiled: None,
        };
        let order = Order::new(order::Asked {
            phases: phases.asked.iter().map(|(spec, _)| spec.name.clone()).collect(),
            dies: job.cell.axes.killed,
            verifies: job.can_list(),
        });
        Self { job, round, lines: Vec::new(), end, order, gates: None, claimed: None, memory: None, wrong: None }
    }

    /// Whether the current process opens the files of a killed one.
    pub(crate) fn recovers(&self) -> bool {
        self.order.recovers()
    }

    /// A process was started for it, which will be asked for `request`.
    pub(crate) fn begin_process(&mut self, process: u32, request: &Request) {
        self.claimed = Some(Claimed::begin());
        self.memory = Some(SeenMemory::begin(process, request));
    }

    /// The process has ended, and had so much resident at most.
    pub(crate) fn end_process(&mut self, rss_peak_bytes: u64) {
        let threads = self.job.workload.workload.lanes;
        if let Some(what) = self.memory.as_ref().and_then(|seen| seen.ended(rss_peak_bytes, threads)) {
            self.wrong.get_or_insert((FailureKind::BadOutput, what));
        }
    }

    /// Takes an event of a process with this request.
    ///
    /// # Errors
    /// It cannot be true: why.
    pub(crate) fn take(&mut self, printed: &Printed, request: &Request) -> Result<(), Refusal> {
        let bad_output = |what| (FailureKind::BadOutput, what);
        self.order.take(&printed.event).map_err(bad_output)?;
        let claimed = self.claimed.get_or_insert_with(Claimed::begin);
        claimed.take(&printed.event, printed.at, printed.is_late).map_err(bad_output)?;
        if let Some(seen) = &mut self.memory {
            seen.take(&printed.event, (printed.at, printed.is_late), request).map_err(bad_output)?;
        }
        match &printed.event {
            Event::Opened(opened) => {
                if let Some(what) = settings::untrue(&opened.settings, &request.settings, self.job.store) {
                    return Err(bad_output(what));
                }
                self.end.opened = Some(opened.clone());
            }
            Event::Verified(verified) => self.end.verified = Some(verified.clone()),
            Event::Phase(result) => return self.take_phase(result, request),
            Event::Progress(_) | Event::Dying | Event::Inventory(_) | Event::Finished(_) | Event::Failed { .. } => {}
        }
        Ok(())
    }

    fn take_phase(&mut self, result: &PhaseResult, request: &Request) -> Result<(), Refusal> {
        let at = self.lines.len();
        let asked = self.job.phases().asked.into_iter().nth(at).zip(request.phases.get(at));
        // The due phase was checked before.
        let Some(((_, tape), phase_request)) = asked else { return Ok(()) };
        let keeps_data = self.job.store.capabilities.keeps_data;
        let held_against = phase::Asked {
            request: phase_request,
            counts: &tape.counts,
            operations: tape.operations,
            threads: self.job.workload.workload.lanes,
            rss_baseline_bytes: self.end.opened.as_ref().and_then(|opened| opened.rss_baseline_bytes),
            keeps_data,
        };
        match phase::check(result, &held_against) {
            Err(wrong @ (FailureKind::WrongAnswer, _)) => drop(self.wrong.get_or_insert(wrong)),
            checked => checked?,
        }
        let gates = self.gates.as_ref().filter(|_| keeps_data);
        let dropped_cache = gates.map_or(Ok(None), |gates| gates.passed(phase_request))?;
        self.lines.push(ResultLine::Phase(Box::new(PhaseLine {
            cell: self.end.cell.clone(),
            round: self.round,
            attempt: self.end.attempt,
            axes: self.end.axes.clone(),
            tape: TapeFacts {
                tape_checksum: tape.tape_checksum.clone(),
                operations: tape.operations,
                records_after: tape.records_after,
                data_bytes_after: tape.data_bytes_after,
            },
            dropped_cache,
            // The driver has gone on, so that writes of the next phase may be in it: too much, never too little.
            table_bytes: table_bytes(&request.directory, &self.job.store.table_files),
            result: result.clone(),
        })));
        Ok(())
    }

    /// The lines of the round; `request` is the driver's last one. `None` if the user stopped it.
    pub(crate) fn end(mut self, ending: Ending, process_ns: u64, request: Option<&Request>) -> Option<Vec<ResultLine>> {
        self.end.process_ns = process_ns;
        match ending {
            Ending::Interrupted => return None,
            Ending::Died => self.fail(FailureKind::BadOutput, None, "the driver died a second time"),
            Ending::Event(Event::Finished(finished)) => {
                let missing = || self.missing().map(|what| (FailureKind::BadOutput, what));
                let untrue = || Some((FailureKind::BadOutput, self.untrue_directory(&finished, request?)?));
                match self.wrong.clone().or_else(missing).or_else(untrue) {
                    None => {
                        self.end.status = CellStatus::Ok;
                        self.end.disk_peak_allocated_bytes = self.disk_peak(&finished);
                        self.end.finished = Some(finished);
                    }
                    Some((kind, what)) => self.fail(kind, None, &what),
                }
            }
            Ending::Event(Event::Failed { kind, phase, message }) => self.fail(kind, phase, &message),
            Ending::Event(_) => self.fail(FailureKind::BadOutput, None, "the driver's last event is none"),
            Ending::Failed { kind, message } => {
                let phase = self.phase_under_way();
                self.fail(kind, phase, &message);
            }
        }
        self.end.phases_measured = Some(self.lines.len() as u64);
        self.lines.push(ResultLine::Cell(Box::new(self.end)));
        Some(self.lines)
    }

    /// The lines of a round whose disk lost its power.
    pub(crate) fn end_cut(mut self, cuts: PowerCuts, process_ns: u64) -> Vec<ResultLine> {
        self.end.process_ns = process_ns;
        self.end.status = CellStatus::Ok;
        self.end.phases_measured = Some(0);
        self.end.power_cuts = Some(Box::new(cuts));
        vec![ResultLine::Cell(Box::new(self.end))]
    }

    /// The larger of the peak seen from outside and the driver's own: a phase may begin and end between two looks from
    /// outside.
    fn disk_peak(&self, finished: &Finished) -> Option<u64> {
        let measured = self.sizes_before(finished).chain(finished.disk_after_close);
        measured.map(|usage| usage.allocated_bytes).chain(self.end.disk_peak_allocated_bytes).max()
    }

    /// The sizes of the store's directory that its driver reported from before it was closed.
    fn sizes_before(&self, finished: &Finished) -> impl Iterator<Item = DiskUsage> {
        let of_phases = self.lines.iter().filter_map(|line| match line {
            ResultLine::Phase(phase) => phase.result.background_work?.disk,
            ResultLine::Cell(_) => None,
        });
        of_phases.chain(finished.disk_before_close)
    }

    /// What a driver that says it finished has not delivered.
    fn missing(&self) -> Option<String> {
        let asked = self.job.phases().asked;
        if self.lines.len() != asked.len() {
            return Some(format!("the driver finished with {} of {} phases measured", self.lines.len(), asked.len()));
        }
        if self.end.opened.is_none() {
            return Some("the driver finished without opening the store".to_owned());
        }
        if !self.job.store.capabilities.keeps_data || !self.job.can_list() {
            return None;
        }
        match &self.end.verified {
            None => Some("the driver finished without verifying the store's content".to_owned()),
            Some(verified) if verified.entries != self.end.records_alive => Some(format!(
                "the driver verified {} entries after opening the store again, but {} are alive",
                verified.entries, self.end.records_alive
            )),
            Some(verified) if verified.compacted_copy.is_some() != self.job.is_copied() => Some(
                "the driver did not report the requested compacted copy, or made a copy without a request".to_owned(),
            ),
            Some(_) => None,
        }
    }

    /// The mistake in the sizes of directories that a driver reported, now that it has ended.
    fn untrue_directory(&self, finished: &Finished, request: &Request) -> Option<String> {
        let store = &self.job.store;
        let is_kept = store.capabilities.keeps_data && store.structure != Structure::Memory;
        let kept = is_kept.then(|| Kept {
            records: self.end.records_alive,
            compressed_bytes: self.compressed_bytes(request.hints.key_bytes_max),
        });
        let measured = match directory::Measured::of("the store's directory", &request.directory) {
            Ok(measured) => measured,
            Err(why) => return Some(why),
        };
        let of_store = directory::untrue(&measured, finished.disk_after_close, kept);
        let of_copy = || {
            let copy = self.end.verified.as_ref()?.compacted_copy?;
            match directory::Measured::of("the compacted copy", request.compacted_copy.as_deref()?) {
                Ok(measured) => directory::untrue(&measured, Some(copy.disk), kept),
                Err(why) => Some(why),
            }
        };
        // Files that were removed at the end were in it too, if the store keeps none.
        let peak_bytes = self.end.disk_peak_allocated_bytes;
        let of_before = || {
            let mut sizes = self.sizes_before(finished).filter(|_| is_kept);
            sizes.find_map(|claimed| directory::too_large_before(&measured, claimed, peak_bytes))
        };
        let of_cache =
            || directory::too_much_cached(&measured, finished.page_cache_bytes.filter(|_| is_kept), peak_bytes);
        of_store.or_else(of_copy).or_else(of_before).or_else(of_cache)
    }

    /// The size to which Zstandard compresses the values alive at the end, repeated ones counted once; 0 where they do
    /// not come unchanged from the pool.
    fn compressed_bytes(&self, key_bytes_max: u64) -> u64 {
        let (workload, pool) = (&self.job.workload.workload, &self.job.recording.pool_facts);
        if workload.tree.is_some() || workload.import.is_some() {
            return 0;
        }
        let keys = self.end.records_alive.saturating_mul(key_bytes_max);
        let values = self.end.data_bytes.saturating_sub(keys).min(pool.bytes);
        (values as f64 * pool.zstd_ratio.clamp(0.0, 1.0)) as u64
    }

    /// None before the store was open: a virtual machine that does not start, or a warm-up, is no phase's matter.
    fn phase_under_way(&self) -> Option<String> {
        self.end.opened.as_ref()?;
        self.job.phases().asked.get(self.lines.len()).map(|(spec, _)| spec.name.clone())
    }

    fn fail(&mut self, kind: FailureKind, phase: Option<String>, message: &str) {
        self.end.status = CellStatus::Failed;
        self.end.failure = Some(kind);
        self.end.failure_phase = phase;
        self.end.failure_message = Some(message.to_owned());
        self.end.failure_again = Some(self.job.again.clone());
    }
}
