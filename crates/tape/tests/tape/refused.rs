//! `vectors/refused.json`: tapes that break one rule of `docs/TAPE.md` each, with all checksums right, for readers in any language to refuse.
//!
//! `BAKEOFF_BLESS=1 cargo test -p bakeoff-tape refused` writes the file anew.

use std::path::Path;

use bakeoff_tape::{
    Consumer, Operation, REFUSED_TAPES, Scan, TapeReader, TapeShape, TapeWriter, VECTORS_POOL, consume,
};
use bakeoff_tree::{Codec, Walk};
use serde_json::json;

use crate::common::{Owned, read};
use crate::damage::{seal, seal_header};

/// One rule that is broken.
struct Case {
    group: &'static str,
    name: &'static str,
    rule: &'static str,
    tape: Vec<u8>,
}

/// A tape of these records, before anything is broken.
fn sound(records: &[Owned]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sound.tape");
    let (pool_bytes, pool_checksum) = (VECTORS_POOL.len() as u64, consume::xxh64(VECTORS_POOL));
    let shape = TapeShape { lanes: 1, pool_bytes, pool_checksum, metadata_bytes_max: 4 };
    let mut writer = TapeWriter::create(&path, shape).unwrap();
    records.iter().for_each(|record| writer.push(&record.record()).unwrap());
    writer.finish("{}").unwrap();
    assert_eq!(read(&path), [records.to_vec()], "a reader takes it");
    std::fs::read(path).unwrap()
}

/// Where the first block begins in a tape of one lane whose metadata has room for 4 bytes.
const BLOCK: usize = 72 + 32 + 8;
/// Where its first record begins.
const RECORD: usize = BLOCK + 24;

fn patched(mut tape: Vec<u8>, patches: &[(usize, &[u8])]) -> Vec<u8> {
    for (at, bytes) in patches {
        tape[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    tape
}

/// A tape of one record, with bytes of that record changed.
fn record(
    (group, name, rule): (&'static str, &'static str, &'static str),
    record: Owned,
    patches: &[(usize, &[u8])],
) -> Case {
    let patches: Vec<_> = patches.iter().map(|(at, bytes)| (RECORD + at, *bytes)).collect();
    let mut tape = patched(sound(&[record]), &patches);
    seal(&mut tape);
    Case { group, name, rule, tape }
}

fn plain(operation: Operation, flags: u8, key: &[u8], value: (u64, u32)) -> Owned {
    let (value_offset, value_bytes) = value;
    Owned { operation, flags, key: key.to_vec(), value_bytes, value_offset, due_ns: None, scan: None }
}

fn scan(operation: Operation, key: &[u8], consumer: Consumer) -> Owned {
    let limit = match operation {
        Operation::ScanAll => 0,
        Operation::First => 1,
        _ => 5,
    };
    let scan = Scan { limit, entries: 0, bytes: 0, checksum: 0, consumer };
    Owned { scan: Some(scan.encode()), ..plain(operation, 0, key, (0, 0)) }
}

fn walk(flags: u8, path: &[u8], walk: Walk, value_offset: u64) -> Owned {
    plain(Operation::Walk, flags, path, (value_offset, walk.encode()))
}

const FLAGS: usize = 1;
const VALUE_BYTES: usize = 4;
const VALUE_OFFSET: usize = 8;

fn flags() -> Vec<Case> {
    use Operation::{Commit, Delete, Get, Insert, ScanAll, Update, Upsert};
    let long = Walk { components: 1, codec: Codec::Long, all_fields: false, past_leaf: false };
    let count = |operation| scan(operation, if operation == ScanAll { b"" } else { b"k" }, Consumer::Count);
    let case = |name, rule, sound, flags: u8| record(("flags", name, rule), sound, &[(FLAGS, &[flags])]);
    vec![
        case("unknown-flag", "bits above SHARED are 0", plain(Get, 1, b"k", (0, 1)), 0x41),
        case("shared-in-exists", "SHARED is for get alone", plain(Operation::Exists, 1, b"k", (0, 0)), 0x21),
        case("shared-in-update", "SHARED is for get alone", plain(Update, 1, b"k", (0, 1)), 0x21),
        case("shared-in-scan", "SHARED is for get alone", count(Operation::Scan), 0x20),
        case("shared-without-found", "SHARED is only with FOUND", plain(Get, 0, b"k", (0, 0)), 0x20),
        case("any-order-in-get", "ANY_ORDER is for scan-all alone", plain(Get, 1, b"k", (0, 1)), 0x11),
        case("any-order-in-scan", "ANY_ORDER is for scan-all alone", count(Operation::Scan), 0x10),
        case("any-order-in-insert", "ANY_ORDER is for scan-all alone", plain(Insert, 0, b"k", (0, 1)), 0x10),
        case(
            "any-order-and-copy",
            "ANY_ORDER is not combined with the consumer copy",
            scan(ScanAll, b"", Consumer::Copy),
            0x10,
        ),
        case("reverse-in-get", "REVERSE is for scan and scan-all alone", plain(Get, 1, b"k", (0, 1)), 0x03),
        case("reverse-in-insert", "REVERSE is for scan and scan-all alone", plain(Insert, 0, b"k", (0, 1)), 0x02),
        case("reverse-in-delete", "REVERSE is for scan and scan-all alone", plain(Delete, 1, b"k", (0, 0)), 0x03),
        case("reverse-in-commit", "REVERSE is for scan and scan-all alone", plain(Commit, 0, b"", (0, 0)), 0x02),
        case("reverse-in-walk", "REVERSE is for scan and scan-all alone", walk(1, b"\x01a", long, 7), 0x03),
        case("found-in-insert", "an insert has no FOUND", plain(Insert, 0, b"k", (0, 1)), 0x01),
        case("found-in-scan", "a scan has no FOUND", count(Operation::Scan), 0x01),
        case("found-in-scan-all", "a scan-all has no FOUND", count(ScanAll), 0x01),
        case("found-in-commit", "a commit has no FOUND", plain(Commit, 0, b"", (0, 0)), 0x01),
        case("update-without-found", "an update has FOUND", plain(Update, 1, b"k", (0, 1)), 0),
        case(
            "reverse-in-exists",
            "REVERSE is for kinds of scan alone",
            plain(Operation::Exists, 1, b"k", (0, 0)),
            0x03,
        ),
        case("found-in-first", "a first has no FOUND", count(Operation::First), 0x01),
        case("found-in-scan-prefix", "a scan-prefix has no FOUND", count(Operation::ScanPrefix), 0x01),
        case("any-order-in-first", "ANY_ORDER is for scan-all alone", count(Operation::First), 0x10),
        case("reverse-and-a-prefix", "REVERSE is not combined with a prefix", count(Operation::ScanPrefix), 0x02),
        case("reverse-in-upsert", "REVERSE is for scan and scan-all alone", plain(Upsert, 0, b"k", (0, 1)), 0x02),
    ]
}

fn values() -> Vec<Case> {
    use Operation::{Commit, Delete, Get, Insert, ScanAll, Update};
    let case = |name, rule, sound, patches: &[(usize, &[u8])]| record(("values", name, rule), sound, patches);
    let none = "an operation without a value has 0 in value_bytes and value_offset";
    let inside = "a value lies inside the pool";
    vec![
        case("value-bytes-in-exists", none, plain(Operation::Exists, 1, b"k", (0, 0)), &[(VALUE_BYTES, &[1])]),
        case("value-bytes-in-delete", none, plain(Delete, 1, b"k", (0, 0)), &[(VALUE_BYTES, &[1])]),
        case("value-offset-in-delete", none, plain(Delete, 0, b"k", (0, 0)), &[(VALUE_OFFSET, &[1])]),
        case("value-bytes-in-commit", none, plain(Commit, 0, b"", (0, 0)), &[(VALUE_BYTES, &[1])]),
        case("value-bytes-in-scan", none, scan(Operation::Scan, b"k", Consumer::Count), &[(VALUE_BYTES, &[1])]),
        case("value-offset-in-scan-all", none, scan(ScanAll, b"", Consumer::Count), &[(VALUE_OFFSET, &[1])]),
        case("value-bytes-in-get-not-found", none, plain(Get, 0, b"k", (0, 0)), &[(VALUE_BYTES, &[1])]),
        case("value-offset-in-get-not-found", none, plain(Get, 0, b"k", (0, 0)), &[(VALUE_OFFSET, &[1])]),
        case("insert-beyond-the-pool", inside, plain(Insert, 0, b"k", (511, 1)), &[(VALUE_BYTES, &[2])]),
        case("update-beyond-the-pool", inside, plain(Update, 1, b"k", (0, 1)), &[(VALUE_OFFSET, &[0, 2])]),
        case("get-beyond-the-pool", inside, plain(Get, 1, b"k", (0, 1)), &[(VALUE_OFFSET, &[0, 2])]),
        case("value-offset-overflows", inside, plain(Insert, 0, b"k", (0, 1)), &[(VALUE_OFFSET, &[0xff; 8])]),
    ]
}

fn records() -> Vec<Case> {
    use Operation::{Commit, Get, Insert, ScanAll};
    let case = |name, rule, sound, patches: &[(usize, &[u8])]| record(("records", name, rule), sound, patches);
    let count = |operation| scan(operation, if operation == ScanAll { b"" } else { b"k" }, Consumer::Count);
    let get = || plain(Get, 0, b"k", (0, 0));
    vec![
        case("operation-0", "an operation is one of 1 to 12", get(), &[(0, &[0])]),
        case("operation-13", "an operation is one of 1 to 12", get(), &[(0, &[13])]),
        case("key-in-commit", "a commit has no key", plain(Insert, 0, b"k", (0, 0)), &[(0, &[8])]),
        case(
            "key-in-scan-all",
            "a scan-all has no key",
            {
                let fields = Scan { limit: 0, entries: 0, bytes: 0, checksum: 0, consumer: Consumer::Count };
                Owned { scan: Some(fields.encode()), ..plain(Operation::Scan, 0, b"k", (0, 0)) }
            },
            &[(0, &[7])],
        ),
        case("record-crosses-its-block", "a record lies inside its block", get(), &[(2, &[2])]),
        case(
            "due-crosses-its-block",
            "a record lies inside its block",
            plain(Commit, 0, b"", (0, 0)),
            &[(FLAGS, &[8])],
        ),
        case("scan-crosses-its-block", "a record lies inside its block", get(), &[(0, &[6])]),
        case("limit-in-scan-all", "a scan-all has limit 0", count(ScanAll), &[(16, &[1])]),
        case("limit-in-first", "a first has limit 1", count(Operation::First), &[(17, &[2])]),
        case("entries-above-limit", "a scan expects at most limit entries", count(Operation::Scan), &[(25, &[6])]),
        case("unknown-consumer", "a consumer is one of 0 to 5", count(ScanAll), &[(48, &[6])]),
        case("padding-of-a-consumer", "the 7 bytes after a consumer are 0", count(ScanAll), &[(55, &[1])]),
    ]
}

fn walks() -> Vec<Case> {
    let case = |name, rule, sound, patches: &[(usize, &[u8])]| record(("walks", name, rule), sound, patches);
    let of = |components, codec, past_leaf| Walk { components, codec, all_fields: false, past_leaf };
    let long = || walk(1, b"\x01a", of(1, Codec::Long, false), 7);
    let past = || walk(0, b"\x01a", of(1, Codec::Long, true), 0);
    vec![
        case("unknown-codec", "a codec is one of 0 to 2", long(), &[(6, &[3])]),
        case("unknown-bit", "bits 26 to 31 are 0", long(), &[(7, &[4])]),
        case("all-fields-of-long", "ALL_FIELDS is not for the codec long", long(), &[(7, &[1])]),
        case("past-leaf-and-found", "PAST_LEAF is not combined with FOUND", past(), &[(FLAGS, &[1])]),
        case(
            "past-leaf-of-nothing",
            "PAST_LEAF needs a component",
            walk(0, b"", of(0, Codec::Long, false), 0),
            &[(7, &[2])],
        ),
        case("components", "a path has as many components as its walk says", long(), &[(4, &[2])]),
        case("path-cut-short", "the last component of a path is whole", long(), &[(16, &[2])]),
        case(
            "value-offset-of-an-open-walk",
            "a walk with neither FOUND nor PAST_LEAF has value_offset 0",
            walk(0, b"\x01a", of(1, Codec::Long, false), 0),
            &[(VALUE_OFFSET, &[1])],
        ),
    ]
}

/// Whether the checksums are those of the broken bytes.
#[derive(Clone, Copy, PartialEq)]
enum Sealed {
    All,
    Header,
    No,
}

fn blocks_and_headers() -> Vec<Case> {
    let tape = || sound(&[plain(Operation::Get, 0, b"k", (0, 0)), plain(Operation::Insert, 0, b"k", (0, 9))]);
    let length = tape().len() as u64;
    let case = |group, name, rule, sealed, patches: &[(usize, &[u8])]| {
        let mut tape = patched(tape(), patches);
        match sealed {
            Sealed::All => seal(&mut tape),
            Sealed::Header => seal_header(&mut tape),
            Sealed::No => {}
        }
        Case { group, name, rule, tape }
    };
    let block = |name, rule, sealed, patches: &[(usize, &[u8])]| case("blocks", name, rule, sealed, patches);
    let header = |name, rule, sealed, patches: &[(usize, &[u8])]| case("header", name, rule, sealed, patches);
    let cut = |name, rule, bytes: Vec<u8>| Case { group: "header", name, rule, tape: bytes };
    use Sealed::{All, Header, No};
    vec![
        block("operations-of-a-block", "a block has as many operations as it says", All, &[(BLOCK + 4, &[3])]),
        block("empty-block", "a block has 1 to 1,024 operations", All, &[(BLOCK + 4, &[0])]),
        block("full-block", "a block has 1 to 1,024 operations", All, &[(BLOCK + 4, &[1, 4])]),
        block("output-bytes", "output_bytes is what right answers append", All, &[(BLOCK + 8, &[1])]),
        block("checksum-of-a-block", "a block's checksum is that of its records", Header, &[(BLOCK + 16, &[0; 8])]),
        block("flipped-record", "a block's checksum is that of its records", Header, &[(RECORD + 16, b"j")]),
        block("block-crosses-its-lane", "a block lies inside its lane", Header, &[(BLOCK, &[0xff])]),
        header("magic", "a tape begins with BAKETAPE", All, &[(0, b"b")]),
        header("version", "the version is 1", All, &[(8, &[2])]),
        header("header-checksum", "header_checksum is that of the header", No, &[(64, &[0; 8])]),
        header("content-checksum", "content_checksum is that of the blocks' checksums", Header, &[(56, &[0; 8])]),
        header("no-lanes", "a tape has 1 to 4,096 lanes", Header, &[(16, &[0])]),
        header("too-many-lanes", "a tape has 1 to 4,096 lanes", No, &[(16, &[1, 16])]),
        header("header-bytes-odd", "header_bytes is a multiple of 8", No, &[(12, &[BLOCK as u8 - 1])]),
        header("header-bytes-short", "header_bytes holds lane table and metadata", No, &[(12, &[72])]),
        header("too-much-metadata", "metadata has at most 1 MiB", No, &[(20, &[1, 0, 16])]),
        header("metadata-not-utf-8", "metadata is UTF-8", Header, &[(104, &[0xff])]),
        header("padding", "padding is 0", Header, &[(BLOCK - 1, &[1])]),
        header("file-bytes", "file_bytes is the length of the file", Header, &[(48, &(length + 8).to_le_bytes())]),
        header("lane-offset", "the first lane follows the header", Header, &[(72, &[BLOCK as u8 + 8])]),
        header("lane-bytes", "the last lane ends with the file", Header, &[(80, &(length - 113).to_le_bytes())]),
        header("operations", "operations is the sum of the lanes'", Header, &[(24, &[3])]),
        header("lane-operations", "a lane has as many operations as it says", Header, &[(24, &[3]), (88, &[3])]),
        header("lane-blocks", "a lane has as many blocks as it says", Header, &[(96, &[2])]),
        cut("empty-file", "a file is as long as file_bytes", Vec::new()),
        cut("cut-in-the-header", "a file is as long as file_bytes", tape()[..80].to_vec()),
        cut("cut-in-a-record", "a file is as long as file_bytes", tape()[..tape().len() - 1].to_vec()),
        cut("added-to", "a file is as long as file_bytes", [tape(), vec![0]].concat()),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_rule_has_a_tape_that_is_refused_for_it() {
    let cases: Vec<_> = [flags(), values(), records(), walks(), blocks_and_headers()].into_iter().flatten().collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("refused.tape");
    for case in &cases {
        std::fs::write(&path, &case.tape).unwrap();
        let refused = TapeReader::open(&path).and_then(|tape| tape.check().map(drop));
        assert!(refused.is_err(), "{}: {}", case.name, case.rule);
    }
    let line = |case: &Case| {
        let line = json!({ "group": case.group, "name": case.name, "rule": case.rule, "tape": hex(&case.tape) });
        line.to_string()
    };
    let text = format!("[\n{}\n]\n", cases.iter().map(line).collect::<Vec<_>>().join(",\n"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/refused.json");
    if std::env::var_os("BAKEOFF_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
        return;
    }
    assert!(REFUSED_TAPES == text, "{} differs from what this code writes", file.display());
}
