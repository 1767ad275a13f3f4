//! Phases that insert and delete more than there are records: inserts refill what deletes draw from.

use std::collections::BTreeSet;

use bakeoff_tape::{Access, KeyForm, Operation, PhaseSpec, flags};

use crate::common::{Owned, lanes_of, phase, recorded, workload};
use crate::replay::check_recording;

/// The kinds of access that choose among records of a store that turns over.
const ACCESSES: [Access; 7] = [
    Access::Sequential,
    Access::Insertion,
    Access::Uniform,
    Access::Zipfian { theta: 0.99 },
    Access::Latest { theta: 0.99 },
    Access::Hot { records: 0.1, operations: 0.9 },
    Access::Ranges { ranges: 5, range: [1.0, -0.1, 0.0, 0.0], key: [0.01, 0.4] },
];

fn log(access: Access, mix: &[(Operation, f64)]) -> PhaseSpec {
    PhaseSpec { operations: Some(6_000), access, ..phase("log", mix) }
}

/// The least and the most records of a lane in a phase that begins with `begin` of them.
fn alive(lane: &[Owned], begin: u64) -> (u64, u64) {
    let mut alive = begin;
    let counts: Vec<u64> = std::iter::once(begin)
        .chain(lane.iter().map(|record| {
            match record.operation {
                Operation::Insert => alive += 1,
                Operation::Delete => alive -= 1,
                _ => {}
            }
            alive
        }))
        .collect();
    (*counts.iter().min().unwrap(), *counts.iter().max().unwrap())
}

/// It was refused: "no record is left".
#[test]
fn a_queue_of_a_hundred_lasts_for_thousands_of_operations() {
    let queue = log(Access::Insertion, &[(Operation::Insert, 50.0), (Operation::Delete, 50.0)]);
    let workload = workload(KeyForm::Decimal, 100, vec![queue]);
    let lane = lanes_of(&workload, 1).remove(0);
    assert_eq!(lane.len(), 6_000);
    assert_eq!(alive(&lane, 100), (100, 101));
    let of = |kind| lane.iter().filter(move |record| record.operation == kind).map(|record| record.key.clone());
    let decimal = |range: std::ops::Range<u32>| range.map(|index| format!("{index:016}").into_bytes());
    assert!(of(Operation::Insert).eq(decimal(100..3_100)), "inserts go on where the load ended");
    assert!(of(Operation::Delete).eq(decimal(0..3_000)), "deletes take the oldest");
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(&workload, directory.path()).unwrap();
    check_recording(&workload, &recording);
    let hints = recording.hints;
    assert_eq!((hints.records_max, hints.records_inserted), (101, 3_100), "{hints:?}");
}

#[test]
fn every_access_and_lane_turns_over_with_right_answers() {
    let mixes: [&[(Operation, f64)]; 3] = [
        &[(Operation::Insert, 1.0), (Operation::Delete, 1.0)],
        &[(Operation::Get, 2.0), (Operation::Insert, 1.0), (Operation::Update, 1.0), (Operation::Delete, 1.0)],
        &[(Operation::Get, 5.0), (Operation::Insert, 2.0), (Operation::Delete, 1.0)],
    ];
    for key in [KeyForm::Sha1, KeyForm::Decimal] {
        for (access, mix) in ACCESSES.into_iter().flat_map(|access| mixes.map(|mix| (access, mix))) {
            let mut workload = workload(key, 101, vec![log(access, mix)]);
            workload.lanes = 2;
            let directory = tempfile::tempdir().unwrap();
            let recording = recorded(&workload, directory.path()).unwrap();
            check_recording(&workload, &recording);
            for (lane, begin) in lanes_of(&workload, 1).iter().zip([51, 50]) {
                let (least, most) = alive(lane, begin);
                let grows = mix.len() == 3;
                assert!(
                    least == begin && if grows { most > 400 } else { most == begin + 1 },
                    "{access:?}: {least} to {most}"
                );
            }
        }
    }
}

/// They took records in turn, of any age, where other operations did.
#[test]
fn by_insertion_deletes_take_the_oldest_whatever_is_read_between() {
    let mix = [(Operation::Get, 3.0), (Operation::Insert, 1.0), (Operation::Delete, 1.0)];
    let lane = lanes_of(&workload(KeyForm::Decimal, 100, vec![log(Access::Insertion, &mix)]), 1).remove(0);
    let deleted: Vec<_> = lane.iter().filter(|record| record.operation == Operation::Delete).collect();
    assert!(deleted.len() > 1_000 && deleted.is_sorted_by(|a, b| a.key < b.key));
    assert!(deleted.iter().all(|record| record.flags & flags::FOUND != 0));
    let read: BTreeSet<_> =
        lane.iter().filter(|record| record.operation == Operation::Get).map(|each| &each.key).collect();
    assert!(read.len() > 1_000, "reads go through all of them: {}", read.len());
}

#[test]
fn deletes_that_outnumber_inserts_for_good_are_refused() {
    let drain = |delete| log(Access::Uniform, &[(Operation::Insert, 50.0), (Operation::Delete, delete)]);
    let refused = |phase, records| {
        let directory = tempfile::tempdir().unwrap();
        recorded(&workload(KeyForm::Sha1, records, vec![phase]), directory.path()).err().map(|error| error.to_string())
    };
    // 6,000 / 110 × 10 more deletes than inserts.
    assert_eq!(refused(drain(60.0), 600), None);
    let error = refused(drain(60.0), 500).unwrap();
    assert!(error.contains("phase `log`: operation ") && error.contains("no record is left"), "{error}");
}
