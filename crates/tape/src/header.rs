//! The header of a tape: fixed part, lane table, metadata, padding, as `docs/TAPE.md` lays them down.

use crate::format::{Flaw, LANES_MAX, MAGIC, METADATA_BYTES_MAX, VERSION, u32_at, u64_at};

/// Length of the header before the lane table.
pub(crate) const FIXED_BYTES: usize = 72;
/// The place of `header_checksum`.
const CHECKSUM_OFFSET: usize = 64;
/// Length of a lane's line in the lane table.
const LANE_BYTES: usize = 32;

/// The place of a lane and its contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneFacts {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Operations on it, commits included.
    pub operations: u64,
    /// Blocks on it.
    pub blocks: u64,
}

/// What the header of a tape says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeHeader {
    /// Operations on all lanes, commits included.
    pub operations: u64,
    /// The lanes, one a thread.
    pub lanes: Vec<LaneFacts>,
    /// Length of the pool, bytes.
    pub pool_bytes: u64,
    /// XXH64 of the pool.
    pub pool_checksum: u64,
    /// Length of the file, bytes.
    pub file_bytes: u64,
    /// XXH64 of the block checksums.
    pub content_checksum: u64,
    /// XXH64 of the header: the identity of the tape.
    pub tape_checksum: u64,
    /// JSON for people.
    pub metadata: String,
}

impl TapeHeader {
    /// The tape's identity as results show it: 16 hexadecimal digits.
    pub fn identity(&self) -> String {
        format!("{:016x}", self.tape_checksum)
    }
}

/// Length of the header of a tape with room for `metadata_bytes` of metadata.
pub(crate) fn header_bytes(lanes: usize, metadata_bytes: usize) -> usize {
    (FIXED_BYTES + LANE_BYTES * lanes + metadata_bytes).next_multiple_of(8)
}

/// The header's bytes, checksum included, and the checksum; zeros up to `header_bytes`.
pub(crate) fn encode_header(header: &TapeHeader, header_bytes: usize) -> (Vec<u8>, u64) {
    let mut bytes = Vec::with_capacity(header_bytes);
    bytes.extend_from_slice(&MAGIC);
    for field in [VERSION, header_bytes as u32, header.lanes.len() as u32, header.metadata.len() as u32] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    let facts =
        [header.operations, header.pool_bytes, header.pool_checksum, header.file_bytes, header.content_checksum, 0];
    let lanes = header.lanes.iter().flat_map(|lane| [lane.offset, lane.bytes, lane.operations, lane.blocks]);
    for field in facts.into_iter().chain(lanes) {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    bytes.extend_from_slice(header.metadata.as_bytes());
    bytes.resize(header_bytes, 0);
    let checksum = crate::consume::xxh64(&bytes);
    bytes[CHECKSUM_OFFSET..CHECKSUM_OFFSET + 8].copy_from_slice(&checksum.to_le_bytes());
    (bytes, checksum)
}

/// The lengths that the fixed part of a header gives: of the header, lanes, of the metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeaderShape {
    pub(crate) header_bytes: usize,
    pub(crate) lanes: usize,
    pub(crate) metadata_bytes: usize,
}

impl HeaderShape {
    /// Reads the shape from the fixed part, and refuses an impossible one.
    pub(crate) fn decode(fixed: &[u8; FIXED_BYTES]) -> Result<Self, Flaw> {
        let field = |offset| u32_at(fixed, offset).unwrap_or_default() as usize;
        let shape = Self { header_bytes: field(12), lanes: field(16), metadata_bytes: field(20) };
        if shape.lanes == 0 || shape.lanes > LANES_MAX as usize {
            return Err(Flaw::new("lanes", 16, shape.lanes, format!("1 to {LANES_MAX}")));
        }
        if shape.metadata_bytes > METADATA_BYTES_MAX {
            return Err(Flaw::new("metadata_bytes", 20, shape.metadata_bytes, format!("at most {METADATA_BYTES_MAX}")));
        }
        let least = header_bytes(shape.lanes, shape.metadata_bytes);
        let most = header_bytes(shape.lanes, METADATA_BYTES_MAX);
        if !(least..=most).contains(&shape.header_bytes) || !shape.header_bytes.is_multiple_of(8) {
            let expected = format!("a multiple of 8 from {least} to {most}");
            return Err(Flaw::new("header_bytes", 12, shape.header_bytes, expected));
        }
        Ok(shape)
    }
}

/// Reads a whole header of this shape. Its checksum is compared; magic and version are the caller's business.
pub(crate) fn decode_header(bytes: &mut [u8], shape: HeaderShape) -> Result<TapeHeader, Flaw> {
    let field = |bytes: &[u8], offset| u64_at(bytes, offset).unwrap_or_default();
    let tape_checksum = field(bytes, CHECKSUM_OFFSET);
    bytes[CHECKSUM_OFFSET..CHECKSUM_OFFSET + 8].fill(0);
    let actual = crate::consume::xxh64(bytes);
    if actual != tape_checksum {
        let (found, expected) = (format!("{tape_checksum:016x}"), format!("{actual:016x}"));
        return Err(Flaw::new("header_checksum", CHECKSUM_OFFSET, found, expected));
    }
    let lane = |number: usize| {
        let at = FIXED_BYTES + LANE_BYTES * number;
        let of = |offset| field(bytes, at + offset);
        LaneFacts { offset: of(0), bytes: of(8), operations: of(16), blocks: of(24) }
    };
    let metadata_at = FIXED_BYTES + LANE_BYTES * shape.lanes;
    let metadata_end = metadata_at + shape.metadata_bytes;
    if let Some(at) = bytes[metadata_end..].iter().position(|byte| *byte != 0) {
        return Err(Flaw::new("padding", metadata_end + at, bytes[metadata_end + at], 0));
    }
    let metadata = std::str::from_utf8(&bytes[metadata_at..metadata_end])
        .map_err(|error| Flaw::new("metadata", metadata_at, error, "UTF-8"))?;
    let header = TapeHeader {
        operations: field(bytes, 24),
        lanes: (0..shape.lanes).map(lane).collect(),
        pool_bytes: field(bytes, 32),
        pool_checksum: field(bytes, 40),
        file_bytes: field(bytes, 48),
        content_checksum: field(bytes, 56),
        tape_checksum,
        metadata: metadata.to_owned(),
    };
    check_lanes(&header, shape.header_bytes as u64)?;
    Ok(header)
}

/// Lanes must follow each other from the header to the end of the file, and their operations must add up.
fn check_lanes(header: &TapeHeader, header_bytes: u64) -> Result<(), Flaw> {
    let mut end = header_bytes;
    let mut operations = 0_u64;
    for (number, lane) in header.lanes.iter().enumerate() {
        let at = FIXED_BYTES + LANE_BYTES * number;
        if lane.offset != end {
            return Err(Flaw::new("lane offset", at, lane.offset, end));
        }
        end = end.checked_add(lane.bytes).filter(|end| *end <= header.file_bytes).ok_or_else(|| {
            Flaw::new("lane length", at + 8, lane.bytes, format!("at most {}", header.file_bytes - end))
        })?;
        operations = operations.saturating_add(lane.operations);
    }
    if end != header.file_bytes {
        return Err(Flaw::new("end of the last lane", FIXED_BYTES, end, header.file_bytes));
    }
    if operations != header.operations {
        return Err(Flaw::new("operations", 24, header.operations, operations));
    }
    Ok(())
}
