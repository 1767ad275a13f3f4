//! What a driver says is acknowledged while it writes, and what it lists in a store that was killed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bakeoff_protocol::{Crash, Durability, Event, Request};
use bakeoff_tape::{Acknowledged, Batch, InventoryEntry, Measure, Operation, PhaseSpec, Pool, flags, read_inventories};

use crate::check_driver::bench::{Bench, Recorded, mixed, records_of, write_tape};
use crate::check_driver::judge::shown;
use crate::check_driver::recovery::kept_levels;
use crate::check_driver::requests;
use crate::check_driver::verdict::{Checked, Stop};
use crate::power_cut::history::{History, Value, Write};
use crate::power_cut::judge::{Promises, judge};

const LANES: u32 = 2;

/// Operations of the phase in which the driver is killed: far more than it does until then.
const WRITES: u64 = 20_000;

/// It is killed when so much of the first lane is acknowledged. A load has 150 records of each lane.
const ENOUGH: u64 = 200;

/// Requests that must be refused.
pub(super) fn refused(bench: &Bench<'_>) -> Checked {
    is_claimed(bench)?;
    requests::group(bench, "power-cuts")?;
    type Content = fn(u64) -> Vec<u8>;
    let cases: [(&str, Content); 3] = [
        ("a file for acknowledgements with no slot for the lane", |_| vec![0; 64]),
        ("a file for acknowledgements with a slot too many", |bytes| vec![0; bytes as usize + 64]),
        ("a file for acknowledgements that was used", |bytes| vec![1; bytes as usize]),
    ];
    for (case, content) in cases {
        requests::changed(bench, case, &|request| {
            let path = request.directory.with_file_name("acknowledged");
            // That it cannot be written shows at once: it is not there then, which is refused too.
            let _ = std::fs::write(&path, content(Acknowledged::file_bytes(request.hints.threads)));
            request.acknowledged = Some(path);
        })?;
    }
    requests::changed(bench, "an inventory inside the store's directory", &|request| {
        (request.crash, request.verify, request.phases) = (Some(Crash::Recover), None, Vec::new());
        request.inventory = Some(request.directory.join("inventory"));
    })
}

fn is_claimed(bench: &Bench<'_>) -> Checked {
    match bench.driver.power_cuts {
        true => Ok(()),
        false => Err(Stop::NotOffered("the driver does not say `power_cuts`".to_owned())),
    }
}

/// Of a driver that dies after its phases, each lane's slot has the number of its writes and commits.
pub(super) fn acknowledged(bench: &Bench<'_>) -> Checked {
    is_claimed(bench)?;
    let writes = [(Operation::Update, 0.4), (Operation::Upsert, 0.2), (Operation::Delete, 0.2), (Operation::Get, 0.2)];
    let by_block = PhaseSpec { measure: Measure::Throughput, ..mixed("by-block", writes, 300) };
    let mut phases = vec![mixed("writes", writes, 300), by_block];
    if bench.store.capabilities.batch {
        let writes = [(Operation::Update, 0.6), (Operation::Delete, 0.4)];
        phases.push(PhaseSpec { batch: Batch::Writes(7), ..mixed("batches", writes, 150) });
    }
    let recorded = bench.record(phases, LANES)?;
    let mut request = bench.request(&recorded)?;
    request.crash = Some(Crash::Die);
    let file = acknowledging(&mut request)?;
    let answer = bench.ask(&request)?;
    let events = answer.events().map_err(|what| Stop::broken("events", what))?;
    if events.last() != Some(&Event::Dying) {
        return Err(Stop::broken("`dying` as the last event", shown(&answer)));
    }
    if !file.is_open() {
        return Err(Stop::broken("1 in the first slot once the store is open", "0"));
    }
    counts(&file, &History::read(&request.phases, &Pool::open(&request.pool)?, LANES)?, "")?;
    let path = request.acknowledged.unwrap_or_default();
    let bytes = std::fs::read(path)?;
    let is_used = |(at, byte): (usize, &u8)| *byte != 0 && at % 64 >= 8;
    match bytes.iter().enumerate().any(is_used) {
        true => Err(Stop::broken("zeros after the first 8 bytes of each slot", "others")),
        false => Ok(()),
    }
}

/// Each lane's slot has the number of what the lane wrote.
fn counts(file: &Acknowledged, history: &History, when: &str) -> Checked {
    for (lane, written) in (0..).zip(&history.lanes) {
        let (expected, found) = (written.writes.len() as u64, file.count(lane));
        if found != expected {
            let expected = format!("{expected} writes and commits of lane {lane} in its slot{when}");
            return Err(Stop::broken(expected, found.to_string()));
        }
    }
    Ok(())
}

/// Gives a request a file for acknowledgements.
fn acknowledging(request: &mut Request) -> Checked<Acknowledged> {
    let path = beside(request, if request.crash == Some(Crash::Recover) { "further" } else { "acknowledged" });
    let file = Acknowledged::create(&path, request.hints.threads)?;
    request.acknowledged = Some(path);
    Ok(file)
}

fn beside(request: &Request, name: &str) -> PathBuf {
    request.directory.with_file_name(name)
}

/// A driver that is killed while it writes leaves what is acknowledged, and perhaps what was under way; a second process lists it,
/// writes more, and lists that.
pub(super) fn inventory(bench: &Bench<'_>) -> Checked {
    is_claimed(bench)?;
    for level in kept_levels(bench)? {
        for batch in [Batch::Each, Batch::Writes(10)] {
            let is_offered = batch == Batch::Each || bench.store.capabilities.batch;
            let case = format!("durability {level}{}", if batch == Batch::Each { "" } else { ", in batches" });
            if is_offered {
                killed(bench, level, batch).map_err(|stop| stop.of_case(&case))?;
            }
        }
    }
    Ok(())
}

fn killed(bench: &Bench<'_>, level: Durability, batch: Batch) -> Checked {
    let writes = [(Operation::Update, 0.4), (Operation::Delete, 0.2), (Operation::Insert, 0.4)];
    let recorded = bench.record(vec![PhaseSpec { batch, ..mixed("write", writes, WRITES) }], LANES)?;
    let mut request = bench.request(&recorded)?;
    (request.durability, request.verify) = (level, None);
    let file = acknowledging(&mut request)?;
    let answer = bench.ask_while(&request, &|| file.count(0) < ENOUGH)?;
    if answer.is_late || answer.status.is_some_and(|status| !status.success()) {
        return Err(Stop::broken("a driver that writes until it is killed", shown(&answer)));
    }
    let pool = Pool::open(&request.pool)?;
    let history = History::read(&request.phases, &pool, LANES)?;
    let further = further_tape(bench, &recorded)?;
    request.phases =
        vec![bakeoff_protocol::PhaseRequest { batched: false, tape: further, ..request.phases[0].clone() }];
    (request.crash, request.inventory) = (Some(Crash::Recover), Some(beside(&request, "inventory")));
    let more = acknowledging(&mut request)?;
    let content = listed(bench, &request)?;
    let inventories = read_inventories(&content).map_err(|why| Stop::broken("inventories", why.to_string()))?;
    let [recovered, again] = &inventories[..] else {
        return Err(Stop::broken("two inventories", format!("{}", inventories.len())));
    };
    let acknowledged: Vec<u64> = (0..LANES).map(|lane| file.count(lane)).collect();
    for (lane, (count, written)) in acknowledged.iter().zip(&history.lanes).enumerate() {
        let most = written.writes.len();
        if *count > most as u64 {
            return Err(Stop::broken(format!("at most {most} writes and commits of lane {lane}"), count.to_string()));
        }
    }
    let promises =
        Promises { ordered: bench.store.capabilities.scan_ordered, atomic: bench.store.batch_is_atomic(level) };
    let judged = judge(&history, &acknowledged, recovered, promises);
    if !judged.verdict.is_kept() {
        let expected = "of each lane what is acknowledged, or that and the next write or batch";
        return Err(Stop::broken(expected, judged.message));
    }
    let further = History::read(&request.phases, &pool, LANES)?;
    counts(&more, &further, " after the recovery")?;
    let mut state = state_of(recovered)?;
    for write in further.lanes.iter().flat_map(|lane| &lane.writes) {
        if let Write::Put(number, value) = write {
            let key = further.keys[*number].0.clone();
            match value {
                Some(value) => drop(state.insert(key, *value)),
                None => drop(state.remove(&key)),
            }
        }
    }
    let expected = "after closing and opening again what was listed before, with what was written since";
    if state_of(again)? != state {
        return Err(Stop::broken(expected, format!("{} entries, or others", again.len())));
    }
    Ok(())
}

/// A tape that writes what a load does, with its inserts as upserts. So it does not depend on what the store has.
fn further_tape(bench: &Bench<'_>, recorded: &Recorded) -> Checked<PathBuf> {
    let pool = Pool::open(&recorded.recording.pool)?;
    let load = recorded.recording.phases.first().map(|phase| phase.path.clone()).unwrap_or_default();
    let mut lanes = records_of(&load)?;
    for record in lanes.iter_mut().flatten().filter(|record| record.operation == Operation::Insert) {
        (record.operation, record.flags) = (Operation::Upsert, record.flags & flags::UNTIMED);
    }
    let path = bench.directory().join("further.tape");
    write_tape(&path, (pool.bytes(), pool.checksum()), &lanes)?;
    Ok(path)
}

/// Has a store listed; the content of the file, in which the events' numbers of entries are found again.
fn listed(bench: &Bench<'_>, request: &Request) -> Checked<Vec<u8>> {
    let answer = bench.ask(request)?;
    let expected = "`opened`, `inventory`, the phase, `inventory`, `finished`, and exit status 0";
    let events = answer.events().map_err(|what| Stop::broken(expected, what))?;
    let events: Vec<_> = events.into_iter().filter(|event| !matches!(event, Event::Progress(_))).collect();
    let [Event::Opened(_), Event::Inventory(first), Event::Phase(_), Event::Inventory(second), Event::Finished(_)] =
        &events[..]
    else {
        return Err(Stop::broken(expected, shown(&answer)));
    };
    if !answer.status.is_some_and(|status| status.success()) {
        return Err(Stop::broken(expected, shown(&answer)));
    }
    let content = std::fs::read(request.inventory.as_deref().unwrap_or(Path::new("")))?;
    let inventories = read_inventories(&content).map_err(|why| Stop::broken("inventories", why.to_string()))?;
    let entries: Vec<_> = inventories.iter().map(|inventory| inventory.len() as u64).collect();
    if entries != [first.entries, second.entries] {
        let expected = format!("inventories of {} and {} entries, as the events say", first.entries, second.entries);
        return Err(Stop::broken(expected, format!("{entries:?}")));
    }
    let is_sorted = |inventory: &[InventoryEntry<'_>]| inventory.is_sorted_by(|a, b| a.key < b.key);
    if bench.store.capabilities.scan_ordered && !inventories.iter().all(|inventory| is_sorted(inventory)) {
        return Err(Stop::broken("inventories in key order, as the store has `scan_ordered`", "another order"));
    }
    Ok(content)
}

/// Length and checksum of each key's value.
type State = BTreeMap<Vec<u8>, Value>;

fn state_of(inventory: &[InventoryEntry<'_>]) -> Checked<State> {
    let mut state = State::new();
    for InventoryEntry { key, value_bytes, value_checksum } in inventory {
        if state.insert(key.to_vec(), (*value_bytes, *value_checksum)).is_some() {
            return Err(Stop::broken("each key once", format!("twice: {}", key.escape_ascii())));
        }
    }
    Ok(state)
}
