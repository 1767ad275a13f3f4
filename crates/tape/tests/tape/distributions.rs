//! Draws have the shape that they claim, and choices are independent.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_tape::{Access, KeyForm, Operation, PhaseSpec, Shape, SizeRange, Workload};

use crate::common::{Owned, lanes_of, phase, workload};

const RECORDS: u64 = 1000;
const OPERATIONS: u64 = 200_000;

/// Gets over 1,000 records, as counts by index.
fn counts(access: Access) -> Vec<f64> {
    let gets = PhaseSpec { access, operations: Some(OPERATIONS), ..phase("get", &[(Operation::Get, 1.0)]) };
    let mut counts = vec![0.0; RECORDS as usize];
    for record in &lanes_of(&workload(KeyForm::Decimal, RECORDS, vec![gets]), 1)[0] {
        counts[index_of(record) as usize] += 1.0;
    }
    counts
}

fn index_of(record: &Owned) -> u64 {
    std::str::from_utf8(&record.key).unwrap().parse().unwrap()
}

/// Asserts that counts are as expected: chi-square within 5 of its standard deviations.
fn assert_fits(counts: &[f64], expected: &[f64]) {
    let square: f64 = counts.iter().zip(expected).map(|(count, expected)| (count - expected).powi(2) / expected).sum();
    let freedom = (counts.len() - 1) as f64;
    assert!((square - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(), "chi-square {square} for {freedom} degrees");
}

/// What Zipf's law expects of each rank.
fn zipf(theta: f64, ranks: u64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=ranks).map(|rank| (rank as f64).powf(-theta)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum * OPERATIONS as f64).collect()
}

#[test]
fn uniform_is_uniform() {
    assert_fits(&counts(Access::Uniform), &vec![OPERATIONS as f64 / RECORDS as f64; RECORDS as usize]);
}

#[test]
fn latest_is_zipfian_from_the_newest() {
    for theta in [0.5, 0.99, 1.0, 1.3] {
        let mut counts = counts(Access::Latest { theta });
        counts.reverse();
        assert_fits(&counts[..], &zipf(theta, RECORDS)[..]);
    }
}

/// Every exponent in bakeoff's suites, over as many ranks as bins of the generator need powers for. Rare ranks are
/// pooled.
#[test]
fn zipfian_is_exact_over_many_ranks_for_every_exponent_in_use() {
    const RANKS: u64 = 30_000;
    for theta in [0.3048, 0.735, 0.8, 0.99, 1.1004, 1.2323, 1.2959] {
        let access = Access::Latest { theta };
        let gets = PhaseSpec { access, operations: Some(OPERATIONS), ..phase("get", &[(Operation::Get, 1.0)]) };
        let mut counts = vec![0.0; RANKS as usize];
        for record in &lanes_of(&workload(KeyForm::Decimal, RANKS, vec![gets]), 1)[0] {
            counts[(RANKS - 1 - index_of(record)) as usize] += 1.0;
        }
        let (mut pooled, mut expected) = (vec![0.0], vec![0.0]);
        for (count, likely) in counts.iter().zip(zipf(theta, RANKS)) {
            if *expected.last().unwrap() >= 10.0 {
                pooled.push(0.0);
                expected.push(0.0);
            }
            *pooled.last_mut().unwrap() += count;
            *expected.last_mut().unwrap() += likely;
        }
        // The remainder goes to the last.
        let (count, likely) = (pooled.pop().unwrap(), expected.pop().unwrap());
        *pooled.last_mut().unwrap() += count;
        *expected.last_mut().unwrap() += likely;
        assert!(pooled.len() > 500, "{theta}: {} are too few", pooled.len());
        assert_fits(&pooled, &expected);
    }
}

#[test]
fn zipfian_is_zipfian_and_scattered() {
    let counts = counts(Access::Zipfian { theta: 0.99 });
    let mut ranked: Vec<(f64, usize)> = counts.iter().copied().zip(0..).collect();
    ranked.sort_by(|a, b| b.partial_cmp(a).unwrap());
    // The first ranks are far enough apart to be told by their counts.
    let popular: Vec<f64> = ranked[..8].iter().map(|(count, _)| *count).collect();
    for (count, expected) in popular.iter().zip(zipf(0.99, RECORDS)) {
        assert!((count - expected).abs() < 5.0 * expected.sqrt(), "{count} for {expected}");
    }
    let places: BTreeSet<usize> = ranked[..20].iter().map(|(_, index)| index / 100).collect();
    assert!(places.len() >= 6, "20 popular records lie in {} tenths of the key space", places.len());
    assert!(ranked[..20].windows(2).filter(|pair| pair[0].1.abs_diff(pair[1].1) == 1).count() <= 2);
}

#[test]
fn hot_records_take_their_part() {
    let counts = counts(Access::Hot { records: 0.1, operations: 0.9 });
    let (hot, cold): (Vec<f64>, Vec<f64>) = counts.iter().partition(|count| **count > 600.0);
    assert_eq!((hot.len(), cold.len()), (100, 900));
    let sum: f64 = hot.iter().sum();
    assert!((sum / OPERATIONS as f64 - 0.9).abs() < 0.005, "{sum}");
    assert_fits(&hot, &vec![sum / 100.0; 100]);
    assert_fits(&cold, &vec![(OPERATIONS as f64 - sum) / 900.0; 900]);
}

#[test]
fn sequential_goes_up_in_key_order_and_starts_again() {
    for key in KeyForm::ALL.into_iter().filter(|key| *key != KeyForm::Directory) {
        let gets =
            PhaseSpec { access: Access::Sequential, operations: Some(600), ..phase("get", &[(Operation::Get, 1.0)]) };
        let keys: Vec<_> = lanes_of(&workload(key, 300, vec![gets]), 1)[0].iter().map(|got| got.key.clone()).collect();
        assert!(keys[..300].is_sorted_by(|a, b| a < b), "{key:?}");
        assert_eq!(keys[..300], keys[300..], "{key:?}");
    }
}

#[test]
fn a_shuffled_load_has_each_key_once() {
    let mut workload = workload(KeyForm::Decimal, 5000, vec![]);
    workload.phases[0].access = Access::Uniform;
    let order: Vec<u64> = lanes_of(&workload, 0)[0].iter().map(index_of).collect();
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 5000);
    let rising = order.windows(2).filter(|pair| pair[0] < pair[1]).count();
    assert!((2200..2800).contains(&rising), "{rising} of 4999 steps go up");
    let distance: f64 = (0..).zip(&order).map(|(place, index): (u64, _)| place.abs_diff(*index) as f64).sum();
    // Two random places among n are n / 3 apart.
    assert!((distance / 5000.0 - 5000.0 / 3.0).abs() < 100.0, "{}", distance / 5000.0);
}

/// Chi-square of a table of two properties that should have nothing to do with each other.
fn assert_independent(pairs: impl Iterator<Item = (u64, u64)>) {
    let (mut cells, mut rows, mut columns, mut total) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), 0.0_f64);
    for (row, column) in pairs {
        *cells.entry((row, column)).or_insert(0.0_f64) += 1.0;
        *rows.entry(row).or_insert(0.0) += 1.0;
        *columns.entry(column).or_insert(0.0) += 1.0;
        total += 1.0;
    }
    let mut square = 0.0;
    for (row, row_sum) in &rows {
        for (column, column_sum) in &columns {
            let expected = row_sum * column_sum / total;
            square += (cells.get(&(*row, *column)).unwrap_or(&0.0) - expected).powi(2) / expected;
        }
    }
    let freedom = ((rows.len() - 1) * (columns.len() - 1)) as f64;
    assert!(freedom >= 9.0, "the table is too small to tell anything");
    assert!((square - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(), "chi-square {square} for {freedom} degrees");
}

/// In RocksDB's mixgraph one draw decides key, kind, size and length, so that a key always meets the same kind.
#[test]
fn key_kind_size_place_and_length_are_independent() {
    let mixed = PhaseSpec {
        operations: Some(100_000),
        scan_entries: SizeRange { min: 1, max: 8 },
        ..phase("mixed", &[(Operation::Get, 0.4), (Operation::Update, 0.4), (Operation::Scan, 0.2)])
    };
    let workload =
        Workload { value_bytes: SizeRange { min: 1, max: 64 }.into(), ..workload(KeyForm::Decimal, 50, vec![mixed]) };
    let records = &lanes_of(&workload, 1)[0];
    assert_independent(records.iter().map(|record| (index_of(record), record.operation as u64)));
    let updates = || records.iter().filter(|record| record.operation == Operation::Update);
    assert_independent(updates().map(|update| (index_of(update), u64::from(update.value_bytes - 1) / 8)));
    assert_independent(updates().map(|update| (index_of(update), update.value_offset / 1000)));
    let scans = records.iter().filter_map(|record| Some((index_of(record), record.scan()?.limit)));
    assert_independent(scans);
    let following = records.windows(2).map(|pair| (index_of(&pair[0]), index_of(&pair[1])));
    assert_independent(following);
}

#[test]
fn missing_keys_are_asked_for_as_often_as_said() {
    for key in [KeyForm::Sha1, KeyForm::Decimal, KeyForm::Integer] {
        let gets = PhaseSpec { missing: 0.25, operations: Some(20_000), ..phase("get", &[(Operation::Get, 1.0)]) };
        let records = &lanes_of(&workload(key, 500, vec![gets]), 1)[0];
        let absent = records.iter().filter(|record| record.flags == 0).count();
        assert!((4600..5400).contains(&absent), "{key:?}: {absent}");
        let distinct: BTreeSet<_> =
            records.iter().filter(|record| record.flags == 0).map(|record| &record.key).collect();
        assert!(distinct.len() > 400, "{key:?}: {}", distinct.len());
    }
}

#[test]
fn mixes_are_drawn_by_weight() {
    let mixed =
        PhaseSpec { operations: Some(100_000), ..phase("mixed", &[(Operation::Get, 19.0), (Operation::Insert, 1.0)]) };
    let records = &lanes_of(&workload(KeyForm::Integer, 100, vec![mixed]), 1)[0];
    let inserts = records.iter().filter(|record| record.operation == Operation::Insert).count() as f64;
    assert_fits(&[inserts, 100_000.0 - inserts], &[5000.0, 95_000.0]);
}

#[test]
fn lanes_that_write_keep_to_their_own_keys() {
    let mixed = [(Operation::Get, 1.0), (Operation::Update, 1.0), (Operation::Insert, 1.0), (Operation::Delete, 0.5)];
    let workload = Workload { lanes: 3, ..workload(KeyForm::Decimal, 100, vec![phase("mixed", &mixed)]) };
    for (number, lane) in (0..).zip(lanes_of(&workload, 1)) {
        assert!(lane.iter().all(|record| index_of(record) % 3 == number));
        assert_eq!(lane.len(), if number == 0 { 34 } else { 33 });
    }
}

/// Streams used at the same pace would show here what a mix hides.
#[test]
fn updates_alone_draw_key_size_and_place_independently() {
    let updates = PhaseSpec { operations: Some(100_000), ..phase("update", &[(Operation::Update, 1.0)]) };
    let sizes = SizeRange { min: 1, max: 64 };
    let workload = Workload { value_bytes: sizes.into(), ..workload(KeyForm::Decimal, 50, vec![updates]) };
    let records = &lanes_of(&workload, 1)[0];
    let size = |update: &Owned| u64::from(update.value_bytes - 1) / 8;
    let place = |update: &Owned| update.value_offset / 1000;
    assert_independent(records.iter().map(|update| (index_of(update), size(update))));
    assert_independent(records.iter().map(|update| (index_of(update), place(update))));
}

#[test]
fn latest_goes_by_age_also_when_records_are_deleted() {
    let mix = [(Operation::Get, 0.9), (Operation::Delete, 0.1)];
    let access = Access::Latest { theta: 1.0 };
    let mixed = PhaseSpec { access, operations: Some(9000), ..phase("mixed", &mix) };
    let mut alive: Vec<u64> = (0..RECORDS).collect();
    // Ranks by powers of two: the counts, and Zipf's expectation with the number of records at each time.
    let (mut counts, mut expected) = (vec![0.0; 10], vec![0.0; 10]);
    for record in &lanes_of(&workload(KeyForm::Decimal, RECORDS, vec![mixed]), 1)[0] {
        let place = alive.binary_search(&index_of(record)).unwrap();
        counts[(alive.len() - place).ilog2() as usize] += 1.0;
        let sum: f64 = (1..=alive.len()).map(|rank| 1.0 / rank as f64).sum();
        (1..=alive.len()).for_each(|rank| expected[rank.ilog2() as usize] += 1.0 / rank as f64 / sum);
        if record.operation == Operation::Delete {
            alive.remove(place);
        }
    }
    assert!(alive.len() < 200, "{} are left", alive.len());
    assert_fits(&counts, &expected);
}

/// Asserts that draws follow a law, given as the part of draws up to a size: the greatest distance over all sizes,
/// after Kolmogorov and Smirnov. 0.1 % of fair samples are further away.
fn assert_follows(mut drawn: Vec<u64>, law: impl Fn(u64) -> f64) {
    drawn.sort_unstable();
    let count = drawn.len() as f64;
    let sizes: BTreeSet<u64> = drawn.iter().copied().collect();
    assert!(sizes.len() > 20, "{} sizes are too few to tell anything", sizes.len());
    let distance = sizes.into_iter().map(|size| {
        let up_to = drawn.partition_point(|other| *other <= size) as f64 / count;
        (up_to - law(size)).abs()
    });
    let distance = distance.fold(0.0, f64::max);
    assert!(distance < 1.95 / count.sqrt(), "{distance} for {count} draws");
}

/// The part of a generalised Pareto distribution up to a size, within the range.
fn pareto(shape: f64, scale: f64, max: u64) -> impl Fn(u64) -> f64 {
    let part = move |x: f64| 1.0 - (1.0 + shape * x / scale).powf(-1.0 / shape);
    move |size| part((size + 1) as f64) / part((max + 1) as f64)
}

fn updates_with(value_bytes: SizeRange, value_shape: Shape) -> Vec<u64> {
    let updates = PhaseSpec { operations: Some(50_000), ..phase("update", &[(Operation::Update, 1.0)]) };
    // As long as a suite has it.
    let pool_bytes = 1 << 20;
    let workload = Workload {
        value_bytes: value_bytes.into(),
        value_shape,
        pool_bytes,
        ..workload(KeyForm::Decimal, 50, vec![updates])
    };
    lanes_of(&workload, 1)[0].iter().map(|update| u64::from(update.value_bytes)).collect()
}

/// Equally often, in their order in the pool, but not always from the same one on.
#[test]
fn a_pool_is_cut_once_into_values_that_are_taken_in_turn() {
    let updates = || PhaseSpec { operations: Some(10_000), ..phase("update", &[(Operation::Update, 1.0)]) };
    let of = |seed, (min, max), pool_bytes| {
        let value_bytes = SizeRange { min, max };
        let workload = Workload {
            seed,
            value_bytes: value_bytes.into(),
            pool_bytes,
            lanes: 2,
            ..workload(KeyForm::Decimal, 50, vec![updates()])
        };
        let lanes = lanes_of(&workload, 1).into_iter().map(|lane| {
            lane.iter().map(|update| (update.value_offset, u64::from(update.value_bytes))).collect::<Vec<_>>()
        });
        lanes.collect::<Vec<_>>()
    };
    let values = of(1, (0, 99), 50_000);
    let slices: Vec<(u64, u64)> = values[0].iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    // A mean of 49.5 in 50,000 bytes: 1,010, of which the last may have had no room.
    assert!((1_000..=1_010).contains(&slices.len()), "{}", slices.len());
    assert!(slices.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0), "nothing is left between them");
    let mut lengths = BTreeMap::new();
    slices.iter().for_each(|(_, bytes)| *lengths.entry(bytes).or_insert(0) += 1);
    assert!(lengths.len() == 100 && lengths.values().all(|times| (8..=12).contains(times)), "{lengths:?}");
    for lane in &values {
        for round in lane.chunks_exact(slices.len()) {
            assert_eq!(round.iter().copied().collect::<BTreeSet<_>>().len(), slices.len(), "each once");
        }
        let jumps = lane.windows(2).filter(|pair| pair[1].0 != 0 && pair[0].0 + pair[0].1 != pair[1].0).count();
        assert!((1..=4_999 / slices.len()).contains(&jumps), "{jumps}");
    }
    assert_ne!(values[0][0], values[1][0], "lanes begin anywhere");
    assert_ne!(values, of(2, (0, 99), 50_000));
    let lengths = |values: &[Vec<(u64, u64)>]| values[0].iter().map(|(_, bytes)| *bytes).take(900).collect::<Vec<_>>();
    assert_ne!(
        lengths(&values)[..9],
        lengths(&of(2, (0, 99), 50_000))[..9],
        "nor is the order of lengths always the same"
    );
    // An update always writes a new value.
    let mut there = BTreeMap::new();
    let workload = Workload { pool_bytes: 1_600, ..workload(KeyForm::Decimal, 50, vec![updates()]) };
    for record in lanes_of(&workload, 0).concat().into_iter().chain(lanes_of(&workload, 1).concat()) {
        let value = (record.value_offset, record.value_bytes);
        assert_ne!(there.insert(record.key, value), Some(value));
    }
    // Too few slices would be too few different answers, so the values are anywhere.
    let few: BTreeSet<_> = of(1, (50, 150), 1_599)[0].iter().copied().collect();
    assert!(few.len() > 1_000, "{}", few.len());
}

#[test]
fn uniform_sizes_are_uniform() {
    let drawn = updates_with(SizeRange { min: 10, max: 4009 }, Shape::Uniform);
    assert_follows(drawn, |size| (size - 9) as f64 / 4000.0);
}

#[test]
fn pareto_sizes_follow_their_law_between_the_ends_of_the_range() {
    // RocksDB's mixgraph.
    let range = SizeRange { min: 10, max: 1000 };
    let drawn = updates_with(range, Shape::Pareto { shape: 0.2615, scale: 25.45 });
    assert!(drawn.iter().all(|size| (range.min..=range.max).contains(size)));
    assert_follows(drawn, pareto(0.2615, 25.45, range.max));
    let exponential = updates_with(SizeRange { min: 0, max: 5000 }, Shape::Pareto { shape: 0.0, scale: 100.0 });
    assert_follows(exponential, |size| 1.0 - (-((size + 1) as f64) / 100.0).exp());
}

#[test]
fn the_mean_of_pareto_sizes_is_what_is_drawn() {
    let (range, shape) = (SizeRange { min: 10, max: 1000 }, Shape::Pareto { shape: 0.2615, scale: 25.45 });
    let drawn = updates_with(range, shape);
    let mean = drawn.iter().sum::<u64>() as f64 / drawn.len() as f64;
    let told = Workload { value_bytes: range.into(), value_shape: shape, ..workload(KeyForm::Decimal, 50, vec![]) };
    assert!((told.value_bytes_mean() as f64 - mean).abs() < 1.0, "{mean} drawn, {} told", told.value_bytes_mean());
}

#[test]
fn pareto_scan_lengths_follow_their_law_below_the_limit() {
    let (scan_entries, scan_shape) = (SizeRange { min: 1, max: 9_999 }, Shape::Pareto { shape: 2.517, scale: 14.236 });
    let scans = phase("scan", &[(Operation::Scan, 1.0)]);
    let scans = PhaseSpec { operations: Some(20_000), scan_entries, scan_shape, ..scans };
    let records = &lanes_of(&workload(KeyForm::Decimal, 20, vec![scans]), 1)[0];
    let lengths = records.iter().filter_map(|record| Some(record.scan()?.limit)).collect();
    assert_follows(lengths, pareto(2.517, 14.236, 9_999));
}

#[test]
fn ranges_have_the_popularity_of_their_rank() {
    let range = [14.18, -2.917, 0.0164, -0.080_82];
    let counts = counts(Access::Ranges { ranges: 10, range, key: [0.002_312, 0.3467] });
    let mut by_range: Vec<f64> = counts.chunks(100).map(|records| records.iter().sum()).collect();
    by_range.sort_by(|a, b| b.total_cmp(a));
    let weights: Vec<f64> = (1..=10)
        .map(f64::from)
        .map(|rank| range[0] * (range[1] * rank).exp() + range[2] * (range[3] * rank).exp())
        .collect();
    let sum: f64 = weights.iter().sum();
    let expected: Vec<f64> = weights.iter().map(|weight| weight / sum * OPERATIONS as f64).collect();
    assert_fits(&by_range, &expected);
    // Within the most popular range a few records have far more than their share.
    let popular = counts.chunks(100).max_by(|a, b| a.iter().sum::<f64>().total_cmp(&b.iter().sum())).unwrap();
    let most = popular.iter().copied().fold(0.0, f64::max);
    assert!(most > 1.2 * by_range[0] / 100.0, "{most} of {}", by_range[0]);
}

#[test]
fn updates_and_deletes_that_read_first_read_the_same_record() {
    let mixed = phase("mixed", &[(Operation::Update, 0.5), (Operation::Delete, 0.2), (Operation::Insert, 0.3)]);
    let mixed = PhaseSpec { operations: Some(500), read_first: true, ..mixed };
    let records = &lanes_of(&workload(KeyForm::Decimal, 400, vec![mixed]), 1)[0];
    let changes = |record: &&Owned| matches!(record.operation, Operation::Update | Operation::Delete);
    let pairs = records.windows(2).filter(|pair| changes(&&pair[1]));
    assert!(pairs.clone().all(|pair| pair[0].operation == Operation::Get && pair[0].key == pair[1].key));
    assert_eq!(pairs.count(), records.iter().filter(changes).count());
    assert_eq!(records.iter().filter(|record| record.operation != Operation::Get).count(), 500);
}

#[test]
fn insertion_is_the_order_of_inserting_also_where_that_was_random() {
    // A load in random order, further inserts in the order of their numbers, and then every record, read and written.
    let load = PhaseSpec { access: Access::Uniform, ..phase("load", &[(Operation::Insert, 1.0)]) };
    let more = PhaseSpec { operations: Some(99), ..load.clone() };
    let more = PhaseSpec { name: "more".to_owned(), access: Access::Insertion, ..more };
    let again = |name, operation| PhaseSpec {
        access: Access::Insertion,
        operations: Some(600),
        ..phase(name, &[(operation, 1.0)])
    };
    for key in [KeyForm::Integer, KeyForm::Sha1] {
        let mut workload = workload(key, 501, vec![]);
        workload.lanes = 3;
        workload.phases =
            vec![load.clone(), more.clone(), again("update", Operation::Update), again("get", Operation::Get)];
        let keys = |phase: usize| {
            let lanes = lanes_of(&workload, phase).into_iter();
            lanes.map(|lane| lane.into_iter().map(|record| record.key).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let inserted: Vec<Vec<_>> =
            keys(0).into_iter().zip(keys(1)).map(|(load, more)| [load, more].concat()).collect();
        assert!(inserted.iter().all(|lane| !lane.is_sorted()), "{key:?}");
        assert_eq!(keys(2), inserted, "{key:?}: each lane updates its own");
        // Lanes that read take turns with what all inserted, and begin apart.
        let all: Vec<_> = (0..200).flat_map(|place| inserted.iter().map(move |lane| lane[place].clone())).collect();
        let read = keys(3);
        for (lane, read) in read.iter().enumerate() {
            assert_eq!(read[..], all[lane * 200..(lane + 1) * 200], "{key:?}, lane {lane}");
        }
    }
}
