//! What a store says that it can do, done: runs to their end, whose figures are those of the tapes.

use bakeoff_measure::Medium;
use bakeoff_protocol::{FailureKind, Request};
use bakeoff_tape::{Access, Batch, Consumer, Measure, OpenLoop, Operation, PhaseSpec, Role, Seal};

use crate::cell::cold::Gates;
use crate::check_driver::bench::{Bench, changed, mixed, phase, records_of};
use crate::check_driver::judge::{Run, failed, finished, in_order};
use crate::check_driver::verdict::{Checked, Stop};

/// Runs a load and these phases to their end; `change` alters the request.
fn runs(bench: &Bench<'_>, phases: Vec<PhaseSpec>, lanes: u32, change: &dyn Fn(&mut Request)) -> Checked<Run> {
    let recorded = bench.record(phases, lanes)?;
    let mut request = bench.request(&recorded)?;
    change(&mut request);
    let answer = bench.ask(&request)?;
    finished(&answer, &request, &recorded, bench.store)
}

fn as_it_is(_: &mut Request) {}

/// Gets of keys that are there and that are not, timed one by one and by block.
pub(super) fn reads(bench: &Bench<'_>) -> Checked {
    let get = || PhaseSpec { missing: 0.2, ..phase("get", Operation::Get, 400) };
    let by_block = PhaseSpec { name: "get-by-block".to_owned(), measure: Measure::Throughput, ..get() };
    let latest = PhaseSpec { name: "hot".to_owned(), access: Access::Zipfian { theta: 0.99 }, ..get() };
    runs(bench, vec![get(), by_block, latest], 1, &as_it_is).map(drop)
}

/// Tapes and the pool stay as they are, for the drivers that come after.
pub(super) fn files_kept(bench: &Bench<'_>) -> Checked {
    let recorded = bench.record(vec![phase("get", Operation::Get, 100)], 1)?;
    let request = bench.request(&recorded)?;
    let seal = Seal::new(recorded.recording.files(), false)?;
    let answer = bench.ask(&request)?;
    match seal.broken() {
        Some(file) => Err(Stop::broken("tapes and a pool as they were", format!("{} was changed", file.display()))),
        None => finished(&answer, &request, &recorded, bench.store).map(drop),
    }
}

/// All kinds of writes, with reads among them.
pub(super) fn writes(bench: &Bench<'_>) -> Checked {
    let kinds = [
        (Operation::Insert, 0.2),
        (Operation::Update, 0.2),
        (Operation::Upsert, 0.2),
        (Operation::Get, 0.2),
        (Operation::Delete, 0.2),
    ];
    let by_block = PhaseSpec { measure: Measure::Throughput, ..mixed("mixed-by-block", kinds, 300) };
    let restored = PhaseSpec { restore: true, ..phase("delete", Operation::Delete, 50) };
    let load = |request: &mut Request| request.phases[0].mode = bakeoff_protocol::Mode::Latency;
    runs(bench, vec![mixed("mixed", kinds, 300), by_block, restored], 1, &load).map(drop)
}

/// Scans from a key, in one direction, with every consumer.
fn scans(bench: &Bench<'_>, reverse: bool) -> Checked {
    let scan = |consumer: Consumer| PhaseSpec {
        reverse,
        consumer,
        ..phase(&format!("scan-{}", consumer as u8), Operation::Scan, 60)
    };
    runs(bench, Consumer::ALL.into_iter().map(scan).collect(), 1, &as_it_is).map(drop)
}

pub(super) fn scans_forward(bench: &Bench<'_>) -> Checked {
    scans(bench, false)
}

pub(super) fn scans_reverse(bench: &Bench<'_>) -> Checked {
    scans(bench, true)
}

/// Scans of a prefix and first entries, while the first ones are deleted.
pub(super) fn prefixes(bench: &Bench<'_>) -> Checked {
    let scan = |consumer: Consumer| PhaseSpec {
        consumer,
        prefix_bytes: 2,
        ..mixed(&format!("scan-{}", consumer as u8), [(Operation::ScanPrefix, 0.5), (Operation::First, 0.5)], 60)
    };
    let scans = Consumer::ALL.into_iter().map(scan);
    let queue = [(Operation::First, 0.4), (Operation::Delete, 0.3), (Operation::Insert, 0.3)];
    let queue = PhaseSpec { access: Access::Sequential, ..mixed("queue", queue, 100) };
    let last = PhaseSpec { reverse: true, ..phase("last", Operation::First, 10) };
    runs(bench, scans.chain([queue, last]).collect(), 1, &as_it_is).map(drop)
}

/// Existence checks of keys that are there and that are not.
pub(super) fn existence_checks(bench: &Bench<'_>) -> Checked {
    let exists = || PhaseSpec { missing: 0.4, ..phase("exists", Operation::Exists, 300) };
    let by_block = PhaseSpec { name: "exists-by-block".to_owned(), measure: Measure::Throughput, ..exists() };
    runs(bench, vec![exists(), by_block], 1, &as_it_is).map(drop)
}

/// Scans of everything in key order.
pub(super) fn scans_ordered(bench: &Bench<'_>) -> Checked {
    let scan = |consumer: Consumer, reverse| PhaseSpec {
        reverse,
        consumer,
        ..phase(&format!("scan-{}-{reverse}", consumer as u8), Operation::ScanAll, 2)
    };
    let both = Consumer::ALL.into_iter().flat_map(|consumer| [scan(consumer, false), scan(consumer, true)]);
    // Only stores that scan from a key scan backwards.
    let phases = both.filter(|phase| !phase.reverse || bench.store.capabilities.scan_from);
    runs(bench, phases.collect(), 1, &as_it_is).map(drop)
}

/// Scans of everything in any order.
pub(super) fn scans_any_order(bench: &Bench<'_>) -> Checked {
    let consumers = Consumer::ALL.into_iter().filter(|consumer| *consumer != Consumer::Copy);
    let scan = |consumer: Consumer| PhaseSpec {
        any_order: true,
        consumer,
        ..phase(&format!("scan-{}", consumer as u8), Operation::ScanAll, 2)
    };
    runs(bench, consumers.map(scan).collect(), 1, &as_it_is).map(drop)
}

/// Scans that the store does not offer come to no end that is good.
pub(super) fn other_scans(bench: &Bench<'_>) -> Checked {
    let can = &bench.store.capabilities;
    let ordered = phase("scan", Operation::ScanAll, 1);
    let asked = [
        (can.scan_from, phase("scan", Operation::Scan, 10)),
        (can.scan_ordered, ordered.clone()),
        (can.scan_any_order || can.scan_ordered, PhaseSpec { any_order: true, ..ordered }),
    ];
    let not_offered: Vec<_> = asked.into_iter().filter(|(is_offered, _)| !is_offered).collect();
    if not_offered.is_empty() {
        return Err(Stop::NotOffered("it offers every scan".to_owned()));
    }
    for (_, scan) in not_offered {
        let recorded = bench.record_anyway(vec![scan], 1)?;
        let request = bench.request(&recorded)?;
        let answer = bench.ask(&request)?;
        failed(&answer, &[FailureKind::BadRequest, FailureKind::StoreError])?;
    }
    Ok(())
}

/// Batches of writes, and one over a whole load.
pub(super) fn batches(bench: &Bench<'_>) -> Checked {
    let writes = [(Operation::Update, 0.5), (Operation::Delete, 0.25), (Operation::Insert, 0.25)];
    let some = PhaseSpec { batch: Batch::Writes(7), ..mixed("some", writes, 100) };
    let all = PhaseSpec { batch: Batch::All, measure: Measure::Throughput, ..mixed("all", writes, 100) };
    runs(bench, vec![some, all], 1, &as_it_is).map(drop)
}

/// Reads of what an open batch wrote.
pub(super) fn batch_reads(bench: &Bench<'_>) -> Checked {
    let kinds = [(Operation::Update, 0.4), (Operation::Get, 0.4), (Operation::Insert, 0.2)];
    let phase =
        PhaseSpec { batch: Batch::Writes(20), access: Access::Zipfian { theta: 0.99 }, ..mixed("batch", kinds, 300) };
    runs(bench, vec![phase], 1, &as_it_is).map(drop)
}

/// An insert of a key that is there is an error.
pub(super) fn insert_refuses(bench: &Bench<'_>) -> Checked {
    if !bench.store.capabilities.insert_refuses {
        return Err(Stop::NotOffered("it does not look whether a key is there".to_owned()));
    }
    let mut request = bench.load()?;
    let twice = bench.directory().join("twice.tape");
    let load = request.phases[0].tape.clone();
    let first = records_of(&load)?.into_iter().flatten().next().map(|record| record.key).unwrap_or_default();
    changed(&load, &twice, &|record| {
        let is_another = record.key != first;
        record.key.clone_from(&first);
        is_another
    })?;
    request.phases[0].tape = twice;
    let answer = bench.ask(&request)?;
    failed(&answer, &[FailureKind::StoreError]).map(drop)
}

/// Two threads at once.
pub(super) fn threads(bench: &Bench<'_>) -> Checked {
    let kinds = [(Operation::Update, 0.4), (Operation::Get, 0.4), (Operation::Insert, 0.2)];
    let get = PhaseSpec { missing: 0.1, ..phase("get", Operation::Get, 600) };
    runs(bench, vec![get, mixed("mixed", kinds, 300)], 2, &as_it_is).map(drop)
}

/// Gets and scans of records whose values another thread replaces.
pub(super) fn beside_writes(bench: &Bench<'_>) -> Checked {
    let can = &bench.store.capabilities;
    let role = |kind: Operation| Role { threads: 1, share: 1.0, mix: [(kind, 1.0)].into() };
    let beside = |name: &str, kind: Operation| {
        let phase = PhaseSpec { shared: true, consumer: Consumer::Keys, ..phase(name, kind, 800) };
        phase.in_roles(vec![role(kind), role(Operation::Update)])
    };
    let whole =
        PhaseSpec { any_order: !can.scan_ordered, operations: Some(40), ..beside("scan-all", Operation::ScanAll) };
    let scans = [(can.scan_from, beside("scan", Operation::Scan)), (can.scan_any_order || can.scan_ordered, whole)];
    let scans = scans.into_iter().filter(|(is_offered, _)| *is_offered).map(|(_, scan)| scan);
    runs(bench, std::iter::once(beside("get", Operation::Get)).chain(scans).collect(), 2, &as_it_is).map(drop)
}

/// A driver refuses what there is no ability for, or does it.
fn done_or_refused(bench: &Bench<'_>, spec: PhaseSpec) -> Checked<Option<Run>> {
    let recorded = bench.record(vec![spec], 1)?;
    let request = bench.request(&recorded)?;
    let answer = bench.ask(&request)?;
    if failed(&answer, &[FailureKind::BadRequest]).is_ok() {
        return Err(Stop::NotOffered("the driver refuses it, as it may".to_owned()));
    }
    finished(&answer, &request, &recorded, bench.store).map(Some)
}

/// An open loop: operations at their times.
pub(super) fn open_loop(bench: &Bench<'_>) -> Checked {
    let open_loop = Some(OpenLoop::Fixed { per_second: 2_000.0 });
    let Some(run) = done_or_refused(bench, PhaseSpec { open_loop, ..phase("get", Operation::Get, 200) })? else {
        return Ok(());
    };
    match run.phases.last().and_then(|phase| phase.open_loop) {
        Some(open_loop) if (open_loop.speed - 1.0).abs() < 1e-9 => Ok(()),
        found => Err(Stop::broken("`open_loop` with speed 1", format!("{found:?}"))),
    }
}

/// A warm-up until the rate is steady.
pub(super) fn steady(bench: &Bench<'_>) -> Checked {
    done_or_refused(bench, PhaseSpec { steady_within: Some(0.5), ..phase("get", Operation::Get, 2_000) }).map(drop)
}

/// Waiting for background work is done, or left out.
pub(super) fn settle(bench: &Bench<'_>) -> Checked {
    runs(bench, vec![PhaseSpec { settle: true, ..phase("get", Operation::Get, 100) }], 1, &as_it_is).map(drop)
}

/// Closing the store before a phase and opening it again.
pub(super) fn reopen(bench: &Bench<'_>) -> Checked {
    bench.needs_data()?;
    let run = runs(bench, vec![PhaseSpec { reopen: true, ..phase("get", Operation::Get, 300) }], 1, &as_it_is)?;
    match run.phases.last().and_then(|phase| phase.reopen_ns) {
        Some(_) => Ok(()),
        None => Err(Stop::broken("`reopen_ns` of the phase that asks to `reopen`", "none")),
    }
}

/// Waiting at a gate between closing the store and opening it again.
pub(super) fn gate(bench: &Bench<'_>) -> Checked {
    bench.needs_data()?;
    let cold = PhaseSpec { reopen: true, cold: true, ..phase("get", Operation::Get, 300) };
    let recorded = bench.record(vec![cold], 1)?;
    let mut request = bench.request(&recorded)?;
    let gates = Gates::put(&recorded.workload.phases, &mut request)?;
    let answer = bench.ask(&request)?;
    finished(&answer, &request, &recorded, bench.store)?;
    let passed = request.phases.iter().try_for_each(|phase| gates.passed(phase).map(drop));
    match passed {
        // On a file system in memory nothing can be dropped.
        Err((FailureKind::Medium, _)) if Medium::read(bench.directory()).is_memory() => Ok(()),
        Err((_, what)) => {
            Err(Stop::broken("the store closed while the driver reads `gate`, and not opened before its end", what))
        }
        Ok(()) => Ok(()),
    }
}

/// A compacted copy, where asked for.
pub(super) fn compacted_copy(bench: &Bench<'_>) -> Checked {
    if !bench.store.capabilities.compacted_copy {
        return Err(Stop::NotOffered("it makes no compacted copy".to_owned()));
    }
    // Of a store that keeps nothing nothing is verified, and so no copy reported.
    bench.needs_data()?;
    let copy = |request: &mut Request| request.compacted_copy = Some(request.directory.with_file_name("copy"));
    let run = runs(bench, vec![phase("delete", Operation::Delete, 100)], 1, &copy)?;
    match run.verified.and_then(|verified| verified.compacted_copy) {
        Some(_) => Ok(()),
        None => Err(Stop::broken("`verified` with `compacted_copy`", "none")),
    }
}

/// The profiles that the driver makes itself.
pub(super) fn profile(bench: &Bench<'_>) -> Checked {
    if bench.driver.profiles.is_empty() {
        return Err(Stop::NotOffered("the driver makes no profiles".to_owned()));
    }
    for kind in bench.driver.profiles.iter().copied() {
        let recorded = bench.record(vec![phase("get", Operation::Get, 2_000)], 1)?;
        let mut request = bench.request(&recorded)?;
        let file = request.directory.with_file_name("profile");
        let profile = bakeoff_protocol::ProfileRequest { kind, file: file.clone() };
        let trouble = profile.trouble();
        request.profile = Some(profile);
        let answer = bench.ask(&request)?;
        in_order(&answer, &request)?;
        if !file.exists() && !trouble.exists() {
            let expected =
                format!("a profile of the kind {kind}, or the file with `.trouble` that says why there is none");
            return Err(Stop::broken(expected, "neither"));
        }
    }
    Ok(())
}
