//! Tapes. A checksum protects every byte of a tape. So an input is tried unchanged, and again with correct checksums:
//! otherwise no code after the first comparison would run.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use bakeoff_tape::{TapeError, TapeReader};
use rustix::fs::{MemfdFlags, memfd_create};
use xxhash_rust::xxh64::xxh64;

/// The lengths of the header before the lane table, of a lane's entry in it, and of a block's header (`docs/TAPE.md`).
const FIXED_BYTES: usize = 72;
const LANE_BYTES: usize = 32;
const BLOCK_HEADER_BYTES: usize = 24;

/// Opens, checks and reads `input` as a tape.
///
/// # Panics
/// If a tape that passed its check cannot be read to the end.
pub fn tape(input: &[u8]) {
    // A refusal is a valid answer. It must have a message.
    for bytes in [input.to_vec(), mended(input)] {
        if let Err(error) = read(&bytes) {
            assert!(!error.to_string().is_empty());
        }
    }
}

fn read(bytes: &[u8]) -> Result<(), TapeError> {
    let (_file, path) = in_memory(bytes);
    let tape = TapeReader::open(&path)?;
    tape.check()?;
    let mut operations = 0;
    for lane in 0..tape.facts().lanes.len() {
        let lane = u32::try_from(lane).expect("a tape has few lanes");
        let mut lane = tape.lane(lane).expect("the lane of a checked tape opens");
        while let Some(block) = lane.next_block().expect("a checked tape can be read") {
            let mut output_bytes = 0;
            for record in block.records() {
                operations += 1;
                output_bytes += record.output_bytes();
            }
            assert_eq!(output_bytes, block.output_bytes(), "a buffer of the block's output bytes holds its answers");
        }
    }
    assert_eq!(operations, tape.facts().operations);
    Ok(())
}

/// A file that never reaches a disk, and a path that opens it.
fn in_memory(bytes: &[u8]) -> (File, PathBuf) {
    let mut file = File::from(memfd_create("tape", MemfdFlags::CLOEXEC).expect("the kernel has memfd_create"));
    file.write_all(bytes).expect("memory takes the tape");
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    (file, path)
}

/// The same tape with correct magic, version, length and checksums, wherever its structure is readable.
///
/// It is written from `docs/TAPE.md` alone, so it also shows that the document suffices.
pub fn mended(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    if bytes.len() < FIXED_BYTES {
        return bytes;
    }
    let file_bytes = bytes.len() as u64;
    bytes[..8].copy_from_slice(b"BAKETAPE");
    bytes[8..12].copy_from_slice(&1_u32.to_le_bytes());
    bytes[48..56].copy_from_slice(&file_bytes.to_le_bytes());
    let header_bytes = u32_at(&bytes, 12) as usize;
    let lanes = u32_at(&bytes, 16) as usize;
    let mut checksums = Vec::new();
    for lane in 0..lanes {
        let line = FIXED_BYTES + lane * LANE_BYTES;
        if line + LANE_BYTES > bytes.len() {
            break;
        }
        let (begin, length) = (u64_at(&bytes, line), u64_at(&bytes, line + 8));
        mend_blocks(&mut bytes, begin, length, &mut checksums);
    }
    bytes[56..64].copy_from_slice(&xxh64(&checksums, 0).to_le_bytes());
    bytes[64..72].fill(0);
    if let Some(header) = bytes.get(..header_bytes) {
        let checksum = xxh64(header, 0);
        bytes[64..72].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

/// Corrects the checksums of a lane's blocks and appends them to `checksums`.
fn mend_blocks(bytes: &mut [u8], begin: u64, length: u64, checksums: &mut Vec<u8>) {
    let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let end = place(begin.saturating_add(length)).min(bytes.len());
    let mut block = place(begin);
    while block.saturating_add(BLOCK_HEADER_BYTES) <= end {
        let records = block + BLOCK_HEADER_BYTES;
        let next = records.saturating_add(u32_at(bytes, block) as usize);
        if next > end {
            break;
        }
        let checksum = xxh64(&bytes[records..next], 0).to_le_bytes();
        bytes[block + 16..records].copy_from_slice(&checksum);
        checksums.extend_from_slice(&checksum);
        block = next;
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
}
