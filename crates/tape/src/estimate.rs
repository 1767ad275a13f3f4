//! How large a workload gets, from its settings alone.

use bakeoff_tree::{Tree, TreeValues};

use crate::key::KeyMaker;
use crate::sizes::Sizes;
use crate::writer::{BLOCK_BYTES, BLOCK_OPERATIONS};
use crate::{Batch, Estimate, Operation, PhaseSpec, SizeRange, Workload};

impl Workload {
    /// The mean size of values, bytes, rounded.
    pub fn value_bytes_mean(&self) -> u64 {
        if let Some(import) = &self.import {
            return import.value_bytes_mean;
        }
        self.drawn_value_bytes().round() as u64
    }

    /// The mean size of the values that are drawn, bytes.
    fn drawn_value_bytes(&self) -> f64 {
        match self.value_bytes.parts() {
            [only] => Sizes::new(only.range, self.value_shape).mean(),
            _ => self.value_bytes.mean(),
        }
    }

    /// The lengths of its keys, bytes.
    pub fn key_bytes_range(&self) -> SizeRange {
        self.import.as_ref().map_or_else(|| KeyMaker::of(self).lengths(), |import| import.key_bytes)
    }
}

/// Estimates how large a workload gets from its settings alone, without drawing anything; of an import it is known.
pub fn estimate(workload: &Workload) -> Estimate {
    if let Some(import) = &workload.import {
        return import.size;
    }
    let SizeRange { min, max } = KeyMaker::of(workload).lengths();
    let key_bytes = min.midpoint(max) as f64;
    let value_bytes = match workload.directory_tree() {
        Some(tree) => TreeValues::new(tree).offset(workload.records) as f64 / workload.records.max(1) as f64,
        None => workload.drawn_value_bytes(),
    };
    let entry_bytes = key_bytes + value_bytes;
    let (mut records, mut records_max, mut sums) = (0.0_f64, 0.0_f64, Estimate::default());
    for phase in &workload.phases {
        let size = PhaseSize::new(workload, phase, key_bytes, value_bytes);
        if phase.restore {
            let growth_max = workload.growth_max() as f64 * f64::from(workload.lanes);
            records_max = records_max.max(records + size.inserts.min(growth_max));
        } else {
            records = (records + size.inserts - size.deletes).max(0.0);
        }
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
        let restores = if phase.restore { inserts + deletes } else { 0.0 };
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
    let drawn = phase.drawn(workload.records) as f64;
    let total: f64 = phase.mix.values().sum();
    phase.mix.get(&operation).map_or(0.0, |weight| drawn * weight / total)
}

/// The average totals of one phase.
struct PhaseSize {
    operations: f64,
    inserts: f64,
    deletes: f64,
    values_written: f64,
    tape_bytes: f64,
}

impl PhaseSize {
    fn new(workload: &Workload, phase: &PhaseSpec, key_bytes: f64, value_bytes: f64) -> Self {
        let drawn = phase.drawn(workload.records) as f64;
        let share = |operation| share(workload, phase, operation);
        let PhaseWrites { inserts, deletes, all: writes, restores, commits, .. } = PhaseWrites::new(workload, phase);
        let put_back = if phase.restore { deletes } else { 0.0 };
        let read_first = if phase.read_first { writes - inserts } else { 0.0 };
        let walk_bytes = workload.tree.map_or(0, Tree::path_bytes) as f64;
        let scans = share(Operation::Scan) + share(Operation::ScanPrefix) + share(Operation::First);
        let (whole, walks) = (share(Operation::ScanAll), share(Operation::Walk));
        let keyed = drawn + restores + read_first - whole - walks;
        let operations = drawn + restores + read_first + commits;
        let blocks = operations / f64::from(BLOCK_OPERATIONS)
            + (writes - deletes + put_back + read_first + share(Operation::Get)) * value_bytes / BLOCK_BYTES as f64;
        let due_bytes = if phase.open_loop.is_some() { 8.0 * drawn } else { 0.0 };
        let tape_bytes =
            due_bytes + 16.0 * operations + keyed * key_bytes + 40.0 * (scans + whole) + walks * walk_bytes;
        Self {
            operations,
            inserts,
            deletes,
            values_written: writes - deletes + put_back,
            tape_bytes: tape_bytes + 24.0 * blocks + 2048.0 + 32.0 * f64::from(workload.lanes),
        }
    }
}
