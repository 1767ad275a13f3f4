//! Small workloads, and tapes read back into memory.

use std::ops::ControlFlow;
use std::path::Path;

use bakeoff_tape::{
    Access, Data, KeyForm, LaneReader, Operation, PhaseSpec, Record, Recording, Scan, ScanFields, Shape, SizeRange,
    TapeError, TapeReader, Workload, record,
};

/// A record that owns its key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Owned {
    pub(crate) operation: Operation,
    pub(crate) flags: u8,
    pub(crate) key: Vec<u8>,
    pub(crate) value_bytes: u32,
    pub(crate) value_offset: u64,
    pub(crate) due_ns: Option<u64>,
    pub(crate) scan: Option<ScanFields>,
}

impl Owned {
    pub(crate) fn new(record: &Record<'_>) -> Self {
        let Record { operation, flags, key, value_bytes, value_offset, due_ns, scan } = *record;
        Self { operation, flags, key: key.to_vec(), value_bytes, value_offset, due_ns, scan: scan.copied() }
    }

    pub(crate) fn scan(&self) -> Option<Scan> {
        self.record().scan()
    }

    pub(crate) fn record(&self) -> Record<'_> {
        let Self { operation, flags, ref key, value_bytes, value_offset, due_ns, ref scan } = *self;
        Record { operation, flags, key, value_bytes, value_offset, due_ns, scan: scan.as_ref() }
    }
}

/// All records of a tape that must be whole, lane by lane.
pub(crate) fn read(path: &Path) -> Vec<Vec<Owned>> {
    let tape = TapeReader::open(path).unwrap();
    tape.check().unwrap();
    let lanes =
        (0..tape.facts().lanes.len() as u32).map(|number| read_lane(&mut tape.lane(number).unwrap(), usize::MAX));
    lanes.collect()
}

/// The records of the next `blocks` blocks of a lane, or of all.
pub(crate) fn read_lane(lane: &mut LaneReader, blocks: usize) -> Vec<Owned> {
    let mut records = Vec::new();
    for _ in 0..blocks {
        let Some(block) = lane.next_block().unwrap() else { break };
        let before = records.len();
        records.extend(block.records().map(|record| Owned::new(&record)));
        assert_eq!((records.len() - before) as u32, block.operations());
    }
    records
}

pub(crate) fn phase(name: &str, mix: &[(Operation, f64)]) -> PhaseSpec {
    PhaseSpec { scan_entries: SizeRange { min: 1, max: 20 }, ..PhaseSpec::new(name, mix.iter().copied(), None) }
}

pub(crate) fn workload(key: KeyForm, records: u64, phases: Vec<PhaseSpec>) -> Workload {
    let mut all = vec![PhaseSpec { access: Access::Insertion, ..phase("load", &[(Operation::Insert, 1.0)]) }];
    all.extend(phases);
    Workload {
        seed: 42,
        key,
        key_bytes: None,
        key_bytes_max: None,
        records,
        value_bytes: SizeRange { min: 10, max: 100 }.into(),
        value_shape: Shape::Uniform,
        data: Data::Random,
        pool_bytes: 10_000,
        lanes: 1,
        tree: None,
        import: None,
        phases: all,
    }
}

pub(crate) fn recorded(workload: &Workload, directory: &Path) -> Result<Recording, TapeError> {
    record(workload, directory, None, &mut |_| ControlFlow::Continue(()))
}

/// The records of one phase of a workload, lane by lane.
pub(crate) fn lanes_of(workload: &Workload, phase: usize) -> Vec<Vec<Owned>> {
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(workload, directory.path()).unwrap();
    read(&recording.phases[phase].path)
}
