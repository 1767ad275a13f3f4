//! What a driver has reported of one round of a cell, checked against what it was asked, as result lines.

use bakeoff_protocol::{CellEnd, CellStatus, Event, FailureKind, PhaseLine, PhaseResult, ResultLine, TapeFacts};
use bakeoff_results::plausible::impossible;
use bakeoff_tape::{PhaseSpec, PhaseTape};

use crate::cell::job::CellJob;
use crate::cell::process::Ending;
use crate::cell::request::mode;
use crate::timestamp::now;

/// What a driver has said so far about one round of a cell.
pub(crate) struct RoundRecord<'a> {
    job: &'a CellJob<'a>,
    round: u32,
    lines: Vec<ResultLine>,
    pub(crate) end: CellEnd,
    /// The first thing a driver reported that cannot be.
    untrue: Option<(FailureKind, String)>,
}

impl<'a> RoundRecord<'a> {
    pub(crate) fn new(job: &'a CellJob<'a>, round: u32, log: String) -> Self {
        let phases = job.phases();
        let last = phases.asked.last().map(|(_, tape)| *tape);
        let end = CellEnd {
            cell: job.cell.id.clone(),
            round,
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
            flush_ns: None,
            not_offered: phases.not_offered,
            opened: None,
            verified: None,
            finished: None,
            data_bytes: last.map_or(0, |tape| tape.data_bytes_after),
            records_alive: last.map_or(0, |tape| tape.records_after),
            log,
            profiled: None,
        };
        Self { job, round, lines: Vec::new(), end, untrue: None }
    }

    pub(crate) fn take(&mut self, event: Event) {
        match event {
            Event::Opened(opened) => self.end.opened = Some(opened),
            Event::Verified(verified) => self.end.verified = Some(verified),
            Event::Phase(result) => self.take_phase(*result),
            Event::Progress(_) | Event::Dying | Event::Finished(_) | Event::Failed { .. } => {}
        }
    }

    fn take_phase(&mut self, result: PhaseResult) {
        let due = self.job.phases().asked.into_iter().nth(self.lines.len());
        let Some((spec, tape)) = due.filter(|(spec, _)| spec.name == result.phase) else {
            let due = due.map_or("no phase", |(spec, _)| &spec.name);
            let what = format!("the driver reported the phase `{}` when {due} was due", result.phase);
            self.untrue.get_or_insert((FailureKind::BadOutput, what));
            return;
        };
        if let Some(untrue) = self.untrue_of(&result, spec, tape) {
            self.untrue.get_or_insert(untrue);
        }
        self.lines.push(ResultLine::Phase(Box::new(PhaseLine {
            cell: self.end.cell.clone(),
            round: self.round,
            axes: self.end.axes.clone(),
            tape: TapeFacts {
                tape_checksum: tape.tape_checksum.clone(),
                operations: tape.operations,
                records_after: tape.records_after,
                data_bytes_after: tape.data_bytes_after,
            },
            result,
        })));
    }

    /// What a phase's counts have against them: a driver in any language is held to what its tape says.
    fn untrue_of(&self, result: &PhaseResult, spec: &PhaseSpec, tape: &PhaseTape) -> Option<(FailureKind, String)> {
        let PhaseResult { phase, answers_checked, answers_wrong, .. } = result;
        if *answers_wrong > 0 {
            let what = format!("{answers_wrong} of {answers_checked} answers were wrong in the phase `{phase}`");
            return Some((FailureKind::WrongAnswer, what));
        }
        if result.mode != mode(spec) {
            let what = format!("the driver timed the phase `{phase}` in another mode than it was asked for");
            return Some((FailureKind::BadOutput, what));
        }
        if result.warm_up.is_some() != (spec.steady_within.is_some() && tape.operations > 0) {
            let what = format!(
                "the driver said nothing of a warm-up of the phase `{phase}`, or did one that nobody asked for"
            );
            return Some((FailureKind::BadOutput, what));
        }
        let warm_up = result.warm_up.as_ref().map_or(0, |warm_up| warm_up.operations);
        let operations = result.operations.iter().fold(warm_up, |sum: u64, of| sum.saturating_add(of.operations));
        let answers = if self.job.store.capabilities.keeps_data { tape.counts.answers } else { *answers_checked };
        let counts = [
            ("threads", result.threads.into(), self.job.workload.workload.lanes.into()),
            ("timed operations", operations, tape.counts.timed_operations),
            ("answers checked", *answers_checked, answers),
        ];
        let what = match counts.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => {
                format!("the driver reported {found} {what} in the phase `{phase}`, but its tape says {expected}")
            }
            None => format!("the driver reported for the phase `{phase}` {}", impossible(result)?),
        };
        Some((FailureKind::BadOutput, what))
    }

    pub(crate) fn end(mut self, ending: Ending, process_ns: u64) -> Option<Vec<ResultLine>> {
        self.end.process_ns = process_ns;
        match ending {
            Ending::Interrupted => return None,
            Ending::Died => self.fail(FailureKind::BadOutput, None, "the driver died a second time"),
            Ending::Event(Event::Finished(finished)) => {
                let untrue = self.untrue.take();
                match untrue.or_else(|| self.missing().map(|what| (FailureKind::BadOutput, what))) {
                    None => {
                        self.end.status = CellStatus::Ok;
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
                "the driver said nothing of the compacted copy it was asked for, or made one that nobody asked for"
                    .to_owned(),
            ),
            Some(_) => None,
        }
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
