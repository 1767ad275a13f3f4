//! Tapes whose answers are wrong, with all checksums right: a driver that compares answers finds each.

use bakeoff_protocol::{Event, FailureKind};
use bakeoff_tape::{Consumer, Operation, PhaseSpec, flags};

use crate::check_driver::bench::{Bench, OwnedRecord, changed, phase};
use crate::check_driver::judge::failed;
use crate::check_driver::verdict::{Checked, Stop};
use crate::drivers::process::Answer;

/// What failures call the comparison at the end.
const VERIFY: &str = "verify";

/// One wrong answer: its name, and a function that spoils a record. It returns false for records that cannot be spoiled so.
type Wrong = (&'static str, fn(&mut OwnedRecord) -> bool);

/// Asks for a phase each of whose wrong answers must be found in it.
fn found(bench: &Bench<'_>, spec: PhaseSpec, wrong: &[Wrong]) -> Checked {
    bench.needs_data()?;
    let name = spec.name.clone();
    let recorded = bench.record(vec![spec], 1)?;
    for (case, change) in wrong {
        let mut request = bench.request(&recorded)?;
        let tape = bench.directory().join(format!("{case}.tape"));
        changed(&request.phases[1].tape, &tape, change)?;
        request.phases[1].tape = tape;
        let answer = bench.ask(&request)?;
        caught(&answer, &name).map_err(|stop| stop.of_case(case))?;
    }
    Ok(())
}

/// Whether the driver said that an answer in a phase is wrong.
fn caught(answer: &Answer, name: &str) -> Checked {
    match failed(answer, &[FailureKind::WrongAnswer])?.last() {
        Some(Event::Failed { phase, .. }) if phase.as_deref() != Some(name) => {
            Err(Stop::broken(format!("`failed` in the phase {name}"), format!("in the phase {phase:?}")))
        }
        _ => Ok(()),
    }
}

fn is_found(record: &OwnedRecord) -> bool {
    record.operation == Operation::Get && record.flags & flags::FOUND != 0
}

pub(super) fn gets(bench: &Bench<'_>) -> Checked {
    let spec = PhaseSpec { missing: 0.3, ..phase("get", Operation::Get, 300) };
    found(
        bench,
        spec,
        &[
            ("the value of another key", |record| {
                let is_one = is_found(record) && record.value_offset > 0;
                record.value_offset -= u64::from(is_one);
                is_one
            }),
            ("a shorter value", |record| {
                let is_one = is_found(record);
                record.value_bytes -= u32::from(is_one);
                is_one
            }),
            ("nothing where there is a value", |record| {
                let is_one = is_found(record);
                if is_one {
                    (record.flags, record.value_bytes, record.value_offset) = (record.flags & !flags::FOUND, 0, 0);
                }
                is_one
            }),
            ("a value where there is nothing", |record| {
                let is_one = record.operation == Operation::Get && record.flags & flags::FOUND == 0;
                if is_one {
                    (record.flags, record.value_bytes) = (record.flags | flags::FOUND, 9);
                }
                is_one
            }),
            ("an empty value where there is nothing", |record| {
                let is_one = record.operation == Operation::Get && record.flags & flags::FOUND == 0;
                if is_one {
                    record.flags |= flags::FOUND;
                }
                is_one
            }),
        ],
    )
}

/// What can be wrong with a scan.
const SCANS: &[Wrong] = &[
    ("an entry less", |record| {
        let Some(scan) = record.scan.as_mut().filter(|scan| scan.entries > 1) else { return false };
        scan.entries -= 1;
        true
    }),
    ("a byte more", |record| {
        let Some(scan) = record.scan.as_mut().filter(|scan| scan.entries > 1) else { return false };
        scan.bytes += 1;
        true
    }),
    ("other content", |record| {
        let Some(scan) = record.scan.as_mut().filter(|scan| scan.entries > 1) else { return false };
        scan.checksum ^= 1;
        true
    }),
];

/// The same of a scan whose content is not looked at.
const COUNTS: &[Wrong] = SCANS.split_at(2).0;

pub(super) fn scans(bench: &Bench<'_>) -> Checked {
    let scan = |consumer| PhaseSpec { consumer, ..phase("scan", Operation::Scan, 40) };
    found(bench, scan(Consumer::Touch), SCANS)?;
    found(bench, scan(Consumer::Count), COUNTS)?;
    found(bench, scan(Consumer::Crc32), SCANS)
}

pub(super) fn whole_scans(bench: &Bench<'_>) -> Checked {
    let any_order = !bench.store.capabilities.scan_ordered;
    let scan = |consumer| PhaseSpec { consumer, any_order, ..phase("scan", Operation::ScanAll, 2) };
    found(bench, scan(Consumer::Touch), SCANS)?;
    found(bench, scan(Consumer::Xxh64), SCANS)
}

/// What is compared after closing and opening again.
pub(super) fn content(bench: &Bench<'_>) -> Checked {
    bench.needs_data()?;
    if !bench.can_list() {
        return Err(Stop::NotOffered("it does not list what is in it".to_owned()));
    }
    let recorded = bench.record(Vec::new(), 1)?;
    for (case, change) in SCANS {
        let mut request = bench.request(&recorded)?;
        let tape = bench.directory().join(format!("{case}.tape"));
        changed(&recorded.recording.verify, &tape, change)?;
        request.verify = Some(tape);
        let answer = bench.ask(&request)?;
        caught(&answer, VERIFY).map_err(|stop| stop.of_case(case))?;
    }
    Ok(())
}
