//! Values of several sizes with weights: each record has a size of its part, all its life.

use std::collections::BTreeMap;

use bakeoff_tape::{Access, KeyForm, Operation, PhaseSpec, SizeRange, ValueSizes, Workload, pool_bytes};

use crate::common::{phase, read, recorded, workload};
use crate::replay::check_recording;

fn mixed(sizes: &str, records: u64, lanes: u32, phases: Vec<PhaseSpec>) -> Workload {
    let value_bytes = ValueSizes::parse(sizes).unwrap();
    let pool_bytes = pool_bytes(&value_bytes);
    Workload { value_bytes, pool_bytes, lanes, ..workload(KeyForm::Decimal, records, phases) }
}

/// The lengths of the values that are written to each key, phase by phase; every answer is checked on the way.
fn written(workload: &Workload) -> Vec<BTreeMap<Vec<u8>, Vec<u64>>> {
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(workload, directory.path()).unwrap();
    check_recording(workload, &recording);
    let of_phase = |path: &std::path::Path| {
        let mut lengths = BTreeMap::<_, Vec<u64>>::new();
        for record in read(path).into_iter().flatten().filter(|record| record.operation.writes_value()) {
            lengths.entry(record.key).or_default().push(record.value_bytes.into());
        }
        lengths
    };
    recording.phases.iter().map(|tape| of_phase(&tape.path)).collect()
}

/// How many keys have values of each of these ranges alone.
fn keys_of(lengths: &BTreeMap<Vec<u8>, Vec<u64>>, ranges: &[SizeRange]) -> Vec<usize> {
    let within = |range: &SizeRange, of: &[u64]| of.iter().all(|bytes| (range.min..=range.max).contains(bytes));
    ranges.iter().map(|range| lengths.values().filter(|of| within(range, of)).count()).collect()
}

fn ranges(of: &Workload) -> Vec<SizeRange> {
    of.value_bytes.parts().iter().map(|part| part.range).collect()
}

#[test]
fn of_the_records_that_are_loaded_each_part_has_what_its_weight_says() {
    for (sizes, records, lanes, expected) in [
        ("70% 200B, 30% 20KiB", 1_000, 1, vec![700, 300]),
        ("70% 200B, 30% 20KiB", 999, 4, vec![699, 300]),
        ("1 0B, 2 1B..100B, 1 300KiB..400KiB", 100, 2, vec![25, 50, 25]),
        // Too many slices to cut the pool into, and too few.
        ("90% 1B, 10% 4MiB", 100, 1, vec![90, 10]),
    ] {
        let workload = mixed(sizes, records, lanes, Vec::new());
        let lengths = &written(&workload)[0];
        assert_eq!(lengths.len() as u64, records);
        assert_eq!(keys_of(lengths, &ranges(&workload)), expected, "{sizes}");
    }
}

#[test]
fn a_record_keeps_its_part_when_its_value_is_replaced() {
    let mut mix = phase("mix", &[(Operation::Update, 2.0), (Operation::Upsert, 1.0), (Operation::Insert, 0.2)]);
    (mix.operations, mix.access) = (Some(20_000), Access::Zipfian { theta: 0.5 });
    let mut restored = phase("restored", &[(Operation::Delete, 1.0)]);
    (restored.operations, restored.restore) = (Some(500), true);
    for turnovers in [0, 2] {
        let workload = mixed("60% 100B..200B, 40% 2KiB..3KiB", 1_000, 2, vec![mix.clone(), restored.clone()]);
        let workload = workload.aged(turnovers);
        let mut all = BTreeMap::<_, Vec<u64>>::new();
        for phase in written(&workload) {
            phase.into_iter().for_each(|(key, lengths)| all.entry(key).or_default().extend(lengths));
        }
        let kept = keys_of(&all, &ranges(&workload));
        assert_eq!(kept.iter().sum::<usize>(), all.len(), "some record had values of both parts: {kept:?}");
        let changed = all.values().filter(|of| of.iter().any(|bytes| *bytes != of[0])).count();
        assert!(changed > 800, "only {changed} records had values of several lengths");
        // Records that were inserted later too, give or take six standard deviations.
        let large = kept[1] as f64 / all.len() as f64;
        assert!((large - 0.4).abs() < 6.0 * (0.24 / all.len() as f64).sqrt(), "{large} of the records are large");
    }
}

#[test]
fn popular_records_are_of_each_part_as_its_weight_says() {
    let mut gets = phase("get", &[(Operation::Get, 1.0)]);
    (gets.operations, gets.access) = (Some(100_000), Access::Uniform);
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(&mixed("75% 10B, 25% 1000B", 1_000, 1, vec![gets]), directory.path()).unwrap();
    let large = read(&recording.phases[1].path)[0].iter().filter(|record| record.value_bytes == 1000).count();
    assert!((large as f64 - 25_000.0).abs() < 6.0 * 137.0, "{large} gets of 100,000 were of large values");
}

/// The part of operations that fall on the first quarter of the ranks.
fn first_quarter(access: Access, records: u32) -> f64 {
    match access {
        Access::Zipfian { theta } => {
            let sum = |ranks: u32| (1..=ranks).map(|rank| f64::from(rank).powf(-theta)).sum::<f64>();
            sum(records / 4) / sum(records)
        }
        Access::Hot { records, operations } => operations + (0.25 - records) / (1.0 - records) * (1.0 - operations),
        _ => 0.25,
    }
}

#[test]
fn popular_records_have_the_sizes_that_are_said() {
    for access in [
        Access::Zipfian { theta: 0.99 },
        Access::Hot { records: 0.1, operations: 0.9 },
        Access::Uniform,
        Access::Latest { theta: 0.99 },
    ] {
        for (sizes, popular) in [
            ("25% 10B, 75% 1000B, popular small", 10),
            ("75% 10B, 25% 1000B, popular large", 1_000),
            ("25% 10B, 50% 1000B, 25% 30B, popular small", 10),
        ] {
            for lanes in [1, 2] {
                let mut gets = phase("get", &[(Operation::Get, 1.0)]);
                (gets.operations, gets.access) = (Some(50_000), access);
                let mut turned =
                    phase("turned", &[(Operation::Get, 8.0), (Operation::Insert, 1.0), (Operation::Delete, 1.0)]);
                (turned.operations, turned.access) = (Some(50_000), access);
                turned.access_of.insert(Operation::Delete, Access::Insertion);
                let workload = mixed(sizes, 1_000, lanes, vec![gets, turned]);
                let directory = tempfile::tempdir().unwrap();
                let recording = recorded(&workload, directory.path()).unwrap();
                check_recording(&workload, &recording);
                for (number, tape) in recording.phases.iter().enumerate().skip(1) {
                    let read = read(&tape.path);
                    let gets: Vec<_> =
                        read.iter().flatten().filter(|record| record.operation == Operation::Get).collect();
                    let part =
                        gets.iter().filter(|record| record.value_bytes == popular).count() as f64 / gets.len() as f64;
                    // Where others write, ranks are those of a lane.
                    let expected = first_quarter(access, if number == 1 { 1_000 } else { 1_000 / lanes });
                    let says_all = matches!(access, Access::Latest { .. });
                    assert!(
                        says_all || (part - expected).abs() < 0.015,
                        "{access:?} {sizes} {lanes}: {part}, not {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let refusal = |change: fn(&mut Workload)| {
        let mut workload = mixed("70% 200B, 30% 20KiB", 10, 1, Vec::new());
        change(&mut workload);
        let directory = tempfile::tempdir().unwrap();
        recorded(&workload, directory.path()).unwrap_err().to_string()
    };
    let shaped = refusal(|of| of.value_shape = bakeoff_tape::Shape::Pareto { shape: 0.2, scale: 25.0 });
    assert!(shaped.contains("value_shape"), "{shaped}");
    let short = refusal(|of| of.pool_bytes = 20_479);
    assert!(short.contains("pool_bytes"), "{short}");
}
