//! One power cut: its image is mounted, a driver recovers the store and lists it, writes more, and lists it again.

use std::fs::File;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bakeoff_powercut::{Base, Cut, Recording};
use bakeoff_protocol::{CutVerdict, Event, FailureKind, Request};
use bakeoff_tape::read_inventories;

use crate::cell::log::Log;
use crate::drivers::process::Answer;
use crate::power_cut::bench::Bench;
use crate::power_cut::choice::{Task, choose_in_recovery};
use crate::power_cut::grounds;
use crate::power_cut::judge::{Judged, judge};
use crate::power_cut::record::record;
use crate::power_cut::stand::Stand;

/// How long a store may take to recover, to write a little, and to open again.
const TIME_MAX: Duration = Duration::from_secs(20);

/// What a cut came to.
pub(super) struct Outcome {
    pub(super) cut: Cut,
    /// How many writes were pending.
    pub(super) pending: usize,
    pub(super) judged: Judged,
}

impl Bench<'_> {
    /// Does a task.
    pub(super) fn attempt(&self, stand: &Stand, recording: &Recording, task: &Task) -> Result<Vec<Outcome>> {
        match task {
            Task::Cut(_, cut) => Ok(vec![self.cut(stand, recording, cut, &recording.acknowledged(cut.position))?]),
            Task::Recovery(first, cuts) => self.cut_recovery(stand, recording, first, *cuts),
        }
    }

    /// Cuts the power of a recorded disk, and judges what remains. So much was acknowledged, the store's own counter first.
    fn cut(&self, stand: &Stand, recording: &Recording, cut: &Cut, acknowledged: &[u64]) -> Result<Outcome> {
        let image = recording.image(cut).context("cannot make the image of a power cut")?;
        let judged = self.recover(stand, &image, &acknowledged[1..])?;
        Ok(Outcome { cut: *cut, pending: recording.undecided(cut).len(), judged })
    }

    /// Records how a store is recovered after a first cut, and cuts that.
    fn cut_recovery(&self, stand: &Stand, recording: &Recording, first: &Cut, cuts: u32) -> Result<Vec<Outcome>> {
        let image = recording.image(first).context("cannot make the image of a power cut")?;
        let base = Base::read(&image).context("cannot read the image of a power cut")?;
        drop(image);
        let mut request = Request { phases: Vec::new(), ..self.request_to_recover(stand) };
        let _ = std::fs::remove_file(stand.inventory());
        let log = Log::in_memory()?;
        let Some((_, recovery)) = record(self, stand, base, &mut request, (&log, TIME_MAX, None))? else {
            return Ok(Vec::new());
        };
        let acknowledged = recording.acknowledged(first.position);
        let chosen = choose_in_recovery(&recovery, first, cuts);
        chosen.iter().map(|cut| self.cut(stand, &recovery, cut, &acknowledged)).collect()
    }

    fn recover(&self, stand: &Stand, image: &File, acknowledged: &[u64]) -> Result<Judged> {
        let name = self.file_system.name;
        let mounted = match stand.mount(name, image, false, grounds::options(name, false))? {
            Ok(mounted) => mounted,
            Err(why) => return Ok(Judged::new(CutVerdict::Unmountable, why.to_string())),
        };
        let _ = std::fs::remove_file(stand.inventory());
        let log = Log::in_memory()?;
        let answer = self.ask(stand, &self.request_to_recover(stand), &log, TIME_MAX);
        let inventories = std::fs::read(stand.inventory()).unwrap_or_default();
        Stand::unmount(mounted);
        self.judge(&answer?, &inventories, acknowledged)
    }

    /// Judges what a driver found, and what it found after it had written more.
    fn judge(&self, answer: &Answer, inventories: &[u8], acknowledged: &[u64]) -> Result<Judged> {
        let is_well = answer.status.is_some_and(|status| status.success());
        // A library may print what it found wrong, between the events.
        let printed = answer.text();
        let events: Vec<Event> = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if events.is_empty() && is_well {
            bail!("the driver ended without an event");
        }
        let was_opened = events.iter().any(|event| matches!(event, Event::Opened(_)));
        if let Some(Event::Failed { kind: FailureKind::BadRequest | FailureKind::BadTape, message, .. }) = events.last()
            && !was_opened
        {
            bail!("the driver refused to recover a store: {message}");
        }
        let listed = read_inventories(inventories).context("the driver wrote an inventory that is none")?;
        let told = events.iter().filter(|event| matches!(event, Event::Inventory(_))).count();
        let Some(first) = listed.first().filter(|_| told > 0) else {
            return Ok(ended_badly(answer, &events, was_opened));
        };
        let judged = judge(&self.history, acknowledged, first, self.promises);
        if !judged.verdict.is_a_state() {
            return Ok(judged);
        }
        let later = |what: String| Ok(Judged::new(CutVerdict::BrokenLater, format!("{}, but {what}", judged.message)));
        let finished = matches!(events.last(), Some(Event::Finished(_))) && is_well;
        let Some(second) = listed.get(1).filter(|_| finished && told > 1) else {
            let how = ended_badly(answer, &events, true).message;
            return later(format!("after more was written: {how}"));
        };
        match self.more.difference(first, second) {
            Some(what) => later(format!("after more was written and it was opened again, {what}")),
            None => Ok(judged),
        }
    }
}

/// The verdict on a driver that did not list the store.
fn ended_badly(answer: &Answer, events: &[Event], was_opened: bool) -> Judged {
    if answer.status.is_none() {
        return Judged::new(CutVerdict::Hung, format!("the driver {}", answer.ending()));
    }
    match events.last() {
        Some(Event::Failed { message, .. }) if was_opened => Judged::new(CutVerdict::Unreadable, message.clone()),
        Some(Event::Failed { message, .. }) => Judged::new(CutVerdict::Unopenable, message.clone()),
        _ => {
            let words = answer.last_words();
            let words = if words.is_empty() { String::new() } else { format!(": {words}") };
            Judged::new(CutVerdict::Crashed, format!("the driver {}{words}", answer.ending()))
        }
    }
}
