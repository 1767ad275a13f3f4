//! A pick: what was asked of `bakeoff pick`, and what each round says to it. `answer` puts the answer into words, `time` what
//! the time was too short for.

use std::collections::BTreeMap;
use std::time::Duration;

use bakeoff_protocol::{FailureKind, OperationResult, PhaseResult};
use bakeoff_stats::{Better, Candidate, Place, RankOptions, Ranking, Verdict, rank};
use bakeoff_text::{bytes, rate, ratio};
use serde::{Deserialize, Serialize};

use crate::cell_rounds::{CellRound, failed_cells};
use crate::figures::{PAGE_BYTES, is_told, quantile};
use crate::run::Run;

/// The phase of a pick's suite that does what the application does.
pub const PICK_PHASE: &str = "application";

/// The variant of a pick's suite that is what was asked; the others say when the answer would change.
pub const PICK_ASKED: &str = "asked";

/// How sure an answer is, over all the comparisons it rests on.
pub const CONFIDENCE: f64 = 0.95;

/// The part of the time for what was asked; the rest is for what the answer depends on.
pub const PICK_ASKED_PART: f64 = 0.6;

/// What costs so many times as much as the best is far behind it: two rounds may not prove that, but they hardly err by so much.
pub const PICK_FAR_BEHIND: f64 = 4.0;

/// What the store is to be best at. All are costs: less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Mean time of an operation of the mix.
    Mean,
    /// Median latency of an operation of the mix.
    P50,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P999,
    /// Time in the store by operations, all threads together: shown as a rate.
    Throughput,
    /// Bytes on disk after closing by bytes of keys and values.
    Space,
    /// Peak resident memory above the empty store's.
    Memory,
    /// CPU time of an operation, background threads included.
    Cpu,
}

impl Goal {
    /// All goals, in the order in which they are shown.
    pub const ALL: [Self; 8] =
        [Self::Mean, Self::P50, Self::P99, Self::P999, Self::Throughput, Self::Space, Self::Memory, Self::Cpu];

    /// The verb before how many times as much as the best another takes: of a rate, which is shown as such, its inverse is compared.
    pub fn takes(self) -> &'static str {
        if self == Self::Throughput { "is slower by" } else { "takes" }
    }

    /// The word for it on the command line and in `run.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Throughput => "throughput",
            Self::Space => "space",
            Self::Memory => "memory",
            Self::Cpu => "cpu",
        }
    }

    /// What it is, for a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Mean => "mean time of an operation",
            Self::P50 => "median latency",
            Self::P99 => "99th percentile of latency",
            Self::P999 => "99.9th percentile of latency",
            Self::Throughput => "throughput",
            Self::Space => "space on disk by bytes of data",
            Self::Memory => "peak memory",
            Self::Cpu => "CPU time of an operation",
        }
    }

    /// A figure with its unit.
    pub fn show(self, cost: f64) -> String {
        match self {
            Self::Throughput => rate(1e9 / cost),
            Self::Space => ratio(cost),
            Self::Memory => bytes(cost),
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Cpu => bakeoff_text::time(cost),
        }
    }

    /// The cost of one round; `None` if it was not measured.
    pub fn cost(self, cell: &CellRound) -> Option<f64> {
        let phase = application(cell)?;
        let operations = operations_of(phase);
        let each = |ns: f64| (operations > 0).then(|| ns / operations as f64);
        match self {
            Self::Mean => each(phase.operations.iter().filter_map(|of| of.timed_ns).sum::<u64>() as f64),
            Self::P50 => quantile(phase, 0.5).map(|ns| ns as f64),
            Self::P99 => quantile(phase, 0.99).map(|ns| ns as f64),
            Self::P999 => quantile(phase, 0.999).map(|ns| ns as f64),
            Self::Throughput => each(phase.timed_ns as f64),
            Self::Space => space(cell),
            Self::Memory => crate::figures::peak_memory(cell),
            Self::Cpu => {
                let resources = &phase.resources;
                each((resources.cpu_user_ns? + resources.cpu_system_ns?) as f64)
            }
        }
    }

    /// Whether rounds of so many operations each tell it: all but percentiles that too few lie beyond.
    pub fn is_told(self, operations: &[u64]) -> bool {
        match self {
            Self::P99 => is_told(0.99, operations),
            Self::P999 => is_told(0.999, operations),
            Self::Mean | Self::P50 | Self::Throughput | Self::Space | Self::Memory | Self::Cpu => true,
        }
    }

    /// Whether one that takes long is bad at it.
    pub fn is_of_time(self) -> bool {
        match self {
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Throughput => true,
            Self::Space | Self::Memory | Self::Cpu => false,
        }
    }

    /// The least difference that can be shown.
    pub fn resolution(self) -> f64 {
        match self {
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Throughput | Self::Cpu => 1.0,
            Self::Memory => PAGE_BYTES,
            Self::Space => 0.0,
        }
    }
}

/// The phase that does what the application does.
pub fn application(cell: &CellRound) -> Option<&PhaseResult> {
    cell.phases.iter().map(|phase| &phase.result).find(|result| result.phase == PICK_PHASE)
}

/// The mean time of an operation if each took the median of its kind: a few slow ones, which may be of other work on the machine, do not count.
pub fn typical(cell: &CellRound) -> Option<f64> {
    let phase = application(cell)?;
    let of_kind = |of: &OperationResult| Some(of.latency.as_ref()?.latency_ns_p50 as f64 * of.operations as f64);
    let all: f64 = phase.operations.iter().map(of_kind).sum::<Option<f64>>()?;
    let operations = operations_of(phase);
    (operations > 0).then(|| all / operations as f64)
}

/// Operations of all kinds in a phase.
pub fn operations_of(phase: &PhaseResult) -> u64 {
    phase.operations.iter().map(|each| each.operations).sum()
}

fn space(cell: &CellRound) -> Option<f64> {
    let disk = cell.end.finished.as_ref()?.disk_after_close.as_ref()?;
    (cell.end.data_bytes > 0).then(|| disk.allocated_bytes as f64 / cell.end.data_bytes as f64)
}

/// A store that cannot be the answer, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// The store's name.
    pub store: String,
    /// What it lacks, for a person.
    pub why: String,
}

/// Those that lack the same side by side: their names, and what it is.
pub fn by_reason(excluded: &[Excluded]) -> Vec<(String, &str)> {
    let mut groups: Vec<(String, &str)> = Vec::new();
    for Excluded { store, why } in excluded {
        match groups.iter_mut().find(|(_, of)| of == why) {
            Some((stores, _)) => *stores += &format!(", {store}"),
            None => groups.push((store.clone(), why)),
        }
    }
    groups
}

/// Something else that might be asked, to see whether the answer would be another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The variant of the suite that asks it.
    pub variant: String,
    /// What is different, for a person: `twice the value size, 2KiB..20KiB`.
    pub words: String,
    /// Why it was not measured, if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measured: Option<String>,
}

/// What a pick was asked and how its race went, as `run.json` keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PickFacts {
    /// The need as it was understood: key and value, in the order of the questions.
    pub need: Vec<(String, String)>,
    /// What the store is to be best at.
    pub optimize: Goal,
    /// The time there was.
    pub budget_ns: u64,
    /// Whether the time, and not the figures, ended the race.
    pub out_of_time: bool,
    /// Stores that were to race; none in runs of before it was kept.
    #[serde(default)]
    pub raced: Vec<String>,
    /// Stores that were not measured, since they cannot do what is asked.
    pub excluded: Vec<Excluded>,
    /// Stores that were not measured to the end, being behind.
    pub dropped: Vec<Excluded>,
    /// Stores that the questions are tried with, the first ones first; none in runs of before it was kept.
    #[serde(default)]
    pub finalists: Vec<String>,
    /// What else was, or was to be, measured.
    pub questions: Vec<Question>,
    /// What three rounds of all stores take, as far as was known at the end, nanoseconds; 0 in runs of before it was kept.
    #[serde(default)]
    pub proof_ns_expected: u64,
}

impl PickFacts {
    /// What a run's `run.json` says of the pick that it was; `None` if it was none.
    pub fn of(run: &Run) -> Option<Self> {
        serde_json::from_value(run.info.get("pick")?.clone()).ok()
    }

    /// Whether there was nothing to race against.
    pub fn is_of_one_store(&self) -> bool {
        self.raced.len() == 1
    }

    /// The time there was.
    pub fn budget(&self) -> Duration {
        Duration::from_nanos(self.budget_ns)
    }
}

/// Stores that differ by less than this factor, for all that is known, are too close to matter.
pub const CLOSE: f64 = 1.1;

/// Rounds that a proof takes.
pub const ROUNDS_PROOF: usize = 3;

/// The ranking of a variant as an answer gives it; `None` if no store has figures there.
pub fn proven_ranking(cells: &[CellRound], variant: &str, facts: &PickFacts) -> Option<Ranking> {
    let ranking = |among| pick_ranking(cells, variant, facts.optimize, CONFIDENCE, among);
    let all = ranking(None)?;
    // The time may have ended inside the second round: what then has one, and is first or next by it, cannot be passed over.
    if all.order.iter().take(2).any(|place| place.rounds < 2) {
        return Some(all);
    }
    // Of a single round nothing can be proven: where others have more, those that have not are behind, and said to be. So are those that were
    // dropped far behind after two, which may scatter too much for a proof.
    let is_told =
        |place: &&Place| place.rounds > 1 && !(variant == PICK_ASKED && is_dropped_far(place, &all.order[0], facts));
    let told: Vec<String> = all.order.iter().filter(is_told).map(|place| place.name.clone()).collect();
    if told.len() < 2 || told.len() == all.order.len() {
        return Some(all);
    }
    ranking(Some(&told))
}

/// Whether a store was dropped before it had the rounds that a proof takes, being far behind the best.
fn is_dropped_far(place: &Place, best: &Place, facts: &PickFacts) -> bool {
    let is_dropped = facts.dropped.iter().any(|each| each.store == place.name);
    is_dropped && place.rounds < ROUNDS_PROOF && place.mean > PICK_FAR_BEHIND * best.mean
}

/// Whether a race told anything: which store is best, or that some cannot be told apart, or that one alone can do what was asked, or that
/// all others were far behind at once; and nothing where the disk was too full for one of them, which might be better than all, or the time was
/// too short for one where the goal is none of time.
pub fn pick_is_answered(cells: &[CellRound], facts: &PickFacts) -> bool {
    if of_variant(cells, PICK_ASKED).any(is_without_room) || !unknown_for_time(cells, facts).is_empty() {
        return false;
    }
    let Some(ranking) = proven_ranking(cells, PICK_ASKED, facts) else { return false };
    match ranking.verdict {
        Verdict::Winner => true,
        Verdict::Tie => !is_tie_of_few_rounds(&ranking) || is_ahead_by_far(&ranking, facts),
        Verdict::Alone => facts.is_of_one_store() || !facts.out_of_time,
        Verdict::Unproven => is_ahead_by_far(&ranking, facts),
    }
}

/// Whether one of those that are tied had fewer rounds than a proof takes, as the time ended or was too short for more of it: such a tie may be nothing
/// but scatter.
pub fn is_tie_of_few_rounds(ranking: &Ranking) -> bool {
    let mut tied = ranking.order.iter().filter(|place| ranking.tied.contains(&place.name));
    ranking.verdict == Verdict::Tie && tied.any(|place| place.rounds < ROUNDS_PROOF)
}

/// Whether nothing is proven of the best but that it had two rounds, and that whatever it is not proven to be better than was dropped early,
/// being far behind.
pub fn is_ahead_by_far(ranking: &Ranking, facts: &PickFacts) -> bool {
    let (best, others) = (&ranking.order[0], &ranking.order[1..]);
    let is_worse = |place: &Place| place.ratio_to_best.is_some() && !place.tied_with_best;
    matches!(ranking.verdict, Verdict::Unproven | Verdict::Tie)
        && best.rounds > 1
        && others.iter().all(|place| is_worse(place) || is_dropped_far(place, best, facts))
}

/// Whether a round was not done in its part of the time.
pub fn is_late(cell: &CellRound) -> bool {
    cell.end.failure == Some(FailureKind::Timeout)
}

/// Stores of which the time was too short for a round of what was asked, where that says nothing of how good they are: whoever takes long may
/// take the least memory. None where the goal is one of time.
pub fn unknown_for_time(cells: &[CellRound], facts: &PickFacts) -> Vec<String> {
    if facts.optimize.is_of_time() {
        return Vec::new();
    }
    let asked = || of_variant(cells, PICK_ASKED);
    let is_unknown = |name: &&String| {
        let mut own = asked().filter(|cell| cell.end.axes.store == **name).peekable();
        own.peek().is_none() || own.any(is_late)
    };
    facts.raced.iter().filter(is_unknown).cloned().collect()
}

/// Whether a round failed for want of a disk to write to, which may be nothing of the store's.
pub fn is_without_room(cell: &CellRound) -> bool {
    matches!(cell.end.failure, Some(FailureKind::DiskFull | FailureKind::Medium))
}

/// The rounds of a variant of a pick's suite.
pub fn of_variant<'a>(cells: &'a [CellRound], variant: &'a str) -> impl Iterator<Item = &'a CellRound> + Clone {
    cells.iter().filter(move |cell| cell.end.axes.variant.as_deref() == Some(variant))
}

/// The costs of every round of every store in a variant of a pick's suite, by name; stores that failed there have none.
pub fn costs(
    cells: &[CellRound],
    variant: &str,
    cost: impl Fn(&CellRound) -> Option<f64>,
) -> BTreeMap<String, Vec<f64>> {
    let failed = failed_cells(cells);
    let mut costs: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for cell in of_variant(cells, variant).filter(|cell| !failed.contains(cell.end.cell.as_str())) {
        if let Some(cost) = cost(cell) {
            costs.entry(cell.end.axes.store.clone()).or_default().push(cost);
        }
    }
    costs
}

/// What the rounds so far of what was asked are compared by: the goal, or the mean while it is a percentile that they are too few to tell.
pub fn goal_so_far(cells: &[CellRound], goal: Goal) -> Goal {
    let mut operations: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for cell in of_variant(cells, PICK_ASKED) {
        let of_store = operations.entry(&cell.end.axes.store).or_default();
        of_store.extend(application(cell).map(operations_of));
    }
    let most_rounds = operations.into_values().max_by_key(Vec::len).unwrap_or_default();
    if goal.is_told(&most_rounds) { goal } else { Goal::Mean }
}

/// Ranks the stores of a variant of a pick's suite by their rounds so far; those not in `among`, if that is given, are left out. `None`
/// if nothing was measured.
pub fn pick_ranking(
    cells: &[CellRound],
    variant: &str,
    goal: Goal,
    confidence: f64,
    among: Option<&[String]>,
) -> Option<Ranking> {
    let options = RankOptions { confidence, resolution: goal.resolution(), ..RankOptions::new(Better::Lower) };
    rank_among(costs(cells, variant, |cell| goal.cost(cell)), options, among)
}

/// The same by what an operation of each kind typically takes, which other work on the machine hardly spoils in a single round.
pub fn pick_typical_ranking(cells: &[CellRound], variant: &str, among: Option<&[String]>) -> Option<Ranking> {
    rank_among(costs(cells, variant, typical), RankOptions::new(Better::Lower), among)
}

fn rank_among(costs: BTreeMap<String, Vec<f64>>, options: RankOptions, among: Option<&[String]>) -> Option<Ranking> {
    let costs = costs.into_iter().filter(|(store, _)| among.is_none_or(|among| among.contains(store)));
    let candidates: Vec<Candidate> = costs.map(|(store, rounds)| Candidate::new(store, rounds)).collect();
    rank(&candidates, options)
}
