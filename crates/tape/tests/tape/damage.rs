//! Wrong tapes are refused with a message, and never crash a reader.

use std::path::{Path, PathBuf};

use bakeoff_tape::{KeyForm, Operation, TapeError, TapeReader, show};
use xxhash_rust::xxh64::xxh64;

use crate::common::{phase, recorded, workload};

/// A small tape with every field somewhere, and a directory to put damaged ones in.
fn small_tape() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let kinds = [
        (Operation::Get, 1.0),
        (Operation::Update, 1.0),
        (Operation::Scan, 1.0),
        (Operation::ScanAll, 0.5),
        (Operation::Delete, 0.5),
    ];
    let mut mixed = phase("mixed", &kinds);
    mixed.operations = Some(12);
    mixed.batch = bakeoff_tape::Batch::Writes(3);
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(&workload(KeyForm::Decimal, 10, vec![mixed]), directory.path()).unwrap();
    let bytes = std::fs::read(&recording.phases[1].path).unwrap();
    let path = directory.path().join("damaged.tape");
    (directory, path, bytes)
}

/// Reads all of a tape in every way there is.
fn read_all(path: &Path) -> Result<(), TapeError> {
    let shown = show(path, &mut std::io::sink(), None);
    let tape = TapeReader::open(path)?;
    tape.check()?;
    shown
}

fn refusal(path: &Path, bytes: &[u8]) -> TapeError {
    std::fs::write(path, bytes).unwrap();
    read_all(path).expect_err("a tape that is not whole must be refused")
}

fn field(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// Corrects all checksums, so that only the data they protect can reveal damage.
pub(crate) fn seal(bytes: &mut [u8]) {
    let (mut at, mut content) = (field(bytes, 72), Vec::new());
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let checksum = xxh64(&bytes[at + 24..at + 24 + length], 0).to_le_bytes();
        bytes[at + 16..at + 24].copy_from_slice(&checksum);
        content.extend(checksum);
        at += 24 + length;
    }
    bytes[56..64].copy_from_slice(&xxh64(&content, 0).to_le_bytes());
    seal_header(bytes);
}

pub(crate) fn seal_header(bytes: &mut [u8]) {
    let header_bytes = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    bytes[64..72].fill(0);
    let checksum = xxh64(&bytes[..header_bytes.min(bytes.len())], 0);
    bytes[64..72].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn every_byte_counts() {
    let (_directory, path, whole) = small_tape();
    std::fs::write(&path, &whole).unwrap();
    read_all(&path).unwrap();
    for at in 0..whole.len() {
        for mask in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            refusal(&path, &bytes);
        }
    }
}

#[test]
fn bytes_that_checksums_agree_with_never_crash_a_reader() {
    let (_directory, path, whole) = small_tape();
    let first_block = field(&whole, 72);
    for at in first_block + 24..whole.len() {
        for mask in [1, 2, 0x10, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            seal(&mut bytes);
            std::fs::write(&path, &bytes).unwrap();
            // A different key or checksum is a different, valid tape; everything else is refused.
            let _ = read_all(&path);
        }
    }
    for at in (8..first_block).filter(|at| !(64..72).contains(at)) {
        for mask in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            seal_header(&mut bytes);
            std::fs::write(&path, &bytes).unwrap();
            let _ = read_all(&path);
        }
    }
}

#[test]
fn tapes_of_another_length_are_refused() {
    let (_directory, path, whole) = small_tape();
    for length in 0..whole.len() {
        let error = refusal(&path, &whole[..length]);
        match length {
            0..8 => assert!(matches!(error, TapeError::Foreign { .. }), "{length}: {error}"),
            _ => assert!(matches!(error, TapeError::Length { .. }), "{length}: {error}"),
        }
    }
    let error = refusal(&path, &[whole.as_slice(), &[0]].concat());
    let (long, right) = (whole.len() + 1, whole.len());
    assert!(error.to_string().contains(&format!("{long} bytes long, expected {right}")), "{error}");
}

#[test]
fn foreign_files_and_unknown_versions_are_refused() {
    let (directory, path, whole) = small_tape();
    let error = refusal(&path, b"PAR1 and so on, long enough to hold a header of seventy-two bytes, and more");
    assert!(matches!(error, TapeError::Foreign { .. }), "{error}");
    assert!(error.to_string().contains("damaged.tape is not a tape"), "{error}");
    let mut bytes = whole;
    bytes[8] = 2;
    seal_header(&mut bytes);
    let error = refusal(&path, &bytes).to_string();
    assert!(error.contains("format version 2, but this program reads version 1"), "{error}");
    let error = read_all(directory.path()).unwrap_err();
    assert!(matches!(error, TapeError::Io { .. }), "{error}");
    let error = read_all(&directory.path().join("missing.tape")).unwrap_err().to_string();
    assert!(error.contains("missing.tape") && error.contains("No such file"), "{error}");
}

/// Changes something in the first record of the tape or in its header, with all checksums right, and gives the error.
fn error_of(change: impl Fn(&mut Vec<u8>, usize)) -> String {
    let (_directory, path, mut bytes) = small_tape();
    let first_record = field(&bytes, 72) + 24;
    change(&mut bytes, first_record);
    seal(&mut bytes);
    refusal(&path, &bytes).to_string()
}

#[test]
fn broken_rules_are_named() {
    let set = |offset: usize, value: &'static [u8]| {
        error_of(move |bytes, record| bytes[record + offset..record + offset + value.len()].copy_from_slice(value))
    };
    for (error, words) in [
        (set(0, &[13]), "record is malformed (first byte 13)"),
        (set(0, &[0]), "record is malformed (first byte 0)"),
        (set(1, &[0x21]), "flags is 0x21, expected bits of 0x"),
        (set(2, &[0xff, 0xff]), "record is malformed"),
        (
            set(0, &[1, 0, 16, 0, 1, 0, 0, 0, 0x10, 0x27]),
            "value is 1 bytes at 10000, expected a slice of the pool of 10000",
        ),
        (set(0, &[1, 0, 16, 0, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]), "expected a slice of the pool"),
        (set(0, &[8, 0, 16, 0]), "key_bytes is 16, expected 0, as commit has no key"),
    ] {
        assert!(error.contains(words), "{error}");
        assert!(error.contains("damaged.tape: offset "), "{error}");
    }
    let error = error_of(|bytes, record| bytes[record - 20] -= 1);
    assert!(error.contains("operations of a block is"), "{error}");
    let error = error_of(|bytes, record| bytes[record - 16] ^= 1);
    assert!(error.contains("output_bytes is"), "{error}");
    let error = error_of(|bytes, _| bytes[72 + 16] += 1);
    assert!(error.contains("operations is"), "{error}");
    let error = error_of(|bytes, _| {
        bytes[24] += 1;
        bytes[72 + 16] += 1;
    });
    assert!(error.contains("operations of the lane is"), "{error}");
    let error = error_of(|bytes, _| bytes[72 + 24] += 1);
    assert!(error.contains("blocks of the lane is 1, expected 2"), "{error}");
}

#[test]
fn a_lane_that_is_not_there_is_named() {
    let (_directory, path, bytes) = small_tape();
    std::fs::write(&path, bytes).unwrap();
    let error = TapeReader::open(&path).unwrap().lane(1).err().unwrap().to_string();
    assert!(error.contains("lane 1 was asked for, expected one below 1"), "{error}");
}

#[test]
fn unknown_consumers_are_refused() {
    let (_directory, path, whole) = small_tape();
    let scan = first_scan(&whole);
    for at in scan + 32..scan + 40 {
        let mut bytes = whole.clone();
        bytes[at] = 9;
        seal(&mut bytes);
        assert!(refusal(&path, &bytes).to_string().contains("consumer is "));
    }
}

#[test]
fn a_tape_written_to_after_its_check_is_refused() {
    let (_directory, path, whole) = small_tape();
    std::fs::write(&path, &whole).unwrap();
    let tape = TapeReader::open(&path).unwrap();
    tape.check().unwrap();
    tape.check_unchanged().unwrap();
    // File systems keep times to a few milliseconds.
    std::thread::sleep(std::time::Duration::from_millis(50));
    std::fs::write(&path, &whole).unwrap();
    assert!(matches!(tape.check_unchanged(), Err(TapeError::Changed { .. })));
    assert!(matches!(tape.lane(0), Err(TapeError::Changed { .. })));
}

/// The place of the scan fields of the first scan.
fn first_scan(bytes: &[u8]) -> usize {
    let mut at = field(bytes, 72) + 24;
    while !matches!(bytes[at], 6 | 7) {
        at += 16 + usize::from(bytes[at + 2]);
    }
    at + 16 + usize::from(bytes[at + 2])
}
