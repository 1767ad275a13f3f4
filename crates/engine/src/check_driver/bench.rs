//! Where a rule is tried: a directory of its own, tapes recorded for it, requests made of them, and
//! the driver that is asked.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use bakeoff_protocol::{DriverDescription, Durability, PROTOCOL_VERSION, Request, StoreDescription};
use bakeoff_suite::offered;
use bakeoff_tape::{
    Access, Data, KeyForm, Operation, PhaseSpec, Record, Recording, Shape, SizeRange, TapeReader, TapeShape,
    TapeWriter, Workload, record,
};

use crate::cell::request::{data_hints, phase_request};
use crate::check_driver::program::run;
use crate::check_driver::verdict::{Checked, Stop};
use crate::drivers::discovery::DESCRIBE_TIME_MAX;
use crate::drivers::process::Answer;
use crate::place::names::TEMPORARY;
use crate::place::tree::remove_tree;
use crate::surroundings::interrupt::Interrupt;

/// How long a driver may take for a request that it does. The requests here take well under a
/// second, and starting a virtual machine takes a few. Refusing takes no longer than describing.
const RUN_TIME_MAX: Duration = Duration::from_secs(60);

/// Records that a load writes: more than a block has operations.
const RECORDS: u64 = 300;

/// One rule, one store.
pub(super) struct Bench<'a> {
    pub(super) program: &'a Path,
    pub(super) driver: &'a DriverDescription,
    pub(super) store: &'a StoreDescription,
    directory: PathBuf,
    interrupt: &'a Interrupt,
    asked: Cell<u32>,
    unanswered: Cell<u32>,
}

/// The phases of a workload and its tapes.
pub(super) struct Recorded {
    pub(super) workload: Workload,
    pub(super) recording: Recording,
}

impl<'a> Bench<'a> {
    /// A bench for a rule, in a directory of the rule's name inside another.
    pub(super) fn new(
        program: &'a Path,
        driver: &'a DriverDescription,
        store: &'a StoreDescription,
        (parent, rule): (&Path, &str),
        interrupt: &'a Interrupt,
    ) -> Result<Self> {
        let directory = parent.join(format!("{}-{rule}", store.name.replace('/', "-")));
        std::fs::create_dir(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        Ok(Self { program, driver, store, directory, interrupt, asked: Cell::default(), unanswered: Cell::default() })
    }

    /// Removes all that was made for the rule.
    pub(super) fn remove(self) -> Result<()> {
        remove_tree(&self.directory)
    }

    /// The rule's directory.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A fresh, empty directory for a store, next to a directory for what the driver unpacks.
    pub(super) fn place(&self) -> Result<PathBuf> {
        let number = self.asked.get() + 1;
        self.asked.set(number);
        let place = self.directory.join(format!("{number:03}"));
        std::fs::create_dir_all(place.join(TEMPORARY))?;
        let store = place.join("store");
        std::fs::create_dir(&store)?;
        Ok(store)
    }

    /// Whether the driver did not answer a request of this rule in time.
    pub(super) fn was_unanswered(&self) -> bool {
        self.unanswered.get() > 0
    }

    /// Runs the driver with a verb and an input, next to a store's directory.
    fn ask_within(&self, time_max: Duration, store: &Path, verb: &str, input: &[u8]) -> Result<Answer> {
        self.ask_as_long(&|| true, time_max, store, (verb, input))
    }

    fn ask_as_long(
        &self,
        goes_on: &dyn Fn() -> bool,
        time_max: Duration,
        store: &Path,
        (verb, input): (&str, &[u8]),
    ) -> Result<Answer> {
        let beside = (&*store.with_file_name(TEMPORARY), &*store.with_file_name("log"));
        let answer = run(self.program, (verb, input, time_max), beside, (self.interrupt, goes_on))?;
        self.unanswered.update(|unanswered| unanswered + u32::from(answer.is_late));
        Ok(answer)
    }

    fn ask_text_within(&self, time_max: Duration, store: &Path, text: &[u8]) -> Result<Answer> {
        std::fs::write(store.with_file_name("request.json"), text)?;
        self.ask_within(time_max, store, "run", text)
    }

    /// Gives the driver this text as its request, whose store lies, or would, at `store`.
    pub(super) fn ask_text(&self, store: &Path, text: &str) -> Result<Answer> {
        self.ask_text_within(RUN_TIME_MAX, store, text.as_bytes())
    }

    /// The same with a request.
    pub(super) fn ask(&self, request: &Request) -> Result<Answer> {
        self.ask_text(&request.directory, &serde_json::to_string_pretty(request)?)
    }

    /// The same, and kills the driver as soon as `goes_on` says no.
    pub(super) fn ask_while(&self, request: &Request, goes_on: &dyn Fn() -> bool) -> Result<Answer> {
        let text = serde_json::to_vec_pretty(request)?;
        std::fs::write(request.directory.with_file_name("request.json"), &text)?;
        self.ask_as_long(goes_on, RUN_TIME_MAX, &request.directory, ("run", &text))
    }

    /// The same with a text that it refuses, before it does anything.
    pub(super) fn ask_text_to_refuse(&self, store: &Path, text: impl AsRef<[u8]>) -> Result<Answer> {
        self.ask_text_within(DESCRIBE_TIME_MAX, store, text.as_ref())
    }

    /// The same with a request that it refuses.
    pub(super) fn ask_to_refuse(&self, request: &Request) -> Result<Answer> {
        self.ask_text_to_refuse(&request.directory, serde_json::to_string_pretty(request)?)
    }

    /// The driver's answer to another verb.
    pub(super) fn ask_verb(&self, verb: &str) -> Result<Answer> {
        self.ask_within(DESCRIBE_TIME_MAX, &self.place()?, verb, b"")
    }

    /// Records a load and these phases after it, for `lanes` threads.
    ///
    /// # Errors
    /// The store does not offer one of them.
    pub(super) fn record(&self, phases: Vec<PhaseSpec>, lanes: u32) -> Checked<Recorded> {
        for phase in &phases {
            offered(phase, &self.store.capabilities).map_err(|why| Stop::NotOffered(format!("it {why}")))?;
        }
        Ok(self.record_anyway(phases, lanes)?)
    }

    /// The same, whether or not the store offers it.
    pub(super) fn record_anyway(&self, phases: Vec<PhaseSpec>, lanes: u32) -> Result<Recorded> {
        let load = PhaseSpec { access: Access::Insertion, ..PhaseSpec::new("load", [(Operation::Insert, 1.0)], None) };
        let workload = Workload {
            seed: 1,
            key: KeyForm::Sha1,
            key_bytes: None,
            key_bytes_max: None,
            records: RECORDS,
            value_bytes: SizeRange { min: 20, max: 200 }.into(),
            value_shape: Shape::Uniform,
            data: Data::Random,
            pool_bytes: 64 << 10,
            lanes,
            tree: None,
            phases: [vec![load], phases].concat(),
            import: None,
        };
        let recording = record(&workload, &self.directory.join("tapes"), None, &mut |_| ControlFlow::Continue(()))?;
        Ok(Recorded { workload, recording })
    }

    /// The request for all of it, at the weakest level that the store offers.
    pub(super) fn request(&self, recorded: &Recorded) -> Result<Request> {
        let Recorded { workload, recording } = recorded;
        let phases = workload.phases.iter().zip(&recording.phases);
        Ok(Request {
            protocol: PROTOCOL_VERSION,
            cell: "0123456789abcdef".to_owned(),
            round: 1,
            store: self.store.name.clone(),
            durability: self.level(),
            settings: Default::default(),
            directory: self.place()?,
            pool: recording.pool.clone(),
            hints: data_hints(&recording.hints, workload.lanes),
            phases: phases.map(|(spec, tape)| phase_request(spec, tape, &[])).collect(),
            warm_up: None,
            verify: self.can_list().then(|| recording.verify.clone()),
            compacted_copy: None,
            crash: None,
            acknowledged: None,
            inventory: None,
            profile: None,
        })
    }

    /// A request for a load alone, timed one operation at a time.
    pub(super) fn load(&self) -> Checked<Request> {
        let recorded = self.record(Vec::new(), 1)?;
        Ok(self.request(&recorded)?)
    }

    /// The weakest level that the store offers.
    pub(super) fn level(&self) -> Durability {
        self.store.durability.keys().next().copied().unwrap_or_default()
    }

    /// Whether the store can show everything in it, so that its content can be compared.
    pub(super) fn can_list(&self) -> bool {
        let can = &self.store.capabilities;
        can.scan_any_order || can.scan_ordered
    }

    /// Stops where the store keeps nothing, and so gives no answer that could be wrong.
    pub(super) fn needs_data(&self) -> Checked {
        match self.store.capabilities.keeps_data {
            true => Ok(()),
            false => Err(Stop::NotOffered("it keeps no data".to_owned())),
        }
    }
}

/// A phase of one kind of operation.
pub(super) fn phase(name: &str, operation: Operation, operations: u64) -> PhaseSpec {
    mixed(name, [(operation, 1.0)], operations)
}

/// A phase of several kinds.
pub(super) fn mixed<const N: usize>(name: &str, mix: [(Operation, f64); N], operations: u64) -> PhaseSpec {
    PhaseSpec { scan_entries: SizeRange { min: 1, max: 20 }, ..PhaseSpec::new(name, mix, Some(operations)) }
}

/// A record that owns its parts.
pub(super) struct OwnedRecord {
    pub(super) operation: Operation,
    pub(super) flags: u8,
    pub(super) key: Vec<u8>,
    pub(super) value_bytes: u32,
    pub(super) value_offset: u64,
    pub(super) due_ns: Option<u64>,
    pub(super) scan: Option<bakeoff_tape::Scan>,
}

impl OwnedRecord {
    fn new(record: &Record<'_>) -> Self {
        let Record { operation, flags, key, value_bytes, value_offset, due_ns, .. } = *record;
        Self { operation, flags, key: key.to_vec(), value_bytes, value_offset, due_ns, scan: record.scan() }
    }

    pub(super) fn push_to(&self, tape: &mut TapeWriter) -> Result<()> {
        let Self { operation, flags, ref key, value_bytes, value_offset, due_ns, scan } = *self;
        let scan = scan.map(|scan| scan.encode());
        tape.push(&Record { operation, flags, key, value_bytes, value_offset, due_ns, scan: scan.as_ref() })?;
        Ok(())
    }
}

/// Every record of a tape, by lane.
pub(super) fn records_of(tape: &Path) -> Result<Vec<Vec<OwnedRecord>>> {
    let tape = TapeReader::open(tape)?;
    tape.check()?;
    let lane = |number| {
        let (mut lane, mut records) = (tape.lane(number)?, Vec::new());
        while let Some(block) = lane.next_block()? {
            records.extend(block.records().map(|record| OwnedRecord::new(&record)));
        }
        Ok(records)
    };
    (0..u32::try_from(tape.facts().lanes.len())?).map(lane).collect()
}

/// Writes a tape over the pool of another, with all checksums right.
pub(super) fn write_tape(
    path: &Path,
    (pool_bytes, pool_checksum): (u64, u64),
    lanes: &[Vec<OwnedRecord>],
) -> Result<()> {
    let shape = TapeShape { lanes: u32::try_from(lanes.len())?, pool_bytes, pool_checksum, metadata_bytes_max: 2 };
    let mut tape = TapeWriter::create(path, shape)?;
    for (number, records) in lanes.iter().enumerate() {
        if number > 0 {
            tape.next_lane()?;
        }
        records.iter().try_for_each(|record| record.push_to(&mut tape))?;
    }
    tape.finish("{}")?;
    Ok(())
}

/// The same tape at another path with one record changed: the first that `change` says it has.
///
/// # Errors
/// There is none to change.
pub(super) fn changed(tape: &Path, to: &Path, change: &dyn Fn(&mut OwnedRecord) -> bool) -> Result<()> {
    let mut lanes = records_of(tape)?;
    let is_changed = lanes.iter_mut().flatten().any(change);
    anyhow::ensure!(is_changed, "no record of {} can be changed so", tape.display());
    let tape = TapeReader::open(tape)?;
    let facts = tape.facts();
    write_tape(to, (facts.pool_bytes, facts.pool_checksum), &lanes)
}
