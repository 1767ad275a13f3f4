//! Phases in which threads have different mixes.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_tape::{Access, Batch, Consumer, KeyForm, OpenLoop, Operation, PhaseSpec, Pool, Role, Workload, may_hold};

use crate::common::{Owned, lanes_of, phase, recorded, workload};
use crate::replay::check_recording;

fn role(threads: u32, share: f64, mix: &[(Operation, f64)]) -> Role {
    Role { threads, share, mix: mix.iter().copied().collect() }
}

/// Three readers and a writer that inserts, updates and deletes.
fn mixed(access: Access) -> PhaseSpec {
    let writes = [(Operation::Insert, 1.0), (Operation::Update, 2.0), (Operation::Delete, 1.0)];
    let roles = vec![role(3, 90.0, &[(Operation::Get, 3.0), (Operation::Exists, 1.0)]), role(1, 10.0, &writes)];
    PhaseSpec { operations: Some(20_001), access, ..phase("mixed", &[]) }.in_roles(roles)
}

fn index_of(record: &Owned) -> u64 {
    std::str::from_utf8(&record.key).unwrap().parse().unwrap()
}

#[test]
fn each_lane_does_what_its_role_says_on_records_that_no_other_writes() {
    for access in [Access::Uniform, Access::Zipfian { theta: 0.99 }, Access::Sequential, Access::Insertion] {
        for lanes in [4_u32, 8] {
            let again = PhaseSpec { name: "again".to_owned(), ..mixed(access) };
            let all = phase("all", &[(Operation::Get, 1.0)]);
            let workload = Workload { lanes, ..workload(KeyForm::Decimal, 1_003, vec![mixed(access), again, all]) };
            let directory = tempfile::tempdir().unwrap();
            check_recording(&workload, &recorded(&workload, directory.path()).unwrap());
            let (readers, writers) = (lanes / 4 * 3, lanes / 4);
            let recorded = lanes_of(&workload, 1);
            let operations: usize = recorded[..readers as usize].iter().map(Vec::len).sum();
            assert_eq!(operations, 18_001, "90 % of 20,001");
            for (number, lane) in (0..).zip(&recorded) {
                let own: u32 = if number < readers { 18_001 / readers } else { 2_000 / writers };
                assert!((own..=own + 1).contains(&(lane.len() as u32)), "lane {number}: {}", lane.len());
                let owner = |record: &Owned| (index_of(record) % u64::from(lanes)) as u32;
                let is_right = |record: &Owned| match number < readers {
                    true => !record.operation.writes() && owner(record) < readers,
                    false => record.operation.writes() && owner(record) == number,
                };
                assert!(lane.iter().all(is_right), "lane {number} of {lanes}, {access:?}");
            }
        }
    }
}

#[test]
fn readers_share_what_is_popular() {
    let workload =
        Workload { lanes: 4, ..workload(KeyForm::Decimal, 1_000, vec![mixed(Access::Zipfian { theta: 1.1 })]) };
    let most_read = |lane: &Vec<Owned>| {
        let mut counts = BTreeMap::<u64, u32>::new();
        lane.iter().for_each(|record| *counts.entry(index_of(record)).or_default() += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).unwrap().0
    };
    let lanes = lanes_of(&workload, 1);
    assert_eq!(lanes[..3].iter().map(most_read).collect::<BTreeSet<_>>().len(), 1);
    let read: BTreeSet<_> = lanes[..3].iter().map(|lane| lane.iter().map(index_of).collect::<Vec<_>>()).collect();
    assert_eq!(read.len(), 3, "each draws for itself");
}

/// Each lane has its part of the rate, so that all are done at about the same time.
#[test]
fn a_rate_is_divided_as_operations_are() {
    for open_loop in [OpenLoop::Poisson { per_second: 1e4 }, OpenLoop::Fixed { per_second: 1e4 }] {
        let timed = PhaseSpec { open_loop: Some(open_loop), ..mixed(Access::Uniform) };
        let workload = Workload { lanes: 4, ..workload(KeyForm::Decimal, 1_000, vec![timed]) };
        for lane in lanes_of(&workload, 1) {
            let seconds = lane.last().unwrap().due_ns.unwrap() as f64 / 1e9;
            assert!((1.7..2.3).contains(&seconds), "{open_loop:?}: {seconds} s");
        }
    }
}

/// Readers never read what a writer writes, and nothing scanned next to it.
#[test]
fn readers_read_and_scan_what_others_write() {
    let zipfian = Access::Zipfian { theta: 0.99 };
    for access in [zipfian, Access::Uniform, Access::Sequential, Access::Insertion, Access::Latest { theta: 0.9 }] {
        let reads = vec![
            role(3, 90.0, &[(Operation::Get, 3.0), (Operation::Exists, 1.0)]),
            role(1, 10.0, &[(Operation::Update, 2.0), (Operation::Upsert, 1.0), (Operation::Insert, 1.0)]),
        ];
        let scans =
            [(Operation::Scan, 4.0), (Operation::Get, 4.0), (Operation::ScanAll, 0.01), (Operation::First, 1.0)];
        let scans = vec![role(1, 1.0, &scans), role(1, 1.0, &[(Operation::Update, 1.0)])];
        let beside = |name: &str, roles| {
            let phase = PhaseSpec { operations: Some(8_000), access, shared: true, ..phase(name, &[]) };
            PhaseSpec { consumer: Consumer::Keys, ..phase }.in_roles(roles)
        };
        let (beside, scanned) = (beside("beside", reads), beside("scanned", scans));
        let again = PhaseSpec { name: "again".to_owned(), batch: Batch::Writes(7), ..beside.clone() };
        let whole = phase("whole", &[(Operation::ScanAll, 1.0)]);
        let whole = PhaseSpec { operations: Some(8), consumer: Consumer::Xxh64, ..whole };
        let workload = Workload { lanes: 4, ..workload(KeyForm::Sha1, 1_003, vec![beside, scanned, again, whole]) };
        let directory = tempfile::tempdir().unwrap();
        check_recording(&workload, &recorded(&workload, directory.path()).unwrap());
        let recorded = lanes_of(&workload, 1);
        let written: BTreeSet<_> = recorded[3].iter().map(|record| &record.key).collect();
        let gets = || recorded[..3].iter().flatten().filter(|record| record.operation == Operation::Get);
        let met = gets().filter(|get| written.contains(&get.key)).count();
        assert!(met * 20 > gets().count(), "{access:?}: {met} of the reads are of what is written");
        assert!(gets().filter(|get| written.contains(&get.key)).all(|get| get.flags == 33), "{access:?}");
        assert!(gets().any(|get| get.flags == 1), "what nobody writes is compared as it is");
        assert!(recorded[3].iter().all(|record| record.flags & 32 == 0));
    }
}

/// Each thread writes its own records, and scans those of all threads.
#[test]
fn threads_that_all_do_the_same_scan_what_others_write() {
    let mix = [(Operation::Scan, 1.0), (Operation::ScanPrefix, 1.0), (Operation::Update, 3.0), (Operation::Get, 1.0)];
    for consumer in [Consumer::Keys, Consumer::Count] {
        let phase =
            PhaseSpec { shared: true, consumer, prefix_bytes: 2, operations: Some(3_000), ..phase("mixed", &mix) };
        let workload = Workload { lanes: 3, ..workload(KeyForm::Decimal, 500, vec![phase]) };
        let directory = tempfile::tempdir().unwrap();
        check_recording(&workload, &recorded(&workload, directory.path()).unwrap());
    }
}

#[test]
fn only_values_of_a_record_are_taken_for_its_own() {
    let roles = vec![role(1, 1.0, &[(Operation::Get, 1.0)]), role(1, 1.0, &[(Operation::Update, 1.0)])];
    let beside = PhaseSpec { operations: Some(500), shared: true, ..phase("beside", &[]) }.in_roles(roles);
    let workload = Workload { lanes: 2, ..workload(KeyForm::Decimal, 50, vec![beside]) };
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(&workload, directory.path()).unwrap();
    let pool = Pool::open(&recording.pool).unwrap();
    let lanes = lanes_of(&workload, 1);
    let shared: Vec<_> = lanes[0].iter().filter(|record| record.flags == 33).collect();
    assert!(shared.len() > 50);
    for get in shared {
        let value = |offset: u64, bytes: u32| pool.slice(offset, bytes).unwrap();
        let mut own: Vec<_> = lanes[1].iter().filter(|write| write.key == get.key).collect();
        own.push(get);
        assert!(own.iter().all(|of| may_hold(&get.record(), value(of.value_offset, of.value_bytes), &pool)));
        let others = [(get.value_offset.abs_diff(1), get.value_bytes), (get.value_offset, get.value_bytes - 1), (0, 0)];
        assert!(others.iter().all(|(offset, bytes)| !may_hold(&get.record(), value(*offset, *bytes), &pool)));
        let plain = Owned { flags: 1, ..get.clone() };
        assert!(!may_hold(&plain.record(), value(get.value_offset, get.value_bytes), &pool), "it is compared as it is");
    }
}

#[test]
fn what_nobody_knows_next_to_writes_is_refused() {
    let reads = [(Operation::Get, 1.0), (Operation::Scan, 1.0)];
    let refusal = |reads: &[(Operation, f64)], writes: &[(Operation, f64)], consumer| {
        let roles = vec![role(1, 1.0, reads), role(1, 1.0, writes)];
        let phase = PhaseSpec { operations: Some(50), shared: true, consumer, ..phase("beside", &[]) }.in_roles(roles);
        let directory = tempfile::tempdir().unwrap();
        let workload = Workload { lanes: 2, ..workload(KeyForm::Decimal, 1_000, vec![phase]) };
        recorded(&workload, directory.path()).err().map(|why| why.to_string()).unwrap_or_default()
    };
    let update = (Operation::Update, 1.0);
    assert_eq!(refusal(&reads, &[update], Consumer::Keys), "");
    assert!(refusal(&reads, &[update], Consumer::Touch).contains("count or keys"));
    assert!(
        refusal(&reads, &[update, (Operation::Insert, 1.0)], Consumer::Keys).contains("inserts where nothing scans")
    );
    assert_eq!(refusal(&reads[..1], &[update, (Operation::Insert, 1.0)], Consumer::Touch), "");
    assert!(refusal(&reads[..1], &[(Operation::Delete, 1.0)], Consumer::Touch).contains("is not known"));
}

#[test]
fn roles_that_cannot_be_are_refused() {
    let refusal = |change: fn(&mut PhaseSpec), lanes| {
        let mut phase = mixed(Access::Uniform);
        change(&mut phase);
        let directory = tempfile::tempdir().unwrap();
        let workload = Workload { lanes, ..workload(KeyForm::Decimal, 1_000, vec![phase]) };
        recorded(&workload, directory.path()).unwrap_err().to_string()
    };
    assert!(refusal(|_| {}, 6).contains("a multiple of 4"));
    assert!(refusal(|phase| phase.roles[0].share = 0.0, 4).contains("share"));
    assert!(refusal(|phase| _ = phase.mix.remove(&Operation::Get), 4).contains("in_roles"));
    assert!(refusal(|phase| phase.roles[0].mix.clear(), 4).contains("weights above 0"));
}
