//! Stores that are aged before they are measured: every record is replaced several times, and the content is that of a
//! fresh store.

use std::collections::BTreeMap;

use bakeoff_tape::{AGE_PHASE, Access, Batch, Data, KeyForm, Operation, PhaseSpec, Pool, SizeRange, Workload};

use crate::common::{phase, read, recorded, workload};
use crate::replay::check_recording;

type Content = BTreeMap<Vec<u8>, Vec<u8>>;

/// What each record holds after the first phases, how often it was replaced, and how long its values were.
fn replayed(workload: &Workload, phases: usize) -> (Content, BTreeMap<Vec<u8>, Vec<u32>>) {
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(workload, directory.path()).unwrap();
    check_recording(workload, &recording);
    let pool = Pool::open(&recording.pool).unwrap();
    let (mut content, mut lengths) = (Content::new(), BTreeMap::<_, Vec<u32>>::new());
    for tape in &recording.phases[..phases] {
        for record in read(&tape.path).into_iter().flatten().filter(|record| record.operation != Operation::Commit) {
            let value = pool.slice(record.value_offset, record.value_bytes).unwrap().to_vec();
            lengths.entry(record.key.clone()).or_default().push(record.value_bytes);
            let before = content.insert(record.key, value.clone());
            assert_ne!(before, Some(value), "nobody could see that it was replaced");
        }
    }
    (content, lengths)
}

#[test]
fn every_record_is_replaced_in_each_turnover_and_ends_as_in_a_fresh_store() {
    let load = |access, batch| PhaseSpec { access, batch, ..phase("load", &[(Operation::Insert, 1.0)]) };
    for (lanes, records, access) in [(1, 500, Access::Insertion), (3, 100, Access::Uniform), (4, 4, Access::Sequential)]
    {
        // Short values, and long ones that are cut from the pool once.
        for value_bytes in [SizeRange { min: 10, max: 100 }, SizeRange { min: 3_000, max: 9_000 }] {
            let mut fresh = workload(KeyForm::Sha1, records, vec![phase("get", &[(Operation::Get, 1.0)])]);
            fresh.phases[0] = load(access, Batch::Writes(7));
            (fresh.lanes, fresh.value_bytes, fresh.data) = (lanes, value_bytes.into(), Data::Text);
            fresh.pool_bytes = 100_000;
            let (wanted, _) = replayed(&fresh, 1);
            for turnovers in [1, 3] {
                let aged = fresh.clone().aged(turnovers);
                assert_eq!((aged.age(), fresh.age()), (turnovers, 0));
                assert_eq!((aged.phases[1].name.as_str(), aged.phases[1].batch), (AGE_PHASE, Batch::Writes(7)));
                let (content, lengths) = replayed(&aged, 2);
                assert!(content == wanted, "{lanes} lanes, {turnovers} turnovers");
                assert!(lengths.values().all(|of| of.len() == turnovers as usize + 1), "{lengths:?}");
                let changes = lengths.values().filter(|of| of.first() != of.last()).count();
                assert!(changes > records as usize / 2, "only {changes} values of another length were there before");
            }
        }
    }
}

#[test]
fn the_order_of_replacing_is_another_in_each_turnover() {
    let aged = workload(KeyForm::Decimal, 200, Vec::new()).aged(2);
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(&aged, directory.path()).unwrap();
    let keys: Vec<_> = read(&recording.phases[1].path).remove(0).into_iter().map(|record| record.key).collect();
    let (first, second) = keys.split_at(200);
    assert!(keys.len() == 400 && first != second && !first.is_sorted(), "{keys:?}");
}

#[test]
fn only_a_second_phase_of_updates_ages_a_store() {
    let refused = |workload: &Workload| {
        let directory = tempfile::tempdir().unwrap();
        recorded(workload, directory.path()).unwrap_err().to_string()
    };
    let aged = workload(KeyForm::Sha1, 10, vec![phase("get", &[(Operation::Get, 1.0)])]).aged(1);
    let mut late = aged.clone();
    late.phases.swap(1, 2);
    let mut reads = aged.clone();
    reads.phases[1].mix = [(Operation::Get, 1.0)].into();
    let mut counted = aged;
    counted.phases[1].operations = Some(5);
    for workload in [late, reads, counted] {
        let error = refused(&workload);
        assert!(error.contains("turnovers") && error.contains("only the second phase"), "{error}");
    }
}
