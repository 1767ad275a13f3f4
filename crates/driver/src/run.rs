//! One request from beginning to end: open, phases, close, open again, compare.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use bakeoff_limits::join;
use bakeoff_measure::{Clock, DeviceId, die, disk_usage, page_cache_bytes, rss_bytes};
use bakeoff_protocol::{
    BackgroundWork, Capabilities, CompactedCopy, Crash, Durability, Event, FailureKind, Finished, Opened, PhaseResult,
    Request, Verified,
};
use bakeoff_store::{Entry, OpenRequest, Store, flush_directories, resolve_settings};
use bakeoff_tape::{Acknowledged, LaneNeeds, Operation, Pool, TapeReader};

use crate::buffers::Buffers;
use crate::emit::Emitter;
use crate::failure::Failure;
use crate::inventory::InventoryFile;
use crate::phase::{Stage, begin_progress, check_unchanged, lanes_of, replay, run_phase, verify_request};
use crate::request::{check_new, open_acknowledged};

/// Stack of the replay itself, without the store's, several times over.
const STACK_BYTES: usize = 64 << 10;

/// What failures call the comparison at the end.
const VERIFY: &str = "verify";

/// Does what a request asks for and emits an event for each step.
pub(crate) fn run(request: &Request, stores: &[Entry], emitter: &Emitter) -> Result<Finished, Failure> {
    let ended = catch_unwind(AssertUnwindSafe(|| run_request(request, stores, emitter)));
    ended.unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)))
}

fn run_request(request: &Request, stores: &[Entry], emitter: &Emitter) -> Result<Finished, Failure> {
    let case = Case::prepare(request, stores)?;
    let needs = (0..request.hints.threads as usize).map(|lane| case.needs.get(lane).copied().unwrap_or_default());
    let values = request.hints.value_bytes_max.min(case.pool.bytes());
    let mut buffers = needs.map(|needs| Buffers::new(needs, values)).collect::<Result<Vec<_>, _>>()?;
    let inventory = request.inventory.as_deref().map(|path| InventoryFile::create(path, &case.can)).transpose()?;
    let (mut store, open_ns) = case.open_to_write()?;
    case.acknowledged.iter().for_each(Acknowledged::set_open);
    touch_stack();
    let rss_baseline_bytes = rss_bytes();
    let stage = Stage {
        pool: &case.pool,
        clock: &case.clock,
        check: case.can.keeps_data,
        device: DeviceId::of(&request.directory),
        rss_baseline_bytes,
        emitter,
        acknowledged: case.acknowledged.as_ref(),
    };
    let verify = case.verify.as_ref().filter(|_| case.can.keeps_data);
    if request.crash == Some(Crash::Recover) && inventory.is_none() {
        if let Some(tape) = verify {
            let entries = compare(&stage, &*store, tape, &mut buffers, "after it was killed and opened again")?;
            emitter.emit(&Event::Verified(Verified { reopen_ns: open_ns, entries, compacted_copy: None }));
        }
        return close(store, &request.directory);
    }
    emitter.emit(&Event::Opened(Opened {
        version: case.version.clone(),
        open_ns,
        rss_baseline_bytes,
        clock: case.clock.name().to_owned(),
        clock_pair_ns: case.clock.pair_ns(),
        settings: case.settings.clone().into_iter().chain(store.chosen()).collect(),
        runtime: None,
    }));
    inventory.iter().try_for_each(|inventory| inventory.add(&*store, emitter))?;
    for (phase, tape) in request.phases.iter().zip(&case.tapes) {
        let in_phase = |failure: Failure| failure.in_phase(&phase.name);
        let mut reopen_ns = None;
        if phase.reopen && case.can.keeps_data {
            store.close().map_err(|error| in_phase(Failure::from_store("close", &error)))?;
            phase.gate.as_deref().map_or(Ok(()), wait_at).map_err(in_phase)?;
            let (again, open_ns) = case.open_to_write().map_err(in_phase)?;
            (store, reopen_ns) = (again, Some(open_ns));
        }
        let result = run_phase(&stage, &*store, phase, tape, &mut buffers).map_err(in_phase)?;
        let with_disk = |work| BackgroundWork { disk: disk_usage(&request.directory).ok(), ..work };
        let background_work = result.background_work.map(with_disk);
        emitter.emit(&Event::Phase(Box::new(PhaseResult { reopen_ns, background_work, ..result })));
    }
    if request.crash == Some(Crash::Die) {
        emitter.emit(&Event::Dying);
        die();
    }
    let finished = close(store, &request.directory)?;
    if let Some(inventory) = inventory {
        inventory.add_again(|| case.open().map(|(store, _)| store), emitter)?;
    }
    if let Some(tape) = verify {
        let (store, reopen_ns) = case.open().map_err(|failure| failure.in_phase(VERIFY))?;
        let entries = compare(&stage, &*store, tape, &mut buffers, "after closing and opening again")?;
        let copy = request.compacted_copy.as_deref().map(|copy| (copy, copy_compacted(&*store, copy)));
        store.close().map_err(|error| Failure::from_store("close", &error).in_phase(VERIFY))?;
        let compacted_copy = match copy {
            Some((directory, copied)) => {
                let copied = copied.map_err(|failure| failure.in_phase(VERIFY))?;
                let (store, _) = case.open_in(directory).map_err(|failure| failure.in_phase(VERIFY))?;
                compare(&stage, &*store, tape, &mut buffers, "in the compacted copy")?;
                store.close().map_err(|error| Failure::from_store("close", &error).in_phase(VERIFY))?;
                Some(copied)
            }
            None => None,
        };
        emitter.emit(&Event::Verified(Verified { reopen_ns, entries, compacted_copy }));
    }
    Ok(finished)
}

/// Has the kernel give this thread, which replays the first lane, the stack it will need. Otherwise that happens in the first phase,
/// and costs more than replaying a hundred operations.
#[inline(never)]
fn touch_stack() {
    black_box([0_u8; STACK_BYTES]);
}

/// Everything a request names, found and checked.
struct Case<'a> {
    request: &'a Request,
    entry: Entry,
    version: String,
    can: Capabilities,
    settings: bakeoff_protocol::Settings,
    pool: Pool,
    /// The phases' tapes, each looked through.
    tapes: Vec<TapeReader>,
    verify: Option<TapeReader>,
    /// Of each lane, over all tapes.
    needs: Vec<LaneNeeds>,
    acknowledged: Option<Acknowledged>,
    clock: Clock,
}

impl<'a> Case<'a> {
    fn prepare(request: &'a Request, stores: &[Entry]) -> Result<Self, Failure> {
        let (entry, description) = stores
            .iter()
            .map(|entry| (*entry, (entry.describe)()))
            .find(|(_, description)| description.name == request.store)
            .ok_or_else(|| {
                Failure::bad_request(format!("no store `{}` here: `describe` lists the stores", request.store))
            })?;
        if !description.durability.contains_key(&request.durability) {
            return Err(Failure::bad_request(format!(
                "{} does not offer durability `{}`",
                request.store, request.durability
            )));
        }
        let settings = resolve_settings(&description, &request.settings)
            .map_err(|error| Failure::bad_request(format!("{}: {error}", request.store)))?;
        if request.compacted_copy.is_some() && !description.capabilities.compacted_copy {
            return Err(Failure::bad_request(format!(
                "the request is for a compacted copy, which {} does not make: leave out `compacted_copy`",
                request.store
            )));
        }
        let can = description.capabilities;
        if request.inventory.is_some() && !(can.keeps_data && (can.scan_ordered || can.scan_any_order)) {
            return Err(Failure::bad_request(format!(
                "the request is for an inventory, but {} cannot list what is in it: leave out `inventory`",
                request.store
            )));
        }
        check_new(request)?;
        let acknowledged = open_acknowledged(request)?;
        if request.crash != Some(Crash::Recover) {
            check_directory(&request.directory)?;
        }
        let pool = Pool::open(&request.pool).map_err(|error| Failure::bad_tape(error.to_string()))?;
        let mut needs: Vec<LaneNeeds> = Vec::new();
        let mut check = |path: &Path, lanes: usize| {
            let (tape, of_tape) = check_tape(path, request, &pool)?;
            check_lanes(path, of_tape.len(), lanes)?;
            needs.resize(needs.len().max(of_tape.len()), LaneNeeds::default());
            needs.iter_mut().zip(of_tape).for_each(|(needs, of_tape)| *needs = needs.or(of_tape));
            Ok(tape)
        };
        let threads = request.hints.threads as usize;
        let tapes = request.phases.iter().map(|phase| check(&phase.tape, threads)).collect::<Result<Vec<_>, _>>()?;
        for (phase, tape) in request.phases.iter().zip(&tapes).filter(|(phase, _)| phase.ascending) {
            check_ascending(&phase.name, tape)?;
        }
        let verify = request.verify.as_deref().map(|path| check(path, 1)).transpose()?;
        Ok(Self {
            request,
            entry,
            version: description.version,
            can,
            settings,
            pool,
            tapes,
            verify,
            needs,
            acknowledged,
            clock: Clock::new(),
        })
    }

    /// Opens the store and says how many nanoseconds that took.
    fn open(&self) -> Result<(Box<dyn Store>, u64), Failure> {
        self.open_in(&self.request.directory)
    }

    /// The same, and outside the clock flushes the names that this made or moved, where a write may be acknowledged when it is flushed.
    fn open_to_write(&self) -> Result<(Box<dyn Store>, u64), Failure> {
        let opened = self.open()?;
        if self.request.durability.includes(Durability::Consistent) {
            let flushed = flush_directories(&self.request.directory);
            flushed.map_err(|error| Failure::from_store("flushing the directory of the opened store", &error))?;
        }
        Ok(opened)
    }

    fn open_in(&self, directory: &Path) -> Result<(Box<dyn Store>, u64), Failure> {
        let begin = Instant::now();
        let store = (self.entry.open)(&OpenRequest {
            directory,
            durability: self.request.durability,
            settings: &self.settings,
            hints: &self.request.hints,
        })
        .map_err(|error| Failure::from_store("open", &error))?;
        Ok((store, elapsed_ns(begin)))
    }
}

/// A tape of a phase has a lane for each thread, and what is compared in the end one.
fn check_lanes(path: &Path, lanes: usize, threads: usize) -> Result<(), Failure> {
    match lanes == threads {
        true => Ok(()),
        false => Err(Failure::bad_request(format!(
            "{} has {lanes} lanes, but {threads} threads replay it: hints.threads is the number of lanes, 1 in the tape to verify",
            path.display()
        ))),
    }
}

/// Refuses a tape of an `ascending` phase that does more than insert in key order. Stores rely on that.
fn check_ascending(phase: &str, tape: &TapeReader) -> Result<(), Failure> {
    for mut lane in lanes_of(tape)? {
        let mut last: Option<Vec<u8>> = None;
        while let Some(block) = lane.next_block().map_err(|error| Failure::bad_tape(error.to_string()))? {
            for record in block.records().filter(|record| record.operation != Operation::Commit) {
                let follows = last.as_deref().is_none_or(|last| last < record.key);
                if record.operation != Operation::Insert || !follows {
                    let name = record.operation.name();
                    return Err(Failure::bad_request(format!(
                        "phase `{phase}` is ascending, but its tape has a {name} that does not continue inserts in ascending key order"
                    )));
                }
                let key = last.get_or_insert_default();
                key.clear();
                key.extend_from_slice(record.key);
            }
        }
    }
    Ok(())
}

/// A store starts from nothing: a directory with something in it may be someone's data.
fn check_directory(directory: &Path) -> Result<(), Failure> {
    let mut entries = std::fs::read_dir(directory)
        .map_err(|error| Failure::bad_request(format!("cannot read the directory {}: {error}", directory.display())))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(Failure::bad_request(format!(
            "the directory {} is not empty: give an empty one, nothing is ever cleared here",
            directory.display()
        ))),
    }
}

/// Opens a tape, which must be whole and made for this pool, before anything is measured. With what replaying its lanes
/// needs.
fn check_tape(path: &Path, request: &Request, pool: &Pool) -> Result<(TapeReader, Vec<LaneNeeds>), Failure> {
    let tape = TapeReader::open(path).map_err(|error| Failure::bad_tape(error.to_string()))?;
    let facts = tape.facts();
    if (facts.pool_bytes, facts.pool_checksum) != (pool.bytes(), pool.checksum()) {
        return Err(Failure::bad_tape(format!(
            "{} was made for another value pool: {} bytes with checksum {:016x}, but {} has {} bytes with checksum {:016x}; the tape or \
             the pool is damaged: record both again",
            path.display(),
            facts.pool_bytes,
            facts.pool_checksum,
            request.pool.display(),
            pool.bytes(),
            pool.checksum()
        )));
    }
    let needs = tape.check().map_err(|error| Failure::bad_tape(error.to_string()))?;
    Ok((tape, needs))
}

fn close(store: Box<dyn Store>, directory: &Path) -> Result<Finished, Failure> {
    // Side by side, since a store may have very many files.
    let (page_cache_bytes, disk_before_close) =
        join(|| page_cache_bytes(directory).ok(), || disk_usage(directory).ok());
    let store_properties = store.properties();
    let begin = Instant::now();
    store.close().map_err(|error| Failure::from_store("close", &error))?;
    let close_ns = elapsed_ns(begin);
    Ok(Finished {
        close_ns,
        disk_before_close,
        disk_after_close: disk_usage(directory).ok(),
        page_cache_bytes,
        store_properties,
    })
}

/// Reads a file to its end, which the caller ends when it has done with the closed store's files what it had to.
fn wait_at(gate: &Path) -> Result<(), Failure> {
    let read = std::fs::read(gate).map(drop);
    read.map_err(|error| Failure::bad_request(format!("cannot read the gate {}: {error}", gate.display())))
}

/// Has a store make a compacted copy of itself.
fn copy_compacted(store: &dyn Store, directory: &Path) -> Result<CompactedCopy, Failure> {
    std::fs::create_dir(directory)
        .map_err(|error| Failure::bad_request(format!("cannot make the directory {}: {error}", directory.display())))?;
    let failed = |error| Failure::from_store("the compacted copy", &error);
    let begin = Instant::now();
    store.compacted_copy(directory).map_err(failed)?;
    let copy_ns = elapsed_ns(begin);
    Ok(CompactedCopy { copy_ns, disk: disk_usage(directory).map_err(|error| failed(error.into()))? })
}

/// Compares everything in a store that was opened again with what must be there; gives the number of entries.
fn compare(
    stage: &Stage<'_>,
    store: &dyn Store,
    tape: &TapeReader,
    buffers: &mut [Buffers],
    when: &str,
) -> Result<u64, Failure> {
    let reporter = begin_progress(stage, VERIFY, tape);
    let outcome = lanes_of(tape)
        .and_then(|lanes| replay(stage, store, (&verify_request(), None), lanes, &mut buffers[..1], &reporter));
    let is_unchanged = |outcome| check_unchanged(tape).map(|()| outcome);
    let outcome = outcome.and_then(is_unchanged).map_err(|failure| failure.in_phase(VERIFY))?;
    match outcome.first_wrong {
        Some(first) => Err(Failure::new(FailureKind::WrongAnswer, format!("{when}: {first}")).in_phase(VERIFY)),
        None => Ok(outcome.entries()),
    }
}

fn elapsed_ns(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
