//! What can be said of a workload before anything is drawn: whether it is possible, what it inserts, how large it gets.

use bakeoff_tree::{Tree, TreeValues, ValueForm, name_lengths, tree_entries};
use serde::{Deserialize, Serialize};

use crate::format::{LANES_MAX, fits_value};
use crate::key::key_lengths;
use crate::model::RECORDS_MAX;
use crate::pool::POOL_BYTES_MAX;
use crate::random::{Purpose, Stream};
use crate::sizes::Sizes;
use crate::writer::{BLOCK_BYTES, BLOCK_OPERATIONS};
use crate::{Access, Batch, Consumer, KeyForm, Measure, OpenLoop, Operation, PhaseSpec, Shape, TapeError, Workload};

/// Ranges that [`Access::Ranges`] has, at most.
const RANGES_MAX: u32 = 10_000;

/// The weight of the range of this rank, from 1, for [`Access::Ranges`].
pub(crate) fn range_weight([a, b, c, d]: [f64; 4], rank: u32) -> f64 {
    let rank = f64::from(rank);
    a * libm::exp(b * rank) + c * libm::exp(d * rank)
}

/// The kinds of operation of a phase, drawn by their weights.
#[derive(Clone)]
pub(crate) struct Kinds {
    /// The sum of the weights up to and with this kind.
    sums: Vec<(f64, Operation)>,
    stream: Stream,
}

impl Kinds {
    /// The kinds of one lane of a phase that was validated.
    pub(crate) fn new(workload: &Workload, phase: &PhaseSpec, lane: u32) -> Self {
        let mut sum = 0.0;
        let weights = phase.mix.iter().filter(|(_, weight)| **weight > 0.0);
        let sums = weights.map(|(operation, weight)| {
            sum += weight;
            (sum, *operation)
        });
        Self { sums: sums.collect(), stream: Stream::new(workload.seed, &phase.name, lane, Purpose::Kind) }
    }

    #[inline]
    pub(crate) fn draw(&mut self) -> Operation {
        let (total, last) = self.sums[self.sums.len() - 1];
        if self.sums.len() == 1 {
            return last;
        }
        let at = self.stream.unit() * total;
        self.sums.iter().find(|(sum, _)| at < *sum).map_or(last, |(_, operation)| *operation)
    }

    /// How many of the first `operations` are inserts.
    fn count_inserts(mut self, operations: u64) -> u64 {
        match self.sums.as_slice() {
            [(_, only)] => {
                if *only == Operation::Insert {
                    operations
                } else {
                    0
                }
            }
            sums if sums.iter().all(|(_, operation)| *operation != Operation::Insert) => 0,
            _ => (0..operations).filter(|_| self.draw() == Operation::Insert).count() as u64,
        }
    }
}

/// One lane's part of a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanePlan {
    pub(crate) operations: u64,
    pub(crate) inserts: u64,
    /// The index of the lane's first insert; the others follow at the distance of the number of lanes.
    pub(crate) first_insert: u64,
}

/// One phase, as far as it is known beforehand.
pub(crate) struct PhasePlan {
    pub(crate) lanes: Vec<LanePlan>,
    /// All indexes are below this when the phase ends.
    pub(crate) index_end: u64,
}

/// The phases of a workload, as far as they are known beforehand.
pub(crate) struct Plan {
    pub(crate) phases: Vec<PhasePlan>,
    pub(crate) index_end: u64,
}

impl Plan {
    /// Checks a workload, and counts what its phases insert.
    pub(crate) fn new(workload: &Workload) -> Result<Self, TapeError> {
        validate(workload)?;
        let mut plan = Self { phases: Vec::new(), index_end: 0 };
        for phase in &workload.phases {
            let lanes: Vec<_> =
                (0..workload.lanes).map(|lane| plan_lane(workload, phase, lane, plan.index_end)).collect();
            let step = u64::from(workload.lanes);
            let ends = lanes.iter().filter(|lane| lane.inserts > 0);
            let index_end = ends.map(|lane| lane.first_insert + (lane.inserts - 1) * step + 1).max();
            plan.index_end = index_end.unwrap_or(0).max(plan.index_end);
            plan.phases.push(PhasePlan { lanes, index_end: plan.index_end });
            let most = if workload.key == KeyForm::Directory { workload.records } else { RECORDS_MAX };
            if plan.index_end > most {
                let expected = format!("at most {most}: use fewer records or fewer insert operations");
                let what = format!("phase `{}`: records inserted so far", phase.name);
                return Err(TapeError::workload(what, plan.index_end, expected));
            }
        }
        Ok(plan)
    }
}

fn plan_lane(workload: &Workload, phase: &PhaseSpec, lane: u32, index_end: u64) -> LanePlan {
    let (lane_number, lanes) = (u64::from(lane), u64::from(workload.lanes));
    let total = phase.operations.unwrap_or(workload.records);
    let operations = total / lanes + u64::from(lane_number < total % lanes);
    LanePlan {
        operations,
        inserts: Kinds::new(workload, phase, lane).count_inserts(operations),
        first_insert: index_end + (lane_number + lanes - index_end % lanes) % lanes,
    }
}

/// Whether a kind of operation occurs in a phase.
pub(crate) fn has(phase: &PhaseSpec, operation: Operation) -> bool {
    phase.mix.get(&operation).is_some_and(|weight| *weight > 0.0)
}

/// Whether a phase changes the store.
pub(crate) fn writes(phase: &PhaseSpec) -> bool {
    Operation::ALL.into_iter().any(|operation| operation.writes() && has(phase, operation))
}

fn require(holds: bool, what: impl Into<String>, found: impl ToString, expected: &str) -> Result<(), TapeError> {
    if holds { Ok(()) } else { Err(TapeError::workload(what, found, expected)) }
}

/// Refuses what cannot be recorded.
fn validate(workload: &Workload) -> Result<(), TapeError> {
    let Workload { lanes, value_bytes, pool_bytes, .. } = workload;
    require((1..=LANES_MAX).contains(lanes), "lanes", lanes, "use 1 to 4096")?;
    require(!workload.phases.is_empty(), "phases", "none", "give at least one")?;
    let drawn = workload.import.is_none() && workload.key != KeyForm::Raw;
    require(drawn, "key", "raw", "use another form: such keys come from a trace, which is imported and not recorded")?;
    match (workload.key, workload.tree) {
        (KeyForm::Directory, None) => {
            return Err(TapeError::workload("key", "directory without a tree", "give the tree's fanout and levels"));
        }
        (KeyForm::Directory, Some(tree)) => {
            let expected = "the number of entries of the tree: fanout + fanout² + … for each level";
            require(tree_entries(tree) == Some(workload.records), "records", workload.records, expected)?;
            validate_tree(workload, tree)?;
        }
        _ => {
            let range = format!("{} to {}", value_bytes.min, value_bytes.max);
            require(fits_value(*value_bytes), "value_bytes", range, "an ascending range below 4 GiB")?;
            let expected = "1 byte to 4 GiB, and at least the longest value";
            let fits = (value_bytes.max.max(1)..=POOL_BYTES_MAX).contains(pool_bytes);
            require(fits, "pool_bytes", pool_bytes, expected)?;
        }
    }
    validate_shape("value_shape", workload.value_shape)?;
    if let Some(bytes) = workload.key_bytes {
        let fits = key_lengths(workload.key).is_some_and(|(least, most)| (least..=most).contains(&bytes));
        require(fits, "key_bytes", bytes, "20 to 128 for sha1 keys, 10 to 128 for decimal ones")?;
    }
    for (number, phase) in workload.phases.iter().enumerate() {
        let unique = workload.phases[..number].iter().all(|other| other.name != phase.name);
        require(unique, "phases", format!("two named `{}`", phase.name), "give each a name of its own")?;
        validate_phase(workload, phase)?;
    }
    Ok(())
}

fn validate_tree(workload: &Workload, tree: Tree) -> Result<(), TapeError> {
    let bytes = TreeValues::new(tree).offset(workload.records);
    let expected = "at most 4 GiB of values: use fewer levels, a smaller fanout or less padding";
    require(bytes <= POOL_BYTES_MAX, "the tree's values", format!("{bytes} bytes"), expected)?;
    let padded = tree.padding_bytes == 0 || tree.values == ValueForm::Long;
    require(padded, "padding_bytes", tree.padding_bytes, "0 in serialised values, which have their own length")?;
    let (least, most) = name_lengths(tree);
    let named = tree.name_bytes == 0 || (least..=most).contains(&tree.name_bytes);
    require(named, "name_bytes", tree.name_bytes, &format!("use {least} to {most}, or 0"))?;
    match workload.phases.iter().find(|phase| phase.all_fields).filter(|_| !tree.values.has_fields()) {
        None => Ok(()),
        Some(phase) => Err(TapeError::workload(
            format!("phase `{}`: all_fields", phase.name),
            "true",
            "values of this tree have no field but the id: read that",
        )),
    }
}

fn validate_phase(workload: &Workload, phase: &PhaseSpec) -> Result<(), TapeError> {
    let name = &phase.name;
    let at = |field: &str| format!("phase `{name}`: {field}");
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let named = !name.is_empty() && name.len() <= 64 && name.bytes().all(plain);
    require(named, at("name"), name, "use 1 to 64 lower-case letters, digits and `-`")?;
    let weights = phase.mix.values();
    let sound = weights.clone().all(|weight| weight.is_finite() && *weight >= 0.0) && weights.sum::<f64>() > 0.0;
    require(sound, at("mix"), format!("{:?}", phase.mix), "give weights of at least 0, one of them above")?;
    require(!has(phase, Operation::Commit), at("mix"), "commit", "commits come from `batch`")?;
    require((0.0..=1.0).contains(&phase.missing), at("missing"), phase.missing, "use 0 to 1")?;
    require(phase.batch != Batch::Writes(0), at("batch"), 0, "use at least 1 write")?;
    if let Some(open_loop @ (OpenLoop::Poisson { per_second } | OpenLoop::Fixed { per_second })) = phase.open_loop {
        let fits = per_second > 0.0 && per_second <= 1e9 && phase.measure == Measure::Latency;
        require(fits, at("open_loop"), format!("{open_loop:?}"), "use a rate above 0, up to 10⁹, and measure latency")?;
    }
    let range = phase.scan_entries;
    require(
        range.min <= range.max,
        at("scan_entries"),
        format!("{} to {}", range.min, range.max),
        "an ascending range",
    )?;
    validate_shape(&at("scan_shape"), phase.scan_shape)?;
    validate_access(phase)?;
    let scans = has(phase, Operation::Scan) || has(phase, Operation::ScanAll) || has(phase, Operation::Walk);
    let shared = workload.lanes > 1 && writes(phase) && scans;
    let expected =
        "what a scan or walk finds while other threads write is not known: use one thread, or phases of their own";
    require(!shared, at("mix"), "scans or walks beside writes on several lanes", expected)?;
    let any_order_copy = phase.any_order && phase.consumer == Consumer::Copy && has(phase, Operation::ScanAll);
    require(!any_order_copy, at("consumer"), "copy in any order", "use another consumer, or any_order = false")?;
    let walks = has(phase, Operation::Walk) && workload.key != KeyForm::Directory;
    require(!walks, at("mix"), "walk", "only with key = \"directory\" and a tree")
}

fn validate_shape(what: &str, shape: Shape) -> Result<(), TapeError> {
    let Shape::Pareto { shape, scale } = shape else { return Ok(()) };
    let fits = (0.0..=10.0).contains(&shape) && scale > 0.0 && scale <= 1e12;
    require(fits, what, format!("shape {shape}, scale {scale}"), "use a shape of 0 to 10 and a scale above 0")
}

fn validate_access(phase: &PhaseSpec) -> Result<(), TapeError> {
    let at = |field: &str| format!("phase `{}`: {field}", phase.name);
    match phase.access {
        Access::Zipfian { theta } | Access::Latest { theta } => {
            require((0.0..=100.0).contains(&theta), at("theta"), theta, "use 0 to 100; YCSB uses 0.99")
        }
        Access::Hot { records, operations } => {
            require(records > 0.0 && records <= 1.0, at("hot records"), records, "use a part above 0, up to 1")?;
            require((0.0..=1.0).contains(&operations), at("hot operations"), operations, "use a part from 0 to 1")
        }
        Access::Ranges { ranges, range, key: [a, b] } => {
            let finite = range.iter().all(|number| number.is_finite());
            let weighs = (1..=ranges).all(|rank| (0.0..f64::INFINITY).contains(&range_weight(range, rank)));
            let fits = (1..=RANGES_MAX).contains(&ranges) && finite && weighs && range_weight(range, 1) > 0.0;
            require(
                fits,
                at("ranges"),
                format!("{ranges} by {range:?}"),
                "use 1 to 10,000 whose weights are not negative",
            )?;
            let falls = a > 0.0 && a <= 1.0 && b > 0.0 && b <= 10.0;
            require(
                falls,
                at("ranges key"),
                format!("{a}, {b}"),
                "use a part above 0, up to 1, and a power above 0, up to 10",
            )
        }
        Access::Sequential | Access::Insertion | Access::Uniform => Ok(()),
    }
}

/// How large a workload gets, roughly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Bytes of keys and values alive at the same time, at most.
    pub data_bytes_max: u64,
    /// Bytes of keys and values that all phases write together.
    pub written_bytes: u64,
    /// Operations of all phases, commits and restoring inserts included.
    pub operations: u64,
    /// Length of all tapes together.
    pub tape_bytes: u64,
    /// Length of the pool.
    pub pool_bytes: u64,
}

/// Estimates how large a workload gets from its settings alone, without drawing anything; of an import it is known.
pub fn estimate(workload: &Workload) -> Estimate {
    if let Some(import) = &workload.import {
        return import.size;
    }
    let key = crate::KeyMaker::of(workload);
    let value_bytes = match workload.directory_tree() {
        Some(tree) => TreeValues::new(tree).offset(workload.records) as f64 / workload.records.max(1) as f64,
        None => Sizes::new(workload.value_bytes, workload.value_shape).mean(),
    };
    let entry_bytes = key.key_bytes() as f64 + value_bytes;
    let (mut records, mut records_max, mut sums) = (0.0_f64, 0.0_f64, Estimate::default());
    for phase in &workload.phases {
        let size = PhaseSize::new(workload, phase, &key, value_bytes);
        records = (records + size.inserts - if phase.restore { 0.0 } else { size.deletes }).max(0.0);
        records_max = records_max.max(records);
        sums.written_bytes += (size.values_written * entry_bytes) as u64;
        sums.operations += size.operations as u64;
        sums.tape_bytes += size.tape_bytes as u64;
    }
    sums.data_bytes_max = (records_max * entry_bytes) as u64;
    sums.pool_bytes = match workload.directory_tree() {
        Some(tree) => TreeValues::new(tree).offset(workload.records),
        None => workload.pool_bytes,
    };
    sums
}

/// How often a store has to acknowledge writes, roughly: a batch is acknowledged once.
pub fn acknowledgements(workload: &Workload) -> u64 {
    let phases = workload.phases.iter().map(|phase| PhaseWrites::new(workload, phase));
    phases.map(|writes| writes.acknowledgements as u64).sum()
}

/// What one phase writes on average.
struct PhaseWrites {
    inserts: f64,
    deletes: f64,
    /// All kinds of the phase's own.
    all: f64,
    restores: f64,
    commits: f64,
    acknowledgements: f64,
}

impl PhaseWrites {
    fn new(workload: &Workload, phase: &PhaseSpec) -> Self {
        let share = |operation| share(workload, phase, operation);
        let (inserts, deletes) = (share(Operation::Insert), share(Operation::Delete));
        let all = inserts + deletes + share(Operation::Update) + share(Operation::Upsert);
        let restores = if phase.restore { deletes } else { 0.0 };
        let commits = match phase.batch {
            Batch::Each => 0.0,
            Batch::Writes(count) => all / count.max(1) as f64,
            Batch::All => f64::from(workload.lanes).min(all),
        };
        let acknowledgements = if phase.batch == Batch::Each { all + restores } else { commits };
        Self { inserts, deletes, all, restores, commits, acknowledgements }
    }
}

/// How many operations of a kind a phase has on average.
fn share(workload: &Workload, phase: &PhaseSpec, operation: Operation) -> f64 {
    let drawn = phase.operations.unwrap_or(workload.records) as f64;
    let total: f64 = phase.mix.values().sum();
    phase.mix.get(&operation).map_or(0.0, |weight| drawn * weight / total)
}

/// What one phase comes to on average.
struct PhaseSize {
    operations: f64,
    inserts: f64,
    deletes: f64,
    values_written: f64,
    tape_bytes: f64,
}

impl PhaseSize {
    fn new(workload: &Workload, phase: &PhaseSpec, key: &crate::KeyMaker, value_bytes: f64) -> Self {
        let drawn = phase.operations.unwrap_or(workload.records) as f64;
        let share = |operation| share(workload, phase, operation);
        let PhaseWrites { inserts, deletes, all: writes, restores, commits, .. } = PhaseWrites::new(workload, phase);
        let read_first = if phase.read_first { writes - inserts } else { 0.0 };
        let walk_bytes = workload.tree.map_or(0, Tree::path_bytes) as f64;
        let (scans, whole, walks) = (share(Operation::Scan), share(Operation::ScanAll), share(Operation::Walk));
        let keyed = drawn + restores + read_first - whole - walks;
        let operations = drawn + restores + read_first + commits;
        let blocks = operations / f64::from(BLOCK_OPERATIONS)
            + (writes - deletes + restores + read_first + share(Operation::Get)) * value_bytes / BLOCK_BYTES as f64;
        let due_bytes = if phase.open_loop.is_some() { 8.0 * drawn } else { 0.0 };
        let tape_bytes = due_bytes
            + 16.0 * operations
            + keyed * key.key_bytes() as f64
            + 40.0 * (scans + whole)
            + walks * walk_bytes;
        Self {
            operations,
            inserts,
            deletes,
            values_written: writes - deletes + restores,
            tape_bytes: tape_bytes + 24.0 * blocks + 2048.0 + 32.0 * f64::from(workload.lanes),
        }
    }
}
