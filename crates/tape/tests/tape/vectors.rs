//! The small tapes in `vectors/`, for readers in other languages: they hold what their JSON says. A workload that is
//! recorded again has the bytes it had.
//!
//! `BAKEOFF_BLESS=1 cargo test -p bakeoff-tape vectors` writes the files anew, after a change of the format.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bakeoff_tape::{
    Consumer, Data, KeyForm, Operation, PhaseSpec, Pool, Role, Scan, TapeReader, TapeShape, TapeWriter, ValueSizes,
    Workload, consume, pool_bytes,
};
use bakeoff_tree::{Codec, Directory, Encoder};
use bakeoff_tree::{Tree, ValueForm, Walk};
use serde_json::{Value, json};

use crate::common::{Owned, phase, read, recorded, workload};
use crate::replay::Naive;

const POOL_BYTES: u64 = 512;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// Writes the file when blessing; compares it otherwise.
fn settle(name: &str, bytes: &[u8]) {
    let path = directory().join(name);
    if std::env::var_os("BAKEOFF_BLESS").is_some() {
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(std::fs::read(&path).unwrap() == bytes, "{} differs from what this code writes", path.display());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn plain(operation: Operation, flags: u8, key: &[u8], value: (u64, u32)) -> Owned {
    let (value_offset, value_bytes) = value;
    Owned { operation, flags, key: key.to_vec(), value_bytes, value_offset, due_ns: None, scan: None }
}

fn path_of(names: &[&[u8]]) -> Vec<u8> {
    names.iter().flat_map(|name| [&[name.len() as u8], *name].concat()).collect()
}

fn scan(
    operation: Operation,
    flags: u8,
    key: &[u8],
    limit: u64,
    consumer: Consumer,
    entries: &[(&[u8], &[u8])],
) -> Owned {
    let mut fold = consume::Fold::new(consumer, flags & 16 != 0);
    entries.iter().for_each(|(key, value)| fold.add(key, value));
    Owned { scan: Some(fold.finish(limit).encode()), ..plain(operation, flags, key, (0, 0)) }
}

/// Two lanes with every operation, every flag and every consumer. Lane 1 writes no key of lane 0, and lane 0 scans
/// nothing while lane 1 writes. So the answers hold for every interleaving.
fn every_operation(pool: &Pool) -> Vec<Vec<Owned>> {
    use Operation::{Commit, Delete, Get, Insert, ScanAll, Update, Upsert, Walk};
    let mut lane = vec![
        plain(Get, 0, b"absent", (0, 0)),
        plain(Insert, 0, b"b", (0, 10)),
        plain(Insert, 0, b"", (10, 0)),
        plain(Insert, 0, b"\x00\xff../x", (20, 300)),
        plain(Commit, 0, b"", (0, 0)),
        Owned { due_ns: Some(1_000_000), ..plain(Get, 1, b"b", (0, 10)) },
        plain(Update, 1, b"b", (30, 7)),
        plain(Upsert, 1, b"b", (40, 9)),
        // As if another lane wrote the one or the other: 9 bytes have 504 places, and 166 is 126 behind 40.
        plain(Get, 33, b"b", (40, 9)),
        plain(Get, 33, b"b", (166, 9)),
        plain(Upsert, 0, b"c", (POOL_BYTES, 0)),
        plain(Delete, 1, b"c", (0, 0)),
        plain(Insert, 4, b"c", (POOL_BYTES - 1, 1)),
        plain(Delete, 0, b"absent", (0, 0)),
        Owned { due_ns: Some(u64::MAX), ..plain(Commit, 0, b"", (0, 0)) },
    ];
    let value = |offset, bytes| pool.slice(offset, bytes).unwrap();
    let entries: [(&[u8], &[u8]); 4] = [
        (b"", value(10, 0)),
        (b"\x00\xff../x", value(20, 300)),
        (b"b", value(40, 9)),
        (b"c", value(POOL_BYTES - 1, 1)),
    ];
    let reversed: Vec<_> = entries.iter().rev().copied().collect();
    for consumer in Consumer::ALL {
        lane.push(scan(Operation::Scan, 0, b"\x01", 5, consumer, &entries[2..]));
        lane.push(scan(Operation::Scan, 2, b"bb", 2, consumer, &reversed[1..3]));
        lane.push(scan(ScanAll, 0, b"", 0, consumer, &entries));
        lane.push(scan(ScanAll, 2, b"", 0, consumer, &reversed));
        if consumer != Consumer::Copy {
            lane.push(scan(ScanAll, 16, b"", 0, consumer, &reversed));
        }
    }
    lane.push(scan(Operation::Scan, 0, b"d", 5, Consumer::Touch, &[]));
    vec![lane, tree_lane(pool), vec![plain(Walk, 0, &path_of(&[b"none", b"dir"]), (0, 2))]]
}

/// A tree of two directories, one in the other; ids are where the pool happens to hold them.
fn tree_lane(pool: &Pool) -> Vec<Owned> {
    let id_at = |offset| u64::from_le_bytes(*pool.slice(offset, 8).unwrap().first_chunk().unwrap());
    let (outer, inner) = (id_at(100), id_at(200));
    let key = |parent: u64, name: &[u8]| [parent.to_be_bytes().as_slice(), name].concat();
    vec![
        plain(Operation::Insert, 0, &key(0, b"usr"), (100, 8)),
        plain(Operation::Insert, 0, &key(outer, b"lib"), (200, 20)),
        plain(Operation::Walk, 1, &path_of(&[b"usr", b"lib"]), (inner, 2)),
        plain(Operation::Walk, 0, &path_of(&[b"usr", b"bin"]), (0, 2)),
        plain(Operation::Delete, 1, &key(outer, b"lib"), (0, 0)),
        plain(Operation::Delete, 1, &key(0, b"usr"), (0, 0)),
    ]
}

/// Existence checks, scans of a prefix and first entries, on one lane, in its order.
fn prefixes(pool: &Pool) -> Vec<Owned> {
    use Operation::{Delete, Exists, First, Insert, ScanPrefix};
    let keys: [&[u8]; 5] = [b"a", b"ab", b"ab\xff", b"b", b"\xff\xff"];
    let value = |number: usize| (10 * number as u64, 20 + number as u32);
    let entry = |number: usize| {
        let (offset, bytes) = value(number);
        (keys[number], pool.slice(offset, bytes).unwrap())
    };
    let mut lane = vec![
        plain(Exists, 0, b"a", (0, 0)),
        scan(First, 0, b"", 1, Consumer::Touch, &[]),
        scan(First, 2, b"", 1, Consumer::Touch, &[]),
        scan(ScanPrefix, 0, b"a", 9, Consumer::Xxh64, &[]),
    ];
    lane.extend((0..keys.len()).map(|number| plain(Insert, 0, keys[number], value(number))));
    for consumer in Consumer::ALL {
        lane.push(scan(First, 0, b"", 1, consumer, &[entry(0)]));
        lane.push(scan(First, 2, b"", 1, consumer, &[entry(4)]));
        lane.push(scan(First, 0, b"ab", 1, consumer, &[entry(1)]));
        lane.push(scan(First, 0, b"ac", 1, consumer, &[]));
        lane.push(scan(ScanPrefix, 0, b"ab", 9, consumer, &[entry(1), entry(2)]));
        lane.push(scan(ScanPrefix, 0, b"a", 2, consumer, &[entry(0), entry(1)]));
        lane.push(scan(ScanPrefix, 0, b"\xff", u64::MAX, consumer, &[entry(4)]));
        lane.push(scan(ScanPrefix, 2, b"", 2, consumer, &[entry(4), entry(3)]));
        lane.push(scan(ScanPrefix, 0, b"a", 0, consumer, &[]));
    }
    lane.extend([
        plain(Exists, 1, b"a", (0, 0)),
        Owned { due_ns: Some(5), ..plain(Exists, 0, b"aa", (0, 0)) },
        plain(Delete, 1, b"a", (0, 0)),
        plain(Exists, 4, b"a", (0, 0)),
        scan(First, 0, b"", 1, Consumer::Touch, &[entry(1)]),
        scan(First, 0, b"a", 1, Consumer::Touch, &[entry(1)]),
    ]);
    lane
}

/// Lanes of one block each, to be replayed one after the other. Blocks of equal operations, for which a driver may have
/// a special path, are between others.
fn alike() -> Vec<Vec<Owned>> {
    use Operation::{Delete, Get, Insert, Update};
    let key = |number: u64| number.to_be_bytes();
    let value = |place: u64| (place, 40);
    let several = |number: u64| if number == 30 { (0, 0) } else { (13 * (number - 30), 17 * (number as u32 % 4) + 3) };
    let whole = |number: u64| if number < 25 { 40 * (number - 13) } else { 40 * (number - 23) };
    vec![
        (0..4).map(|number| plain(Insert, 0, &key(number), value(50 * number))).collect(),
        (0..4).map(|number| plain(Update, 1, &key(number), value(50 * number + 3))).collect(),
        vec![
            plain(Delete, 1, &key(1), (0, 0)),
            plain(Get, 1, &key(0), value(3)),
            plain(Insert, 0, b"short", (7, 1)),
            plain(Get, 0, &key(1), (0, 0)),
            plain(Get, 1, b"short", (7, 1)),
            plain(Insert, 0, b"four", (300, 40)),
        ],
        [0, 2, 3].map(|number| plain(Get, 1, &key(number), value(50 * number + 3))).into(),
        (4..10).map(|number| plain(Insert, 0, &key(number), value(20 * number))).collect(),
        (11..14).map(|number| plain(Get, 0, &key(number), (0, 0))).collect(),
        (4..10).map(|number| plain(Get, 1, &key(number), value(20 * number))).collect(),
        vec![plain(Get, 1, b"four", (300, 40)), plain(Get, 1, &key(3), value(153))],
        // Values at multiples of their length, from the middle of the pool to its end and again from elsewhere; some of them; and none.
        (20..28).map(|number| plain(Insert, 0, &key(number), value(whole(number)))).collect(),
        (20..28).map(|number| plain(Get, 1, &key(number), value(whole(number)))).collect(),
        [20, 21].map(|number| plain(Update, 1, &key(number), value(40 * (number - 20)))).into(),
        (22..25).map(|number| plain(Update, 1, &key(number), value(if number < 24 { 200 } else { 210 }))).collect(),
        (20..25)
            .map(|number| plain(Get, 1, &key(number), value([0, 40, 200, 200, 210][number as usize - 20])))
            .collect(),
        (25..28).map(|number| plain(Get, 1, &key(number), value(whole(number)))).collect(),
        // Keys of one length, values of several, with none at first; a value as long as one before; once more.
        (30..36).map(|number| plain(Insert, 0, &key(number), several(number))).collect(),
        (30..36).map(|number| plain(Update, 1, &key(number), several(number + 1))).collect(),
        (30..36).map(|number| plain(Get, 1, &key(number), several(number + 1))).collect(),
    ]
}

/// Two directories for each codec, one in the other, serialised one after the other; the ids of a codec's are 200 and 90,000 more than its
/// code.
fn serialised() -> (Vec<u8>, Vec<Owned>) {
    let (mut pool, mut lane, mut encoder, mut value) = (Vec::new(), Vec::new(), Encoder::default(), Vec::new());
    for codec in Codec::ALL {
        let (outer, inner) = (200 + codec as u64, 90_000 + codec as u64);
        let top = codec.name().as_bytes();
        let directories = [(0, outer, top), (outer, inner, b"sub".as_slice())]
            .map(|(parent_id, object_id, name)| (Directory { object_id, parent_id }, name));
        for (directory, name) in directories {
            encoder.encode(codec, &directory, &mut value);
            let key = [directory.parent_id.to_be_bytes().as_slice(), name].concat();
            lane.push(plain(Operation::Insert, 0, &key, (pool.len() as u64, value.len() as u32)));
            pool.extend_from_slice(&value);
        }
        let paths = [path_of(&[top, b"sub"]), path_of(&[top, b"sub", b"sub"]), path_of(&[top, b"dir"])];
        for all_fields in [false, true].into_iter().filter(|all| codec != Codec::Long || !all) {
            let fold = |state, (directory, _): &(Directory, _)| directory.fold_fields(state);
            let state = if all_fields { directories.iter().fold(0, fold) } else { inner };
            for (path, (flags, expected, past_leaf)) in
                paths.iter().zip([(1, state, false), (0, state, true), (0, 0, false)])
            {
                let components = if past_leaf { 3 } else { 2 };
                let walk = Walk { components, codec, all_fields, past_leaf };
                lane.push(plain(Operation::Walk, flags, path, (expected, walk.encode())));
            }
        }
    }
    (pool, lane)
}

fn record_json(record: &Owned) -> Value {
    let mut object = json!({
        "operation": record.operation.name(),
        "flags": record.flags,
        "key": hex(&record.key),
        "value_bytes": record.value_bytes,
        // 64-bit integers are text, as not every JSON reader keeps them.
        "value_offset": record.value_offset.to_string(),
    });
    if let Some(due_ns) = record.due_ns {
        object["due_ns"] = due_ns.to_string().into();
    }
    if let Some(Scan { limit, entries, bytes, checksum, consumer }) = record.scan() {
        let (checksum, consumer) = (format!("{checksum:016x}"), serde_json::to_value(consumer).unwrap());
        object["scan"] =
            json!({ "limit": limit, "entries": entries, "bytes": bytes, "checksum": checksum, "consumer": consumer });
    }
    object
}

fn describe(tape: &Path) -> String {
    let reader = TapeReader::open(tape).unwrap();
    let facts = reader.facts();
    let lanes: Vec<Vec<Value>> = read(tape).iter().map(|lane| lane.iter().map(record_json).collect()).collect();
    let description = json!({
        "tape_checksum": facts.identity(),
        "content_checksum": format!("{:016x}", facts.content_checksum),
        "file_bytes": facts.file_bytes,
        "operations": facts.operations,
        "pool_bytes": facts.pool_bytes,
        "pool_checksum": format!("{:016x}", facts.pool_checksum),
        "metadata": facts.metadata,
        "lanes": lanes,
    });
    serde_json::to_string_pretty(&description).unwrap() + "\n"
}

/// Writes a tape, compares it and what it says with the committed files, and reads its records back.
fn check_vector(name: &str, lanes: &[Vec<Owned>], pool: &Pool, metadata: &str) {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("vector.tape");
    let shape = TapeShape {
        lanes: lanes.len() as u32,
        pool_bytes: pool.bytes(),
        pool_checksum: pool.checksum(),
        metadata_bytes_max: metadata.len(),
    };
    let mut writer = TapeWriter::create(&path, shape).unwrap();
    for (number, lane) in lanes.iter().enumerate() {
        if number > 0 {
            writer.next_lane().unwrap();
        }
        lane.iter().for_each(|record| writer.push(&record.record()).unwrap());
    }
    let header = writer.finish(metadata).unwrap();
    assert_eq!(&header, TapeReader::open(&path).unwrap().facts());
    settle(&format!("{name}.tape"), &std::fs::read(&path).unwrap());
    settle(&format!("{name}.json"), describe(&path).as_bytes());
    let with_due =
        |record: &Owned| Owned { flags: record.flags | u8::from(record.due_ns.is_some()) << 3, ..record.clone() };
    let expected: Vec<Vec<Owned>> = lanes.iter().map(|lane| lane.iter().map(with_due).collect()).collect();
    assert_eq!(read(&directory().join(format!("{name}.tape"))), expected);
}

fn pool_of(name: &str, bytes: &[u8]) -> Pool {
    settle(name, bytes);
    Pool::open(&directory().join(name)).unwrap()
}

fn pool() -> Pool {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("pool.bin");
    Pool::create(&path, Data::Random, POOL_BYTES, 1, None, &mut |_| ControlFlow::Continue(())).unwrap();
    pool_of("pool.bin", &std::fs::read(&path).unwrap())
}

#[test]
fn vectors_hold_what_they_say() {
    let pool = pool();
    let lanes = every_operation(&pool);
    check_vector("every-operation", &lanes, &pool, r#"{"phase":"every-operation"}"#);
    check_vector("empty", &[Vec::new()], &pool, "{}");
    let alike = alike();
    check_vector("alike", &alike, &pool, r#"{"phase":"alike"}"#);
    let prefixes = vec![prefixes(&pool)];
    check_vector("prefixes", &prefixes, &pool, r#"{"phase":"prefixes"}"#);
    Naive::default().replay(&prefixes, &pool);
    // One lane after the other: the answers of the first must not see the tree of the second.
    for lanes in [lanes, alike] {
        let mut naive = Naive::default();
        lanes.iter().for_each(|lane| naive.replay(std::slice::from_ref(lane), &pool));
    }
}

#[test]
fn serialised_values_are_read_as_they_were_written() {
    let (bytes, lane) = serialised();
    let pool = pool_of("serialised.bin", &bytes);
    check_vector("serialised", std::slice::from_ref(&lane), &pool, r#"{"phase":"serialised"}"#);
    Naive::default().replay(&[lane], &pool);
}

/// The same suite and seed give byte-identical tapes, on any machine, until the version of the generator changes.
#[test]
fn a_fixed_workload_keeps_its_bytes() {
    let mut lines = String::new();
    for (key, lanes, access) in [
        (KeyForm::Sha1, 1, bakeoff_tape::Access::Zipfian { theta: 0.99 }),
        (KeyForm::Decimal, 2, bakeoff_tape::Access::Hot { records: 0.2, operations: 0.8 }),
        (KeyForm::Integer, 1, bakeoff_tape::Access::Latest { theta: 1.0 }),
    ] {
        let mut mixed = phase("mixed", &[(Operation::Get, 0.5), (Operation::Update, 0.3), (Operation::Insert, 0.2)]);
        (mixed.access, mixed.missing) = (access, 0.1);
        let mut load = workload(key, 3000, vec![mixed, phase("scan", &[(Operation::Scan, 1.0)])]);
        load.phases[0].access = bakeoff_tape::Access::Uniform;
        let workload = Workload { lanes, data: Data::Text, ..load };
        let temporary = tempfile::tempdir().unwrap();
        let recording = recorded(&workload, temporary.path()).unwrap();
        lines += &format!("{} pool {}\n", key.name(), recording.pool_facts.checksum);
        for tape in &recording.phases {
            lines += &format!("{} {} {}\n", key.name(), tape.name, tape.tape_checksum);
        }
    }
    for values in ValueForm::ALL {
        let walk = PhaseSpec {
            operations: Some(500),
            all_fields: values.has_fields(),
            past_leaf: true,
            ..phase("walk", &[(Operation::Walk, 1.0)])
        };
        let tree = Some(Tree { fanout: 5, levels: 4, padding_bytes: 0, values, name_bytes: 34 });
        let workload = Workload { tree, ..workload(KeyForm::Directory, 780, vec![walk]) };
        let temporary = tempfile::tempdir().unwrap();
        let recording = recorded(&workload, temporary.path()).unwrap();
        lines += &format!("{} pool {}\n", values.name(), recording.pool_facts.checksum);
        for tape in &recording.phases {
            lines += &format!("{} {} {}\n", values.name(), tape.name, tape.tape_checksum);
        }
    }
    let mut mixed = phase("mixed", &[(Operation::Get, 0.5), (Operation::Update, 0.3), (Operation::Insert, 0.2)]);
    mixed.access = bakeoff_tape::Access::Zipfian { theta: 0.99 };
    let value_bytes = ValueSizes::parse("70% 200B, 20% 1KiB..4KiB, 10% 20KiB").unwrap();
    let pool_bytes = pool_bytes(&value_bytes);
    let workload = Workload { value_bytes, pool_bytes, lanes: 2, ..workload(KeyForm::Sha1, 3000, vec![mixed]) };
    let temporary = tempfile::tempdir().unwrap();
    let recording = recorded(&workload, temporary.path()).unwrap();
    for tape in &recording.phases {
        lines += &format!("mixture {} {}\n", tape.name, tape.tape_checksum);
    }
    let turned = [(Operation::Get, 6.0), (Operation::Update, 1.0), (Operation::Insert, 1.0), (Operation::Delete, 1.0)];
    let zipfian = bakeoff_tape::Access::Zipfian { theta: 0.99 };
    let expiring = PhaseSpec {
        access: zipfian,
        access_of: [(Operation::Delete, bakeoff_tape::Access::Insertion)].into(),
        ..phase("expiring", &turned)
    };
    let role = |threads, share, mix: &[(Operation, f64)]| Role { threads, share, mix: mix.iter().copied().collect() };
    let roles = vec![role(3, 2.0, &turned[..1]), role(1, 1.0, &turned[1..])];
    let in_roles = PhaseSpec { access: zipfian, ..phase("roles", &[]) }.in_roles(roles);
    let value_bytes = ValueSizes::parse("70% 20B, 30% 100B, popular large").unwrap();
    let workload =
        Workload { value_bytes, lanes: 4, ..crate::common::workload(KeyForm::Sha1, 3000, vec![expiring, in_roles]) };
    let temporary = tempfile::tempdir().unwrap();
    for tape in &recorded(&workload, temporary.path()).unwrap().phases {
        lines += &format!("turned {} {}\n", tape.name, tape.tape_checksum);
    }
    settle("recorded.txt", lines.as_bytes());
}
