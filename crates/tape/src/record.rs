//! Recording a workload: its pool, a tape for each phase, and a tape that scans everything at the end.

use std::path::{Path, PathBuf};

use bakeoff_files::read_regular;
use bakeoff_tree::{Tree, TreeValues};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::model::{Model, Totals};
use crate::parts::Parts;
use crate::phase::{PhaseJob, ascending};
use crate::plan::{LanePlan, PhasePlan, Plan};
use crate::progress::report_progress;
use crate::recording::{FACTS_BYTES_MAX, RECORDING_FILE, RecordingFile, to_json};
use crate::{
    Access, Consumer, Counts, Data, Hints, KeyForm, KeyMaker, Measure, OnProgress, Operation, PhaseSpec, PhaseTape,
    Pool, PoolFacts, Progress, Recording, TapeError, TapeShape, TapeWriter, Workload,
};

/// Name and version of the program that makes tapes, and a count of changes of the bytes within a version
/// (`vectors/recorded.txt`). Tapes are byte-identical only within one; tapes of another are recorded anew.
const GENERATOR: &str = concat!("bakeoff-tape ", env!("CARGO_PKG_VERSION"), "-4");
const POOL_FILE: &str = "pool.bin";
/// What the pool next to it was made from, and facts about it.
const POOL_FACTS_FILE: &str = "pool.json";
const VERIFY_FILE: &str = "verify.tape";

/// Records a workload into `directory`: its pool, a tape for each phase, and a tape for the check at the end.
///
/// Text for the pool comes from the text files in `corpus` if there is one. What an earlier call left in `directory` for
/// the same workload is used again if it is still whole.
///
/// # Errors
/// The workload is impossible, the corpus has no text, a file cannot be written, or `progress` said to stop.
pub fn record(
    workload: &Workload,
    directory: &Path,
    corpus: Option<&Path>,
    progress: OnProgress<'_>,
) -> Result<Recording, TapeError> {
    let plan = Plan::new(workload)?;
    let corpus = corpus.filter(|_| workload.data == Data::Text);
    let corpus_stamp = corpus.map(|corpus| Corpus::open(corpus)?.stamp()).transpose()?;
    std::fs::create_dir_all(directory).map_err(TapeError::io("create the directory", directory))?;
    let wanted = RecordingInputs { workload: to_json(workload, directory)?, corpus_stamp };
    if let Some(recording) = reuse(&wanted, directory) {
        return Ok(recording);
    }
    let recorder = Recorder { workload, directory, corpus, corpus_stamp, json_bytes: wanted.workload.len() };
    let file = directory.join(RECORDING_FILE);
    // From here until the end nothing in the directory can be taken for a recording.
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(TapeError::io("remove", &file)(error));
        }
        _ => {}
    }
    let (recording, verify_checksum) = recorder.record(&plan, progress)?;
    let recorded = RecordingFile {
        generator: GENERATOR.to_owned(),
        workload: wanted.workload,
        corpus_stamp,
        verify_checksum,
        recording: recording.clone(),
    };
    recorded.write(directory)?;
    Ok(recording.located(directory))
}

/// Gives the pool of the recording in `from` to a future recording in `to`, as links to the same files. So workloads
/// with the same pool keep it once. [`record`] uses it if it is the one its workload needs.
///
/// # Errors
/// `to` cannot be made. Files that cannot be linked are no error: the pool is then made again.
pub fn lend_pool(from: &Path, to: &Path) -> Result<(), TapeError> {
    std::fs::create_dir_all(to).map_err(TapeError::io("create the directory", to))?;
    for file in [POOL_FILE, POOL_FACTS_FILE] {
        let _ = std::fs::hard_link(from.join(file), to.join(file));
    }
    Ok(())
}

/// What `pool.json` holds.
#[derive(Serialize, Deserialize)]
struct PoolFile {
    made_from: PoolSource,
    facts: PoolFacts,
}

/// Everything that determines a pool's bytes.
#[derive(PartialEq, Serialize, Deserialize)]
struct PoolSource {
    generator: String,
    data: Data,
    bytes: u64,
    seed: u64,
    corpus_stamp: Option<u64>,
    tree: Option<Tree>,
}

/// What a recording must have been made from to be used again.
struct RecordingInputs {
    workload: String,
    corpus_stamp: Option<u64>,
}

/// The recording in `directory`, if it is the wanted one and whole.
fn reuse(wanted: &RecordingInputs, directory: &Path) -> Option<Recording> {
    let file = RecordingFile::read(directory).ok()?;
    let same =
        file.generator == GENERATOR && file.workload == wanted.workload && file.corpus_stamp == wanted.corpus_stamp;
    if same { file.whole(directory).ok() } else { None }
}

/// Metadata of a tape.
#[derive(Serialize)]
struct Metadata<'a> {
    generator: &'a str,
    workload: &'a Workload,
    phase: &'a str,
    records_after: u64,
    data_bytes_after: u64,
}

struct Recorder<'a> {
    workload: &'a Workload,
    directory: &'a Path,
    corpus: Option<&'a Path>,
    /// Follows the files of the corpus.
    corpus_stamp: Option<u64>,
    /// Length of the workload as JSON.
    json_bytes: usize,
}

impl Recorder<'_> {
    /// Records everything; gives the recording, with file names only, and the identity of the last tape.
    fn record(&self, plan: &Plan, progress: OnProgress<'_>) -> Result<(Recording, String), TapeError> {
        let pool_facts = self.create_pool(progress)?;
        let pool = Pool::open(&self.directory.join(POOL_FILE))?;
        let shape = self.shape(&pool);
        let parts = Parts::of(self.workload);
        let mut model = Model::new(KeyMaker::of(self.workload));
        let mut phases = Vec::new();
        for (number, (phase, phase_plan)) in self.workload.phases.iter().zip(&plan.phases).enumerate() {
            let name = PathBuf::from(format!("{:02}-{}.tape", number + 1, phase.name));
            let job = PhaseJob {
                workload: self.workload,
                phase,
                plan: phase_plan,
                pool: &pool,
                parts: &parts,
                index_end: plan.index_end,
                writes: &[],
            };
            let before = model.totals();
            let (tape_checksum, operations, counts) = self.write_tape(&name, shape, &job, &mut model, progress)?;
            let after = model.totals();
            phases.push(PhaseTape {
                name: phase.name.clone(),
                path: name,
                tape_checksum,
                operations,
                counts,
                records_after: after.records,
                data_bytes_after: after.data_bytes,
                written_bytes: after.written_bytes - before.written_bytes,
                ascending: ascending(self.workload, phase, model.keys(), before),
            });
        }
        let verify_checksum = self.write_verify(plan, shape, (&pool, &parts), &mut model, progress)?;
        let hints = self.hints(&model);
        let (pool, verify) = (PathBuf::from(POOL_FILE), PathBuf::from(VERIFY_FILE));
        Ok((Recording { pool, pool_facts, phases, verify, hints }, verify_checksum))
    }

    fn create_pool(&self, progress: OnProgress<'_>) -> Result<PoolFacts, TapeError> {
        let Workload { data, seed, records, .. } = *self.workload;
        let path = self.directory.join(POOL_FILE);
        let tree = self.workload.directory_tree();
        let total = crate::estimate(self.workload).pool_bytes;
        let (generator, corpus_stamp) = (GENERATOR.to_owned(), self.corpus_stamp);
        let made_from = PoolSource { generator, data, bytes: total, seed, corpus_stamp, tree };
        if let Some(facts) = self.lent_pool(&path, &made_from) {
            return Ok(facts);
        }
        let facts = match tree {
            Some(tree) => Pool::create_tree(&path, tree, records, data, seed, self.corpus, progress),
            None => Pool::create(&path, data, total, seed, self.corpus, progress),
        }?;
        let facts_path = self.directory.join(POOL_FACTS_FILE);
        let text = to_json(&PoolFile { made_from, facts: facts.clone() }, &facts_path)?;
        // Not written over: another recording may have the same file under its own name.
        let temporary = self.directory.join("pool.json.part");
        std::fs::write(&temporary, text).map_err(TapeError::io("write", &temporary))?;
        std::fs::rename(&temporary, &facts_path).map_err(TapeError::io("give its name to", &facts_path))?;
        report_progress(progress, Progress { what: "pool", done: total, total })?;
        Ok(facts)
    }

    /// The pool that is there already, if it was made from the same and is whole.
    fn lent_pool(&self, path: &Path, wanted: &PoolSource) -> Option<PoolFacts> {
        let text = read_regular(&self.directory.join(POOL_FACTS_FILE), FACTS_BYTES_MAX).ok()?;
        let file: PoolFile = serde_json::from_slice(&text).ok().filter(|file: &PoolFile| file.made_from == *wanted)?;
        let pool = Pool::open_whole(path, file.facts.bytes).ok()?;
        (format!("{:016x}", pool.checksum()) == file.facts.checksum).then_some(file.facts)
    }

    fn shape(&self, pool: &Pool) -> TapeShape {
        TapeShape {
            lanes: self.workload.lanes,
            pool_bytes: pool.bytes(),
            pool_checksum: pool.checksum(),
            // The longest name of a phase, two numbers and the names of the fields take less than 256 bytes.
            metadata_bytes_max: self.json_bytes + 256,
        }
    }

    /// Records one phase; gives the tape's identity and its operations.
    fn write_tape(
        &self,
        name: &Path,
        shape: TapeShape,
        job: &PhaseJob<'_>,
        model: &mut Model,
        progress: OnProgress<'_>,
    ) -> Result<(String, u64, Counts), TapeError> {
        let path = self.directory.join(name);
        let mut tape = TapeWriter::create(&path, shape)?;
        job.record(model, &mut tape, progress)?;
        let Totals { records, data_bytes, .. } = model.totals();
        let metadata = Metadata {
            generator: GENERATOR,
            workload: self.workload,
            phase: &job.phase.name,
            records_after: records,
            data_bytes_after: data_bytes,
        };
        let counts = tape.counts();
        let header = tape.finish(&to_json(&metadata, &path)?)?;
        Ok((header.identity(), header.operations, counts))
    }

    /// Records the scan of everything that must be there in the end.
    fn write_verify(
        &self,
        plan: &Plan,
        shape: TapeShape,
        (pool, parts): (&Pool, &Parts),
        model: &mut Model,
        progress: OnProgress<'_>,
    ) -> Result<String, TapeError> {
        let phase = PhaseSpec {
            access: Access::Sequential,
            measure: Measure::Throughput,
            any_order: true,
            consumer: Consumer::Xxh64,
            ..PhaseSpec::new("verify", [(Operation::ScanAll, 1.0)], Some(1))
        };
        let lane = LanePlan { operations: 1, inserts: 0, first_insert: 0, grows: 0, turns: None };
        let phase_plan = PhasePlan { lanes: vec![lane], index_end: plan.index_end };
        let workload = &Workload { lanes: 1, ..self.workload.clone() };
        let index_end = plan.index_end;
        let job = PhaseJob { workload, phase: &phase, plan: &phase_plan, pool, parts, index_end, writes: &[] };
        let shape = TapeShape { lanes: 1, ..shape };
        Ok(self.write_tape(Path::new(VERIFY_FILE), shape, &job, model, progress)?.0)
    }

    fn hints(&self, model: &Model) -> Hints {
        let totals = model.totals();
        let value_bytes_max = match self.workload.directory_tree() {
            Some(tree) => TreeValues::new(tree).range(self.workload.records).1,
            None => self.workload.value_bytes.max(),
        };
        Hints {
            records_max: totals.records_max,
            records_inserted: totals.inserts,
            key_bytes_max: model.keys().lengths().max,
            value_bytes_mean: totals.written_value_bytes / totals.writes.max(1),
            value_bytes_max,
            data_bytes_max: totals.data_bytes_max,
            written_bytes: totals.written_bytes,
            integer_keys: self.workload.key == KeyForm::Integer && self.workload.key_bytes_max.is_none(),
        }
    }
}
