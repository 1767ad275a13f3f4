//! Phases whose threads have mixes of their own.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_tape::{Access, KeyForm, OpenLoop, Operation, PhaseSpec, Role, Workload};

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
