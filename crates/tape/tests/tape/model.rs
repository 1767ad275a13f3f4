//! For any workload, every answer on its tapes is that of a sorted map.

use std::collections::BTreeMap;

use bakeoff_tape::{
    Access, Batch, Consumer, Data, KeyForm, Measure, Operation, PhaseSpec, Role, Shape, SizeRange, TapeError, Workload,
    key_lengths,
};
use bakeoff_tree::{Tree, ValueForm, tree_entries};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{phase, recorded};
use crate::replay::check_recording;

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![
        Just(Access::Sequential),
        Just(Access::Insertion),
        Just(Access::Uniform),
        (0.0..1.5).prop_map(|theta| Access::Zipfian { theta }),
        (0.0..1.5).prop_map(|theta| Access::Latest { theta }),
        (0.01..=1.0, 0.0..=1.0).prop_map(|(records, operations)| Access::Hot { records, operations }),
        (1_u32..40).prop_map(|ranges| Access::Ranges { ranges, range: [1.0, -0.1, 0.0, 0.0], key: [0.01, 0.4] }),
    ]
}

fn batch() -> impl Strategy<Value = Batch> {
    prop_oneof![Just(Batch::Each), Just(Batch::All), (1_u64..9).prop_map(Batch::Writes)]
}

fn spec(kinds: &'static [Operation]) -> impl Strategy<Value = PhaseSpec> {
    let mix = btree_map(select(kinds), 0.1..1.0, 1..5);
    let consumer = select(&Consumer::ALL[..]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let missing = select(&[0.0, 0.3, 1.0][..]);
    let numbers = (0_u64..150, missing, 0_u64..20, 0_u64..20);
    let accesses = (access(), btree_map(select(kinds), access(), 0..3));
    (mix, accesses, batch(), consumer, flags, numbers).prop_map(
        |(mix, accesses, batch, consumer, (restore, reverse, any_order), (operations, missing, least, more))| {
            PhaseSpec {
                prefix_bytes: prefix_bytes(&mix, operations),
                reverse: reverse && prefix_bytes(&mix, operations) == 0,
                mix,
                operations: Some(operations),
                access: accesses.0,
                access_of: accesses.1,
                batch,
                measure: Measure::Latency,
                missing,
                restore,
                read_first: missing == 0.3,
                open_loop: None,
                scan_entries: SizeRange { min: least, max: least + more },
                any_order,
                consumer: if any_order && consumer == Consumer::Copy { Consumer::Touch } else { consumer },
                all_fields: operations % 2 == 0,
                past_leaf: operations % 3 == 0,
                ..phase("", &[])
            }
        },
    )
}

/// A scan of a prefix has one, and half of the others.
fn prefix_bytes(mix: &BTreeMap<Operation, f64>, operations: u64) -> u32 {
    let has_one = mix.contains_key(&Operation::ScanPrefix) || operations % 2 == 1;
    if has_one { 1 + operations as u32 % 6 } else { 0 }
}

/// Names phases apart, loads first, and takes scans out where other lanes write.
fn complete(mut workload: Workload, load: Access, load_batch: Batch) -> Workload {
    for (number, phase) in workload.phases.iter_mut().enumerate() {
        phase.name = format!("phase-{number}");
        let writes = phase.mix.keys().any(|kind| kind.writes());
        if workload.lanes > 1 && writes {
            phase.mix.retain(|kind, _| !kind.visits());
            if number % 2 == 0 {
                *phase = in_roles(phase.clone(), workload.lanes);
            }
        }
    }
    let first = PhaseSpec { access: load, batch: load_batch, ..phase("load", &[(Operation::Insert, 1.0)]) };
    workload.phases.insert(0, first);
    workload
}

/// A phase that reads and writes, with a lane that only reads, or all lanes but one.
fn in_roles(phase: PhaseSpec, lanes: u32) -> PhaseSpec {
    let threads = if phase.operations.is_some_and(|count| count % 2 == 0) { [1, lanes - 1] } else { [lanes - 1, 1] };
    let role = |(threads, writes): (u32, bool)| {
        let mix: BTreeMap<_, _> = phase
            .mix
            .iter()
            .filter(|(kind, _)| kind.writes() == writes)
            .map(|(kind, weight)| (*kind, *weight))
            .collect();
        Role { threads, share: mix.values().sum(), mix }
    };
    let roles: Vec<Role> =
        threads.into_iter().zip([false, true]).map(role).filter(|role| !role.mix.is_empty()).collect();
    if roles.len() == 2 { phase.in_roles(roles) } else { phase }
}

const FLAT: &[Operation] = &[
    Operation::Insert,
    Operation::Update,
    Operation::Upsert,
    Operation::Get,
    Operation::Delete,
    Operation::Scan,
    Operation::ScanAll,
    Operation::Exists,
    Operation::ScanPrefix,
    Operation::First,
];
const TREE: &[Operation] = &[
    Operation::Update,
    Operation::Upsert,
    Operation::Get,
    Operation::Delete,
    Operation::Scan,
    Operation::Walk,
    Operation::Exists,
    Operation::ScanPrefix,
    Operation::First,
];

fn flat_workload() -> impl Strategy<Value = Workload> {
    let key = select(&[KeyForm::Sha1, KeyForm::Decimal, KeyForm::Integer][..]);
    let sizes = (0_u64..150, 0_u64..40, 0_u64..40);
    (any::<u64>(), key, sizes, 1_u32..4, vec(spec(FLAT), 0..4), access(), batch()).prop_map(
        |(seed, key, (records, least, more), lanes, phases, load, load_batch)| {
            let value_bytes = SizeRange { min: least, max: least + more };
            let pool_bytes = value_bytes.max + 1 + seed % 500;
            // Four phases insert up to 4 × 150 records, which three digits name.
            let least = |(least, _): (u32, u32)| least.max(3) + (seed / 2 % 30) as u32;
            let key_bytes = key_lengths(key).filter(|_| seed % 2 == 0).map(least);
            let key_bytes_max = key_bytes.filter(|_| seed % 3 == 0).map(|least| least + 1 + (seed / 6 % 40) as u32);
            let value_shape = if seed % 3 == 0 { Shape::Pareto { shape: 0.5, scale: 10.0 } } else { Shape::Uniform };
            let tree = None;
            let data = Data::Random;
            let workload = Workload {
                seed,
                key,
                key_bytes,
                key_bytes_max,
                records,
                value_bytes: value_bytes.into(),
                value_shape,
                data,
                pool_bytes,
                lanes,
                tree,
                import: None,
                phases,
            };
            complete(workload, load, load_batch)
        },
    )
}

fn tree_workload() -> impl Strategy<Value = Workload> {
    (any::<u64>(), 1_u32..12, 1_u32..4, 0_u32..20, 1_u32..3, vec(spec(TREE), 0..4), access()).prop_map(
        |(seed, fanout, levels, padding_bytes, lanes, phases, load)| {
            let tree = {
                let values = ValueForm::ALL[seed as usize % 5];
                let padding_bytes = if values == ValueForm::Long { padding_bytes } else { 0 };
                let name_bytes = if seed % 7 < 3 { 5 + (seed % 100) as u32 } else { 0 };
                Tree { fanout, levels: if fanout > 5 { 2 } else { levels }, padding_bytes, values, name_bytes }
            };
            let of_values =
                |phase: PhaseSpec| PhaseSpec { all_fields: phase.all_fields && tree.values.has_fields(), ..phase };
            let phases = phases.into_iter().map(of_values).collect();
            let workload = Workload {
                seed,
                key: KeyForm::Directory,
                key_bytes: None,
                key_bytes_max: None,
                records: tree_entries(tree).unwrap(),
                value_bytes: SizeRange { min: 0, max: 0 }.into(),
                value_shape: Shape::Uniform,
                data: Data::Text,
                pool_bytes: 0,
                lanes,
                tree: Some(tree),
                import: None,
                phases,
            };
            complete(workload, load, Batch::All)
        },
    )
}

/// Records and replays. A workload that runs out of records, or has a phase without any kind, is refused with a
/// message.
fn check(workload: &Workload) {
    let directory = tempfile::tempdir().unwrap();
    match recorded(workload, directory.path()) {
        Ok(recording) => check_recording(workload, &recording),
        Err(TapeError::Workload { expected, .. }) => {
            assert!(expected.contains("no record is left") || expected.contains("one of them above"), "{expected}");
        }
        Err(error) => panic!("{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn answers_are_those_of_a_sorted_map(workload in flat_workload()) {
        check(&workload);
    }

    #[test]
    fn answers_in_a_tree_are_those_of_a_sorted_map(workload in tree_workload()) {
        check(&workload);
    }
}

#[test]
fn every_access_survives_deleting_everything() {
    for access in [
        Access::Sequential,
        Access::Insertion,
        Access::Uniform,
        Access::Zipfian { theta: 0.99 },
        Access::Latest { theta: 0.99 },
        Access::Hot { records: 0.1, operations: 0.9 },
    ] {
        let delete = PhaseSpec { access, ..phase("delete", &[(Operation::Delete, 1.0)]) };
        let mut workload = crate::common::workload(KeyForm::Sha1, 600, vec![delete]);
        workload.lanes = 2;
        let directory = tempfile::tempdir().unwrap();
        let recording = recorded(&workload, directory.path()).unwrap();
        check_recording(&workload, &recording);
        assert_eq!(recording.phases[1].records_after, 0, "{access:?}");
        workload.phases[1].operations = Some(601);
        let error = recorded(&workload, directory.path()).unwrap_err().to_string();
        assert!(error.contains("phase `delete`: operation 300: delete is impossible: no record is left"), "{error}");
    }
}
