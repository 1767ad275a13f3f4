//! Lines of results → finished rounds of cells.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bakeoff_protocol::{AxisValue, CellEnd, CellStatus, FailureKind, PhaseLine, PhaseResult, ResultLine, Role};

use crate::cell_rounds::CellRound;
use crate::read_note::ReadNote;

/// A tape's checksum, and its speed of replay in an open loop.
pub(crate) type Replayed = (String, Option<u64>);

/// A workload, identified by the axes that determine its tapes, and one of its phases.
type PhasePlace = (Vec<AxisValue>, String);

/// The replayed tapes by workload and phase. They are the same for all stores.
pub(crate) fn replayed(round: &CellRound) -> impl Iterator<Item = (PhasePlace, Replayed)> {
    let workload = round.end.axes.values(Role::Workload);
    round.phases.iter().map(move |line| {
        let speed = line.result.open_loop.map(|of| of.speed.to_bits());
        ((workload.clone(), line.result.phase.clone()), (line.tape.tape_checksum.clone(), speed))
    })
}

/// Marks a round with a wrong answer as failed, even if its end line does not.
fn hold_to_answers(end: &mut CellEnd, phase: &PhaseLine) {
    let PhaseResult { phase, answers_wrong, answers_checked, .. } = &phase.result;
    if *answers_wrong > 0 {
        end.status = CellStatus::Failed;
        end.failure = Some(FailureKind::WrongAnswer);
        end.failure_phase = Some(phase.clone());
        let what = format!(
            "{answers_wrong} of {answers_checked} answers were wrong, although the round's end reports success"
        );
        end.failure_message = Some(what);
    }
}

/// A cell and the number of its round.
type Key = (String, u32);

/// A cell, the number of its round, and the attempt.
type TryKey = (String, u32, u32);

/// The byte range of a line in the file. `None` for a line that was added just now.
pub(crate) type Place = Option<Range<u64>>;

/// Phases of a round, each with the place of its line.
type Phases = Vec<(Place, PhaseLine)>;

/// How a round ended.
#[derive(Clone, Copy)]
struct Ended {
    status: CellStatus,
    /// The last attempt that ended.
    attempt: u32,
    /// It failed because the machine lacked something. A later end replaces it.
    gives_way: bool,
    /// It failed so before the run was resumed, so it is measured again.
    is_due: bool,
}

/// Assembles lines into rounds of cells, in any order of lines.
///
/// bakeoff writes the phases of a round together, directly before its end. If an end has fewer phases before it than it
/// names, the missing ones are looked up among all lines of that round. Rounds that are still incomplete then are left
/// out as unfinished.
#[derive(Default)]
pub(crate) struct Assembly {
    cells: Vec<CellRound>,
    /// How each round ended, by its cell and number.
    ended: BTreeMap<Key, Ended>,
    /// The latest phases, whose end has not come yet.
    pending: Phases,
    /// Phases that no end of theirs followed.
    scattered: BTreeMap<TryKey, Phases>,
    /// Ends with missing phases.
    incomplete: Vec<(Place, CellEnd)>,
    /// The places of the lines of each ended round, phases before the end.
    places: Vec<(Key, Vec<Range<u64>>)>,
    /// Lines of rounds that had already ended.
    lines_repeated: usize,
    repeated: usize,
    /// Rounds that are left out because phases are missing.
    lacking: usize,
    /// The tapes that the first round of each workload replayed, by phase.
    tapes: BTreeMap<PhasePlace, Replayed>,
    other_tapes: usize,
}

impl Assembly {
    /// Adds the next line and its place.
    pub(crate) fn add(&mut self, line: ResultLine, place: Place) {
        match line {
            ResultLine::Phase(phase) => self.phase(*phase, place),
            ResultLine::Cell(end) => self.end(*end, place),
        }
    }

    /// The rounds that are finished so far.
    pub(crate) fn rounds(&self) -> &[CellRound] {
        &self.cells
    }

    /// The status of a cell's round, if it ended and is not measured again.
    pub(crate) fn status(&self, cell: &str, round: u32) -> Option<CellStatus> {
        self.ended.get(&(cell.to_owned(), round)).filter(|ended| !ended.is_due).map(|ended| ended.status)
    }

    /// Whether some round of this cell failed.
    pub(crate) fn has_failed(&self, cell: &str) -> bool {
        let mut rounds = self.ended.range((cell.to_owned(), 0)..=(cell.to_owned(), u32::MAX));
        rounds.any(|(_, ended)| ended.status == CellStatus::Failed && !ended.is_due)
    }

    /// The number of the next attempt at a cell's round, from 1.
    pub(crate) fn next_attempt(&self, cell: &str, round: u32) -> u32 {
        self.ended.get(&(cell.to_owned(), round)).map_or(1, |ended| ended.attempt.saturating_add(1))
    }

    /// The number of ended rounds of cells, including failed ones.
    pub(crate) fn ended(&self) -> usize {
        self.ended.len()
    }

    /// The number of failed rounds of cells.
    pub(crate) fn failed(&self) -> usize {
        self.ended.values().filter(|ended| ended.status == CellStatus::Failed).count()
    }

    /// The number of failed rounds that are measured again.
    pub(crate) fn retried(&self) -> usize {
        self.ended.values().filter(|ended| ended.gives_way).count()
    }

    /// The places of the lines of all ended rounds, in an order in which they can be written again.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Range<u64>> {
        self.places.iter().flat_map(|(_, places)| places)
    }

    /// The number of lines that belong to ended rounds, including repeated ends.
    pub(crate) fn lines(&self) -> usize {
        self.places().count() + self.lines_repeated
    }

    /// The number of rounds with lines that are not finished. Valid after all lines were read.
    pub(crate) fn unfinished(&self) -> usize {
        self.without_end() + self.lacking
    }

    /// The number of rounds without an end.
    fn without_end(&self) -> usize {
        let rounds: BTreeSet<Key> = self.scattered.keys().map(|(cell, round, _)| (cell.clone(), *round)).collect();
        rounds.iter().filter(|key| !self.ended.contains_key(key)).count()
    }

    /// Assembles rounds whose lines are not next to each other. Call it after all lines were read.
    pub(crate) fn settle(&mut self) {
        self.give_up_pending();
        let mut incomplete = std::mem::take(&mut self.incomplete);
        // The last attempt counts, so missing lines of earlier attempts do not matter.
        incomplete.sort_by_key(|(_, end)| std::cmp::Reverse(end.attempt));
        for (place, end) in incomplete {
            let phases = self.scattered.remove(&(end.cell.clone(), end.round, end.attempt)).unwrap_or_default();
            let names: BTreeSet<&str> = phases.iter().map(|(_, phase)| phase.result.phase.as_str()).collect();
            // Of two lines for the same phase, nothing shows which one belongs to this round.
            let is_told = names.len() == phases.len();
            if is_told && is_complete(&end, phases.len()) {
                self.take_round(end, place, phases);
            } else if self.is_repeated(&end) {
                self.repeat(phases.len() + 1);
            } else if !self.is_superseded(&end) {
                self.lacking += 1;
            }
        }
        self.leave_out_short();
    }

    /// Ends of older versions lack the number of phases. A sound round has every phase that other rounds of its
    /// workload have, except phases that its store does not offer.
    fn leave_out_short(&mut self) {
        if self.cells.iter().all(|round| round.end.phases_measured.is_some()) {
            return;
        }
        let mut asked: BTreeMap<Vec<AxisValue>, BTreeSet<&str>> = BTreeMap::new();
        for round in self.cells.iter().filter(|round| round.is_ok()) {
            let names = round.phases.iter().map(|line| line.result.phase.as_str());
            asked.entry(round.end.axes.values(Role::Workload)).or_default().extend(names);
        }
        let is_short = |round: &&CellRound| {
            let measured = round.phases.iter().map(|line| line.result.phase.as_str());
            let known: BTreeSet<&str> =
                measured.chain(round.end.not_offered.iter().map(|(name, _)| name.as_str())).collect();
            let asked = asked.get(&round.end.axes.values(Role::Workload));
            asked.is_some_and(|asked| !asked.is_subset(&known))
        };
        let older = self.cells.iter().filter(|round| round.is_ok() && round.end.phases_measured.is_none());
        let short: BTreeSet<Key> =
            older.filter(is_short).map(|round| (round.end.cell.clone(), round.end.round)).collect();
        self.cells.retain(|round| !short.contains(&(round.end.cell.clone(), round.end.round)));
        self.ended.retain(|key, _| !short.contains(key));
        self.places.retain(|(key, _)| !short.contains(key));
        self.lacking += short.len();
    }

    /// The finished rounds, and notes on everything left out.
    pub(crate) fn finish(mut self) -> (Vec<CellRound>, Vec<ReadNote>) {
        self.settle();
        let all = [
            (self.without_end(), ReadNote::RoundsUnfinished as fn(usize) -> ReadNote),
            (self.lacking, ReadNote::RoundsIncomplete),
            (self.repeated, ReadNote::RoundsRepeated),
            (self.other_tapes, ReadNote::RoundsOfOtherTapes),
        ];
        let notes = all.into_iter().filter(|(rounds, _)| *rounds > 0).map(|(rounds, note)| note(rounds));
        (self.cells, notes.collect())
    }

    /// A phase of another round, or a repeated phase, begins a new round.
    fn phase(&mut self, phase: PhaseLine, place: Place) {
        let begins_anew = self.pending.iter().any(|(_, before)| {
            (&before.cell, before.round, before.attempt) != (&phase.cell, phase.round, phase.attempt)
                || before.result.phase == phase.result.phase
        });
        if begins_anew {
            self.give_up_pending();
        }
        self.pending.push((place, phase));
    }

    fn end(&mut self, end: CellEnd, place: Place) {
        let is_other =
            |phase: &PhaseLine| (&phase.cell, phase.round, phase.attempt) != (&end.cell, end.round, end.attempt);
        if self.pending.iter().any(|(_, phase)| is_other(phase)) {
            self.give_up_pending();
        }
        if !is_complete(&end, self.pending.len()) {
            self.give_up_pending();
            self.incomplete.push((place, end));
            return;
        }
        let phases = std::mem::take(&mut self.pending);
        self.take_round(end, place, phases);
    }

    fn take_round(&mut self, end: CellEnd, place: Place, phases: Phases) {
        if self.is_superseded(&end) {
            let places = phases.into_iter().map(|(place, _)| place).chain([place]);
            self.places.push(((end.cell, end.round), places.flatten().collect()));
        } else if self.is_repeated(&end) {
            self.repeat(phases.len() + 1);
        } else {
            self.finish_round(end, place, phases);
        }
    }

    /// Whether a later attempt at this round ended, which replaces this one.
    fn is_superseded(&self, end: &CellEnd) -> bool {
        let ended = self.ended.get(&(end.cell.clone(), end.round));
        gives_way(end) && ended.is_some_and(|ended| ended.attempt > end.attempt)
    }

    /// Whether the round had already ended for good.
    fn is_repeated(&self, end: &CellEnd) -> bool {
        let ended = self.ended.get(&(end.cell.clone(), end.round));
        ended.is_some_and(|ended| !ended.gives_way) && !self.is_superseded(end)
    }

    /// Counts a round that had already ended.
    fn repeat(&mut self, lines: usize) {
        self.repeated += 1;
        self.lines_repeated += lines;
    }

    fn finish_round(&mut self, mut end: CellEnd, place: Place, phases: Phases) {
        let (places, phases): (Vec<Place>, Vec<PhaseLine>) = phases.into_iter().unzip();
        let is_from_before = place.is_some();
        let key = (end.cell.clone(), end.round);
        self.places.push((key.clone(), places.into_iter().chain([place]).flatten().collect()));
        if end.status == CellStatus::Ok {
            phases.iter().for_each(|phase| hold_to_answers(&mut end, phase));
        }
        let gives_way = gives_way(&end);
        let last = self.ended.get(&key).map_or(0, |ended| ended.attempt);
        let attempt = end.attempt.max(last);
        let ended = Ended { status: end.status, attempt, gives_way, is_due: gives_way && is_from_before };
        if self.ended.insert(key, ended).is_some() {
            self.cells.retain(|known| (&known.end.cell, known.end.round) != (&end.cell, end.round));
        }
        let round = CellRound { end, phases };
        if self.replayed_the_same(&round) {
            self.cells.push(round);
        } else {
            self.other_tapes += 1;
        }
    }

    /// Whether the phases replayed the same tapes as the first round of their workload. Only then may stores be
    /// compared.
    fn replayed_the_same(&mut self, round: &CellRound) -> bool {
        replayed(round)
            .all(|(place, replayed)| *self.tapes.entry(place).or_insert_with(|| replayed.clone()) == replayed)
    }

    fn give_up_pending(&mut self) {
        for (place, phase) in std::mem::take(&mut self.pending) {
            let key = (phase.cell.clone(), phase.round, phase.attempt);
            self.scattered.entry(key).or_default().push((place, phase));
        }
    }
}

/// Whether a later end replaces this one.
fn gives_way(end: &CellEnd) -> bool {
    end.failure.is_some_and(FailureKind::is_of_surroundings)
}

/// Whether a round with this end has all its phases. Ends of older versions lack their number: a sound round then needs
/// at least one phase. [`Assembly::settle`] compares it with other rounds of its workload.
fn is_complete(end: &CellEnd, phases: usize) -> bool {
    match end.phases_measured {
        Some(count) => count == phases as u64,
        None => phases > 0 || end.status != CellStatus::Ok,
    }
}
