//! `results.jsonl`: lines → finished rounds of cells. Takes whatever a killed run or another version left behind.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{CellEnd, CellStatus, FailureKind, PhaseLine, PhaseResult, ResultLine};

use crate::plausible::absurd;

/// One cell's round that ended, well or not, with the phases it measured.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRound {
    /// How it ended.
    pub end: CellEnd,
    /// Its phases, in the order in which they ran.
    pub phases: Vec<PhaseLine>,
}

impl CellRound {
    /// Whether everything was measured, every answer right and the content verified.
    pub fn is_ok(&self) -> bool {
        self.end.status == CellStatus::Ok
    }
}

/// Ids of the cells that failed in some round: none of their figures count, the good rounds' neither.
pub fn failed_cells(cells: &[CellRound]) -> BTreeSet<&str> {
    cells.iter().filter(|cell| !cell.is_ok()).map(|cell| cell.end.cell.as_str()).collect()
}

/// The names of all phases in the order in which they ran: as in the round that has most, the others' behind.
pub fn phase_order(cells: &[CellRound]) -> Vec<&str> {
    let mut rounds: Vec<&CellRound> = cells.iter().collect();
    rounds.sort_by_key(|cell| std::cmp::Reverse(cell.phases.len()));
    let mut order = Vec::new();
    for phase in rounds.iter().flat_map(|cell| &cell.phases) {
        if !order.contains(&phase.result.phase.as_str()) {
            order.push(phase.result.phase.as_str());
        }
    }
    order
}

/// Lines that are left out for the same reason.
#[derive(Default)]
struct LeftOut {
    lines: usize,
    first: String,
}

impl LeftOut {
    /// One more, with its place among all lines and what is wrong with it.
    fn add(&mut self, index: usize, why: impl std::fmt::Display) {
        self.lines += 1;
        if self.lines == 1 {
            self.first = format!("line {}: {why}", index + 1);
        }
    }

    fn note(&self, what: &str) -> Option<String> {
        let Self { lines, first } = self;
        (*lines > 0).then(|| format!("{lines} line(s) of results.jsonl {what} and are left out; the first is {first}"))
    }
}

/// Reads the text of a `results.jsonl`: every finished round of a cell, and a note for each sort of thing left out.
///
/// Left out are lines that cannot be read (the torn last line of a killed run, kinds of lines that this version does
/// not know) or have figures that cannot be true, phases whose cell has no end, and a second end of the same round.
pub fn parse_results(text: &str) -> (Vec<CellRound>, Vec<String>) {
    let mut assembly = Assembly::default();
    let (mut unreadable, mut untrue) = (LeftOut::default(), LeftOut::default());
    let last = text.lines().count();
    let mut torn = false;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match ResultLine::from_json(line) {
            Ok(read) => match absurd(line, &read) {
                Some(figure) => untrue.add(index, figure),
                None => assembly.add(read),
            },
            Err(_) if index + 1 == last && !text.ends_with('\n') => torn = true,
            Err(why) => unreadable.add(index, why),
        }
    }
    let (cells, mut notes) = assembly.finish();
    notes.extend(unreadable.note("cannot be read by this version"));
    notes.extend(untrue.note("have figures that cannot be true"));
    if torn {
        notes.push(
            "the last line of results.jsonl is torn and left out: the run was killed while writing it".to_owned(),
        );
    }
    (cells, notes)
}

/// Every finished round of a cell among these lines.
pub fn rounds_of(lines: &[ResultLine]) -> Vec<CellRound> {
    let mut assembly = Assembly::default();
    lines.iter().for_each(|line| assembly.add(line.clone()));
    assembly.finish().0
}

/// A tape's checksum, and how fast it was replayed in an open loop.
pub type Replayed = (String, Option<u64>);

/// Axes that do not decide what is replayed: whoever replays it, where, and what else goes on.
const NO_WORKLOAD: [&str; 10] = [
    "suite",
    "store",
    "settings",
    "durability",
    "medium",
    "disturbance",
    "memory_bytes",
    "memory_limit_bytes",
    "unequal",
    "profile",
];

/// A workload, and a phase of it.
type PhasePlace = (String, String);

/// What was replayed, and in which phase of which workload: for all its stores it is the same.
pub fn replayed(round: &CellRound) -> impl Iterator<Item = (PhasePlace, Replayed)> {
    let mut axes = serde_json::to_value(&round.end.axes).unwrap_or_default();
    if let Some(axes) = axes.as_object_mut() {
        axes.retain(|name, _| !NO_WORKLOAD.contains(&name.as_str()));
    }
    let workload = axes.to_string();
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
    seen: BTreeSet<(String, u32)>,
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
        if !self.seen.insert(key) {
            self.repeated += 1;
            return;
        }
        if end.status == CellStatus::Ok {
            phases.iter().for_each(|phase| hold_to_answers(&mut end, phase));
        }
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
            if !self.seen.contains(&key) {
                self.unfinished.insert(key);
            }
        }
    }
}
