//! Phases that insert and delete more than there are records: inserts refill what deletes draw from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bakeoff_tape::{Access, KeyForm, Operation, PhaseSpec, flags};

use crate::common::{Owned, lanes_of, phase, read, recorded, workload};
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

/// Sessions that expire: deletes take the record that was inserted first, regardless of which records are read.
#[test]
fn records_expire_in_the_order_in_which_they_came_whatever_is_read() {
    let mix = [(Operation::Get, 8.0), (Operation::Update, 1.0), (Operation::Insert, 1.0), (Operation::Delete, 1.0)];
    for access in ACCESSES {
        for load in [Access::Insertion, Access::Uniform] {
            let access_of = BTreeMap::from([(Operation::Delete, Access::Insertion)]);
            let expiring = PhaseSpec { access_of, ..log(access, &mix) };
            let mut workload = workload(
                KeyForm::Sha1,
                101,
                vec![expiring.clone(), PhaseSpec { name: "again".to_owned(), ..expiring }],
            );
            (workload.lanes, workload.phases[0].access) = (2, load);
            let directory = tempfile::tempdir().unwrap();
            let recording = recorded(&workload, directory.path()).unwrap();
            check_recording(&workload, &recording);
            for lane in 0..2 {
                let mut queue = VecDeque::new();
                for tape in &recording.phases {
                    for record in read(&tape.path).swap_remove(lane) {
                        match record.operation {
                            Operation::Insert => queue.push_back(record.key),
                            Operation::Delete => {
                                assert_eq!(Some(record.key), queue.pop_front(), "{access:?}, {load:?}")
                            }
                            _ => assert!(queue.contains(&record.key), "{access:?} reads a missing record"),
                        }
                    }
                }
                assert!((50..=52).contains(&queue.len()), "{access:?}: {}", queue.len());
            }
        }
    }
}

/// A record is as popular for every kind of operation, and stays so while others expire.
#[test]
fn what_is_popular_is_so_for_every_kind_of_operation() {
    let popular = |kinds: [Operation; 2], expires: bool| {
        let mut mix = kinds.map(|kind| (kind, 1.0)).to_vec();
        mix.extend([(Operation::Insert, 0.01), (Operation::Delete, 0.01)].into_iter().filter(|_| expires));
        let access_of = [(kinds[1], Access::Zipfian { theta: 0.8 }), (Operation::Delete, Access::Insertion)];
        let phase = PhaseSpec {
            operations: Some(20_000),
            access: Access::Zipfian { theta: 1.2 },
            access_of: access_of.into_iter().take(1 + usize::from(expires)).collect(),
            ..phase("log", &mix)
        };
        let lane = lanes_of(&workload(KeyForm::Sha1, 1_000, vec![phase]), 1).remove(0);
        kinds.map(|kind| {
            let mut counts = BTreeMap::<_, u32>::new();
            lane.iter()
                .filter(|record| record.operation == kind)
                .for_each(|of| *counts.entry(of.key.clone()).or_default() += 1);
            counts.into_iter().max_by_key(|(_, count)| *count).unwrap()
        })
    };
    for expires in [false, true] {
        let [(read, reads), (written, writes)] = popular([Operation::Get, Operation::Update], expires);
        assert_eq!(read, written, "expires: {expires}");
        assert!(reads > 2 * writes, "exponents 1.2 and 0.8: {reads} and {writes}");
    }
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
