//! The end of an import: the pool of its values, the ends of its tapes, the tape that compares everything, and a
//! stand-in for its workload.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bakeoff_limits::join;
use bakeoff_tape::{
    Batch, Counts, Data, DealtTape, Estimate, Hints, Import, KeyForm, Measure, Operation, PhaseSpec, PhaseTape, Pool,
    PoolFacts, Record, Recording, Shape, SizeRange, TapeError, TapeHeader, TapeWriter, Workload, flags,
    import_identity, keep_import,
};

use crate::content::{Content, Place, Totals, record};
use crate::error::TraceError;
use crate::lanes::{LaneFacts, Order, deal, shape};
use crate::progress::OnProgress;

/// The phase that holds the operations of a trace.
pub const IMPORT_PHASE: &str = "application";

/// The phase that loads the records from before the trace.
const LOAD_PHASE: &str = "load";
/// Records that are loaded together.
pub(crate) const LOAD_BATCH: u64 = 1_000;

const GENERATOR: &str = concat!("bakeoff-trace ", env!("CARGO_PKG_VERSION"));
const POOL_FILE: &str = "pool.bin";
pub(crate) const LOAD_FILE: &str = "01-load.tape";
pub(crate) const TRACE_FILE: &str = "02-application.tape";
const VERIFY_FILE: &str = "verify.tape";

/// A pool that was made, in a directory.
pub(crate) struct MadePool {
    path: PathBuf,
    facts: PoolFacts,
}

/// A trace that was read to its end.
pub(crate) struct ImportParts<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) progress: OnProgress<'a>,
    pub(crate) data: Data,
    pub(crate) seed: u64,
    pub(crate) anonymized: bool,
    pub(crate) content: Content,
    pub(crate) lanes: LaneFacts,
    pub(crate) operations: u64,
    pub(crate) mix: BTreeMap<Operation, u64>,
    /// Batches that writes were committed in; 0 where each is acknowledged alone.
    pub(crate) commits: u64,
    /// The tape has commits of single writes, which are to be left out.
    pub(crate) drops_commits: bool,
    pub(crate) key_bytes: SizeRange,
    pub(crate) duration_s: f64,
}

impl ImportParts<'_> {
    /// Makes everything complete, with an earlier pool if that is as long. Gives a stand-in for the workload.
    pub(crate) fn keep(
        self,
        mut load: TapeWriter,
        tape: TapeWriter,
        order: Option<Order>,
        pool: Option<MadePool>,
    ) -> Result<(Workload, MadePool), TraceError> {
        let totals = *self.content.totals();
        // Neither waits for the other.
        let (made, trace) = join(|| self.make_pool(pool.as_ref()), || Application::new(&self, tape, order));
        let ((made, in_pool, verify), trace) = (made?, trace?);
        load.set_pool(in_pool.0, in_pool.1);
        let mut phases = Vec::new();
        if totals.loaded > 0 {
            phases.push(self.finish_load(load, &totals)?);
        } else {
            drop(load);
        }
        let after = (totals.records(), totals.data_bytes());
        let of_trace = trace.finish(in_pool, &self.metadata(IMPORT_PHASE, after))?;
        phases.push(phase_tape((IMPORT_PHASE, TRACE_FILE), &of_trace, after, totals.written_bytes));
        let pool_facts = made.facts.clone();
        let (pool, verify_checksum) = (PathBuf::from(POOL_FILE), verify.identity());
        let verify = PathBuf::from(VERIFY_FILE);
        let recording = Recording { pool, pool_facts, phases, verify, hints: self.hints(&totals) };
        let workload = self.workload(&totals, &recording);
        keep_import(self.directory, GENERATOR, &workload, recording, verify_checksum)?;
        Ok((workload, made))
    }

    /// The pool of all values, its length and checksum, and the tape that compares everything with it.
    fn make_pool(&self, other: Option<&MadePool>) -> Result<(MadePool, (u64, u64), TapeHeader), TraceError> {
        let made = self.pool_file(other)?;
        let pool = Pool::open(&made.path)?;
        let in_pool = (pool.bytes(), pool.checksum());
        let verify = self.write_verify(&pool, in_pool)?;
        Ok((made, in_pool, verify))
    }

    /// The pool's file: another name of an earlier pool's file if that is as long.
    fn pool_file(&self, other: Option<&MadePool>) -> Result<MadePool, TapeError> {
        let path = self.directory.join(POOL_FILE);
        let bytes = self.content.pool_bytes();
        if let Some(other) = other.filter(|other| other.facts.bytes == bytes)
            && std::fs::hard_link(&other.path, &path).is_ok()
        {
            return Ok(MadePool { path, facts: other.facts.clone() });
        }
        let facts = Pool::create(&path, self.data, bytes, self.seed, None, &mut |made| (self.progress)(made))?;
        Ok(MadePool { path, facts })
    }

    /// Ends the tape that loads: all on its first lane.
    fn finish_load(&self, mut load: TapeWriter, totals: &Totals) -> Result<PhaseTape, TapeError> {
        if !totals.loaded.is_multiple_of(LOAD_BATCH) {
            load.push(&record((Operation::Commit, 0), &[], Place::default(), None))?;
        }
        load.set_lanes(self.lanes.lanes());
        for _ in 1..self.lanes.lanes() {
            load.next_lane()?;
        }
        let after = (totals.loaded, totals.loaded_bytes);
        let counts = load.counts();
        let of_load = (load.finish(&self.metadata(LOAD_PHASE, after))?, counts);
        Ok(phase_tape((LOAD_PHASE, LOAD_FILE), &of_load, after, totals.loaded_bytes))
    }

    fn write_verify(&self, pool: &Pool, in_pool: (u64, u64)) -> Result<TapeHeader, TraceError> {
        let outside = || std::io::Error::other("a value lies outside the pool");
        let scan = self.content.scan(pool, self.progress)?.ok_or_else(outside)?.encode();
        let mut tape = TapeWriter::create(&self.directory.join(VERIFY_FILE), shape(1))?;
        tape.set_pool(in_pool.0, in_pool.1);
        let everything = record((Operation::ScanAll, flags::ANY_ORDER), &[], Place::default(), None);
        tape.push(&Record { scan: Some(&scan), ..everything })?;
        let totals = self.content.totals();
        Ok(tape.finish(&self.metadata("verify", (totals.records(), totals.data_bytes())))?)
    }

    fn metadata(&self, phase: &str, (records_after, data_bytes_after): (u64, u64)) -> String {
        let (data, seed, anonymized) = (self.data.name(), self.seed, self.anonymized);
        format!(
            r#"{{"generator":"{GENERATOR}","import":{{"seed":{seed},"data":"{data}","anonymized":{anonymized}}},"phase":"{phase}","records_after":{records_after},"data_bytes_after":{data_bytes_after}}}"#
        )
    }

    fn hints(&self, totals: &Totals) -> Hints {
        Hints {
            records_max: totals.records_max(),
            records_inserted: totals.loaded + totals.inserted,
            key_bytes_max: self.key_bytes.max,
            value_bytes_mean: totals.value_bytes_written / totals.writes.max(1),
            value_bytes_max: totals.value_bytes_max,
            data_bytes_max: totals.data_bytes_max(),
            written_bytes: totals.loaded_bytes + totals.written_bytes,
            integer_keys: false,
        }
    }

    fn writes(&self) -> u64 {
        self.mix.iter().filter(|(operation, _)| operation.writes()).map(|(_, count)| count).sum()
    }

    fn workload(&self, totals: &Totals, recording: &Recording) -> Workload {
        let value_bytes = SizeRange { min: totals.value_bytes_min, max: totals.value_bytes_max }.into();
        let mut phases = Vec::new();
        if totals.loaded > 0 {
            let load = PhaseSpec::new(LOAD_PHASE, [(Operation::Insert, 1.0)], Some(totals.loaded));
            phases.push(PhaseSpec { batch: Batch::Writes(LOAD_BATCH), measure: Measure::Throughput, ..load });
        }
        // Stores are checked against this; how its operations would be drawn means nothing.
        let mix = self.mix.iter().map(|(operation, count)| (*operation, *count as f64));
        let batch = match self.commits {
            0 => Batch::Each,
            commits => Batch::Writes((self.writes() / commits).max(1)),
        };
        phases.push(PhaseSpec { batch, ..PhaseSpec::new(IMPORT_PHASE, mix, Some(self.operations)) });
        let length = |file: &str| std::fs::metadata(self.directory.join(file)).map_or(0, |facts| facts.len());
        let size = Estimate {
            data_bytes_max: totals.data_bytes_max(),
            written_bytes: totals.loaded_bytes + totals.written_bytes,
            operations: recording.phases.iter().map(|phase| phase.operations).sum(),
            tape_bytes: length(LOAD_FILE) + length(TRACE_FILE),
            pool_bytes: self.content.pool_bytes(),
        };
        let import = Import {
            identity: import_identity(recording),
            key_bytes: self.key_bytes,
            value_bytes_mean: recording.hints.value_bytes_mean,
            duration_s: self.duration_s,
            size,
        };
        Workload {
            seed: self.seed,
            key: KeyForm::Raw,
            key_bytes: None,
            key_bytes_max: None,
            records: totals.records_max(),
            value_bytes,
            value_shape: Shape::Uniform,
            data: self.data,
            pool_bytes: self.content.pool_bytes(),
            lanes: self.lanes.lanes(),
            tree: None,
            phases,
            import: Some(import),
        }
    }
}

/// The tape with a trace's operations: as they were written, or dealt to lanes.
enum Application {
    Written(Box<TapeWriter>),
    Dealt(DealtTape, Counts),
}

impl Application {
    fn new(done: &ImportParts<'_>, tape: TapeWriter, order: Option<Order>) -> Result<Self, TraceError> {
        if done.lanes == LaneFacts::One && !done.drops_commits {
            return Ok(Self::Written(Box::new(tape)));
        }
        let counts = if done.drops_commits { tape.counts().without_commits() } else { tape.counts() };
        // The dealt one takes its name when it is complete.
        let path = done.directory.join(TRACE_FILE);
        tape.finish("{}")?;
        let dealt = deal(&path, (done.lanes, !done.drops_commits), order, done.progress)?;
        Ok(Self::Dealt(dealt, counts))
    }

    /// With what a driver must report of it.
    fn finish(self, pool: (u64, u64), metadata: &str) -> Result<(TapeHeader, Counts), TapeError> {
        match self {
            Self::Written(mut tape) => {
                tape.set_pool(pool.0, pool.1);
                let counts = tape.counts();
                Ok((tape.finish(metadata)?, counts))
            }
            Self::Dealt(tape, counts) => Ok((tape.finish(pool, metadata)?, counts)),
        }
    }
}

fn phase_tape(
    (name, file): (&str, &str),
    (header, counts): &(TapeHeader, Counts),
    (records_after, data_bytes_after): (u64, u64),
    written_bytes: u64,
) -> PhaseTape {
    PhaseTape {
        name: name.to_owned(),
        path: PathBuf::from(file),
        tape_checksum: header.identity(),
        operations: header.operations,
        counts: counts.clone(),
        records_after,
        data_bytes_after,
        written_bytes,
        ascending: false,
    }
}
