//! Lines of results → finished rounds of cells.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{AxisValue, CellEnd, CellStatus, FailureKind, PhaseLine, PhaseResult, ResultLine, Role};

use crate::cell_rounds::CellRound;

/// A tape's checksum, and how fast it was replayed in an open loop.
pub(crate) type Replayed = (String, Option<u64>);

/// A workload, by the axes that say what is on its tapes, and a phase of it.
type PhasePlace = (Vec<AxisValue>, String);

/// What was replayed, and in which phase of which workload: for all its stores it is the same.
pub(crate) fn replayed(round: &CellRound) -> impl Iterator<Item = (PhasePlace, Replayed)> {
    let workload = round.end.axes.values(Role::Workload);
    round.phases.iter().map(move |line| {
        let speed = line.result.open_loop.map(|of| of.speed.to_bits());
        ((workload.clone(), line.result.phase.clone()), (line.tape.tape_checksum.clone(), speed))
    })
}

/// Whatever its last line says: a round with a wrong answer has failed.
fn hold_to_answers(end: &mut CellEnd, phase: &PhaseLine) {
    let PhaseResult { phase, answers_wrong, answers_checked, .. } = &phase.result;
    if *answers_wrong > 0 {
        end.status = CellStatus::Failed;
        end.failure = Some(FailureKind::WrongAnswer);
        end.failure_phase = Some(phase.clone());
        let what =
            format!("{answers_wrong} of {answers_checked} answers were wrong, though the round says that all is well");
        end.failure_message = Some(what);
    }
}

/// Puts lines together to rounds of cells.
#[derive(Default)]
pub struct Assembly {
    cells: Vec<CellRound>,
    /// How each round ended, by its cell and number: the first time that it did.
    ended: BTreeMap<(String, u32), CellStatus>,
    pending: Vec<PhaseLine>,
    unfinished: BTreeSet<(String, u32)>,
    repeated: usize,
    /// What the first round of each workload replayed in each phase.
    tapes: BTreeMap<PhasePlace, Replayed>,
    other_tapes: usize,
}

impl Assembly {
    /// Takes the next line.
    pub fn add(&mut self, line: ResultLine) {
        match line {
            ResultLine::Phase(phase) => self.phase(*phase),
            ResultLine::Cell(end) => self.end(*end),
        }
    }

    /// The rounds that are finished so far.
    pub fn rounds(&self) -> &[CellRound] {
        &self.cells
    }

    /// How a cell's round ended, if it did.
    pub fn status(&self, cell: &str, round: u32) -> Option<CellStatus> {
        self.ended.get(&(cell.to_owned(), round)).copied()
    }

    /// Whether some round of this cell failed.
    pub fn has_failed(&self, cell: &str) -> bool {
        let mut rounds = self.ended.range((cell.to_owned(), 0)..=(cell.to_owned(), u32::MAX));
        rounds.any(|(_, status)| *status == CellStatus::Failed)
    }

    /// How many rounds of cells ended, failed ones included.
    pub fn ended(&self) -> usize {
        self.ended.len()
    }

    /// How many rounds of cells failed.
    pub fn failed(&self) -> usize {
        self.ended.values().filter(|status| **status == CellStatus::Failed).count()
    }

    /// The finished rounds, and notes on what was left out.
    pub fn finish(mut self) -> (Vec<CellRound>, Vec<String>) {
        self.give_up_pending();
        let mut notes = Vec::new();
        if !self.unfinished.is_empty() {
            let count = self.unfinished.len();
            notes.push(format!("{count} unfinished round(s) of cells are left out; `run --resume` does them again, but of a pick, which begins anew"));
        }
        if self.repeated > 0 {
            notes.push(format!(
                "{} round(s) of cells stand in results.jsonl twice; the first one counts",
                self.repeated
            ));
        }
        if self.other_tapes > 0 {
            notes.push(format!(
                "{} round(s) replayed other tapes, or at another speed, than the first round of their workload and are left out: \
                 results of different runs must not be mixed in one file",
                self.other_tapes
            ));
        }
        (self.cells, notes)
    }

    /// Forgets the phases of a round that has no end yet.
    pub fn drop_unfinished(&mut self) {
        self.pending.clear();
    }

    /// A cell's lines stand together: a phase of another round, or the same one again, begins a new round.
    fn phase(&mut self, phase: PhaseLine) {
        let begins_anew = self.pending.iter().any(|before| {
            before.cell != phase.cell || before.round != phase.round || before.result.phase == phase.result.phase
        });
        if begins_anew {
            self.give_up_pending();
        }
        self.pending.push(phase);
    }

    fn end(&mut self, mut end: CellEnd) {
        if self.pending.iter().any(|phase| phase.cell != end.cell || phase.round != end.round) {
            self.give_up_pending();
        }
        let phases = std::mem::take(&mut self.pending);
        let key = (end.cell.clone(), end.round);
        self.unfinished.remove(&key);
        if self.ended.contains_key(&key) {
            self.repeated += 1;
            return;
        }
        if end.status == CellStatus::Ok {
            phases.iter().for_each(|phase| hold_to_answers(&mut end, phase));
        }
        self.ended.insert(key, end.status);
        let round = CellRound { end, phases };
        if self.replayed_the_same(&round) {
            self.cells.push(round);
        } else {
            self.other_tapes += 1;
        }
    }

    /// Whether the phases replayed the tapes that the first round of their workload did, whatever its store: only then may figures be
    /// compared.
    fn replayed_the_same(&mut self, round: &CellRound) -> bool {
        replayed(round)
            .all(|(place, replayed)| *self.tapes.entry(place).or_insert_with(|| replayed.clone()) == replayed)
    }

    fn give_up_pending(&mut self) {
        for phase in std::mem::take(&mut self.pending) {
            let key = (phase.cell, phase.round);
            if !self.ended.contains_key(&key) {
                self.unfinished.insert(key);
            }
        }
    }
}
