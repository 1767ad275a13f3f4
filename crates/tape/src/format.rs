//! The bytes of a tape's blocks and records, as `docs/TAPE.md` lays them down; `header` has those before them.
//!
//! Nothing here reads or writes files. Decoding is bounds-checked throughout: no bytes, however damaged, lead outside
//! the slice they are in.

use bakeoff_tree::Walk;

use crate::{Consumer, Operation, SizeRange};

/// The first bytes of a tape.
pub const MAGIC: [u8; 8] = *b"BAKETAPE";
/// The version of the format that this crate writes and reads.
pub const VERSION: u32 = 1;
/// Operations in a block, at most.
pub const BLOCK_OPERATIONS_MAX: usize = 1024;
/// Bytes of output, and of written values, of a block with more than one operation, at most.
pub const BLOCK_BYTES_MAX: u64 = 1 << 20;
/// Lanes of a tape, at most.
pub const LANES_MAX: u32 = 4096;
/// Length of a key, at most, bytes.
pub const RECORD_KEY_BYTES_MAX: u64 = u16::MAX as u64;
/// Length of the metadata, at most, bytes.
pub const METADATA_BYTES_MAX: usize = 1 << 20;

/// Length of a block's header.
pub(crate) const BLOCK_HEADER_BYTES: usize = 24;
/// Length of a record before its optional fields and its key.
pub(crate) const RECORD_BYTES: usize = 16;
/// Length of `due_ns`.
const DUE_BYTES: usize = 8;
/// Length of the scan fields.
pub(crate) const SCAN_BYTES: usize = 40;
/// The longest record.
pub(crate) const RECORD_BYTES_MAX: usize = RECORD_BYTES + DUE_BYTES + RECORD_KEY_BYTES_MAX as usize + SCAN_BYTES;

/// The flags of a record.
pub mod flags {
    use crate::Operation;

    /// The key is there.
    pub const FOUND: u8 = 1;
    /// A scan runs from high keys to low.
    pub const REVERSE: u8 = 2;
    /// Outside the clock.
    pub const UNTIMED: u8 = 4;
    /// The record says when it is due.
    pub const DUE: u8 = 8;
    /// Entries may come in any order.
    pub const ANY_ORDER: u8 = 16;
    /// Another lane may replace the value at the same time.
    pub const SHARED: u8 = 32;

    /// The flags that an operation may have.
    #[inline]
    pub const fn of(operation: Operation) -> u8 {
        let own = match operation {
            Operation::Get => FOUND | SHARED,
            Operation::Update | Operation::Upsert | Operation::Delete | Operation::Walk | Operation::Exists => FOUND,
            Operation::Scan | Operation::ScanPrefix | Operation::First => REVERSE,
            Operation::ScanAll => REVERSE | ANY_ORDER,
            Operation::Insert | Operation::Commit => 0,
        };
        own | UNTIMED | DUE
    }
}

/// What a scan is to do and what a right store delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scan {
    /// Entries at most; 0 for a whole scan, which has no limit.
    pub limit: u64,
    /// Entries expected.
    pub entries: u64,
    /// Bytes of keys and values expected.
    pub bytes: u64,
    /// The consumer's last state.
    pub checksum: u64,
    /// How each entry is consumed.
    pub consumer: Consumer,
}

/// The scan fields as they are on a tape. A record refers to them in place. Decoded in every record, they would make
/// records too large to pass from a block to a store in a few nanoseconds.
pub type ScanFields = [u8; SCAN_BYTES];

impl Scan {
    /// The fields as they are on a tape.
    pub fn encode(&self) -> ScanFields {
        let mut fields = [0; SCAN_BYTES];
        let values = [self.limit, self.entries, self.bytes, self.checksum, self.consumer as u64];
        for (place, value) in fields.chunks_exact_mut(8).zip(values) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        fields
    }

    /// Reads the fields; `None` if there is no such consumer.
    #[inline]
    pub fn decode(fields: &ScanFields) -> Option<Self> {
        // The consumer's byte and the zeros after it, read as one integer: anything but zeros gives an unknown consumer.
        let consumer = Consumer::from_code(u64_at(fields, 32)?)?;
        let (limit, entries) = (u64_at(fields, 0)?, u64_at(fields, 8)?);
        Some(Self { limit, entries, bytes: u64_at(fields, 16)?, checksum: u64_at(fields, 24)?, consumer })
    }
}

/// One operation of a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// What to do.
    pub operation: Operation,
    /// Bits of [`flags`]; `DUE` is set exactly if `due_ns` is there.
    pub flags: u8,
    /// The key; for a walk the path; for a scan of a prefix and a first entry what keys begin with.
    pub key: &'a [u8],
    /// Length of the value written or expected; for a walk what [`Record::walk`] decodes.
    pub value_bytes: u32,
    /// The place of that value in the pool. For a walk: the expected object id, or the result of reading all fields.
    pub value_offset: u64,
    /// When the operation is due, nanoseconds from the start of the phase.
    pub due_ns: Option<u64>,
    /// For all kinds of scan, and only for them; [`Record::scan`] decodes them.
    pub scan: Option<&'a ScanFields>,
}

impl Record<'_> {
    /// Whether the key is expected to be there.
    #[inline]
    pub fn found(&self) -> bool {
        self.flags & flags::FOUND != 0
    }

    /// Whether a scan runs downwards.
    #[inline]
    pub fn reverse(&self) -> bool {
        self.flags & flags::REVERSE != 0
    }

    /// Whether the operation is done outside the clock.
    #[inline]
    pub fn untimed(&self) -> bool {
        self.flags & flags::UNTIMED != 0
    }

    /// Whether another lane may replace the value at the same time. Then the value may be one of several
    /// ([`crate::may_hold`]).
    #[inline]
    pub fn shared(&self) -> bool {
        self.flags & flags::SHARED != 0
    }

    /// Whether a whole scan may deliver entries in any order.
    #[inline]
    pub fn any_order(&self) -> bool {
        self.flags & flags::ANY_ORDER != 0
    }

    /// The scan fields of any kind of scan.
    #[inline]
    pub fn scan(&self) -> Option<Scan> {
        Scan::decode(self.scan?)
    }

    /// The expected result of a `walk`: whether its last lookup finds a value, and what all lookups give.
    pub fn expected_walk(&self) -> (bool, u64) {
        (self.found(), self.value_offset)
    }

    /// How a `walk` goes.
    #[inline]
    pub fn walk(&self) -> Option<Walk> {
        Walk::decode(self.value_bytes).filter(|_| self.operation == Operation::Walk)
    }

    /// Bytes that a right answer appends to the output.
    #[inline]
    pub fn output_bytes(&self) -> u64 {
        match self.operation {
            Operation::Get if self.found() => u64::from(self.value_bytes),
            operation if operation.scans() => match self.scan() {
                Some(Scan { consumer: Consumer::Copy, bytes, .. }) => bytes,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Bytes of the value that is written.
    #[inline]
    pub fn written_bytes(&self) -> u64 {
        if self.operation.writes_value() { u64::from(self.value_bytes) } else { 0 }
    }

    /// Whether `value_offset` and `value_bytes` name a slice of the pool, which is written or expected.
    #[inline]
    pub fn has_value(&self) -> bool {
        self.operation.writes_value() || self.operation == Operation::Get && self.found()
    }
}

/// Why bytes are not a header, a block or a record: field, value found, value expected, offset from their start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) what: &'static str,
    pub(crate) found: String,
    pub(crate) expected: String,
    pub(crate) offset: usize,
}

impl Flaw {
    pub(crate) fn new(what: &'static str, offset: usize, found: impl ToString, expected: impl ToString) -> Self {
        Self { what, found: found.to_string(), expected: expected.to_string(), offset }
    }
}

#[inline]
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

#[inline]
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    bytes.get(offset..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// A block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockHeader {
    pub(crate) record_bytes: u32,
    pub(crate) operations: u32,
    pub(crate) output_bytes: u64,
    pub(crate) checksum: u64,
}

impl BlockHeader {
    pub(crate) fn encode(&self) -> [u8; BLOCK_HEADER_BYTES] {
        let mut bytes = [0; BLOCK_HEADER_BYTES];
        bytes[0..4].copy_from_slice(&self.record_bytes.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.operations.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.output_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Reads a block's header. Refuses impossible ones, so that no huge allocation follows from them.
    pub(crate) fn decode(bytes: &[u8; BLOCK_HEADER_BYTES]) -> Result<Self, Flaw> {
        let header = Self {
            record_bytes: u32_at(bytes, 0).unwrap_or_default(),
            operations: u32_at(bytes, 4).unwrap_or_default(),
            output_bytes: u64_at(bytes, 8).unwrap_or_default(),
            checksum: u64_at(bytes, 16).unwrap_or_default(),
        };
        let operations = header.operations as usize;
        if operations == 0 || operations > BLOCK_OPERATIONS_MAX {
            return Err(Flaw::new("operations of a block", 4, operations, format!("1 to {BLOCK_OPERATIONS_MAX}")));
        }
        let (least, most) = (operations * RECORD_BYTES, operations * RECORD_BYTES_MAX);
        if !(least..=most).contains(&(header.record_bytes as usize)) {
            return Err(Flaw::new("record_bytes", 0, header.record_bytes, format!("{least} to {most}")));
        }
        Ok(header)
    }
}

/// Appends a record. The key's length must fit 16 bits, and `scan` be there exactly for scans.
pub(crate) fn encode_record(record: &Record<'_>, out: &mut Vec<u8>) {
    let flags = record.flags & !flags::DUE | if record.due_ns.is_some() { flags::DUE } else { 0 };
    let mut fixed = [0_u8; RECORD_BYTES];
    fixed[0] = record.operation as u8;
    fixed[1] = flags;
    fixed[2..4].copy_from_slice(&(record.key.len() as u16).to_le_bytes());
    fixed[4..8].copy_from_slice(&record.value_bytes.to_le_bytes());
    fixed[8..16].copy_from_slice(&record.value_offset.to_le_bytes());
    out.extend_from_slice(&fixed);
    if let Some(due_ns) = record.due_ns {
        out.extend_from_slice(&due_ns.to_le_bytes());
    }
    out.extend_from_slice(record.key);
    if let Some(fields) = record.scan {
        out.extend_from_slice(fields);
    }
}

/// Takes the first record off `bytes`. `None` if they are not a record; what its scan fields say is left to [`check_record`].
#[inline(always)]
pub(crate) fn decode_record<'a>(bytes: &mut &'a [u8]) -> Option<Record<'a>> {
    let (fixed, mut rest) = bytes.split_first_chunk::<RECORD_BYTES>()?;
    let operation = Operation::from_code(fixed[0])?;
    let flags = fixed[1];
    let key_bytes = usize::from(u16::from_le_bytes([fixed[2], fixed[3]]));
    let mut due_ns = None;
    if flags & flags::DUE != 0 {
        let (due, after) = rest.split_first_chunk::<DUE_BYTES>()?;
        due_ns = Some(u64::from_le_bytes(*due));
        rest = after;
    }
    let (key, mut rest) = rest.split_at_checked(key_bytes)?;
    let mut scan = None;
    if operation.scans() {
        let (fields, after) = rest.split_first_chunk::<SCAN_BYTES>()?;
        scan = Some(fields);
        rest = after;
    }
    *bytes = rest;
    Some(Record {
        operation,
        flags,
        key,
        value_bytes: u32::from_le_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]),
        value_offset: u64_at(fixed, 8)?,
        due_ns,
        scan,
    })
}

/// Refuses a record that breaks a rule of the format, even if a decoder could read it. Gives the field, its value and
/// the expected value.
pub(crate) fn check_record(record: &Record<'_>, pool_bytes: u64) -> Result<(), (&'static str, String, String)> {
    let (key_bytes, operation) = (record.key.len(), record.operation);
    let allowed = flags::of(operation);
    if record.flags & !allowed != 0 {
        let expected = format!("bits of {allowed:#04x} in {}", operation.name());
        return Err(("flags", format!("{:#04x}", record.flags), expected));
    }
    if record.shared() && !record.found() {
        return Err(("flags", format!("{:#04x}", record.flags), "SHARED only with FOUND".to_owned()));
    }
    if operation == Operation::Update && !record.found() {
        return Err(("flags", format!("{:#04x}", record.flags), "FOUND in update".to_owned()));
    }
    if matches!(operation, Operation::Commit | Operation::ScanAll) && key_bytes != 0 {
        return Err(("key_bytes", key_bytes.to_string(), format!("0, as {} has no key", operation.name())));
    }
    let has_value = record.has_value() || operation == Operation::Walk;
    if !has_value && (record.value_bytes, record.value_offset) != (0, 0) {
        let found = format!("{} bytes at {}", record.value_bytes, record.value_offset);
        return Err(("value", found, format!("0 bytes at 0, as this {} has no value", operation.name())));
    }
    let end = record.value_offset.checked_add(u64::from(record.value_bytes));
    if record.has_value() && end.is_none_or(|end| end > pool_bytes) {
        let found = format!("{} bytes at {}", record.value_bytes, record.value_offset);
        return Err(("value", found, format!("a slice of the pool of {pool_bytes} bytes")));
    }
    if let Some(fields) = record.scan {
        let code = u64_at(fields, 32).unwrap_or_default();
        let unknown = || ("consumer", code.to_string(), "the code of a consumer".to_owned());
        check_scan(record, &Scan::decode(fields).ok_or_else(unknown)?)?;
    }
    if operation == Operation::Walk {
        check_path(record)?;
    }
    Ok(())
}

fn check_scan(record: &Record<'_>, scan: &Scan) -> Result<(), (&'static str, String, String)> {
    let whole = record.operation == Operation::ScanAll;
    if whole && scan.limit != 0 {
        return Err(("limit", scan.limit.to_string(), "0, as a whole scan has none".to_owned()));
    }
    if !whole && scan.entries > scan.limit {
        return Err(("entries", scan.entries.to_string(), format!("at most the limit of {}", scan.limit)));
    }
    if record.operation == Operation::First && scan.limit != 1 {
        return Err(("limit", scan.limit.to_string(), "1, as a first entry is one".to_owned()));
    }
    if record.operation.has_prefix() && record.reverse() && !record.key.is_empty() {
        return Err(("flag REVERSE", "set".to_owned(), "unset where keys begin with something".to_owned()));
    }
    if record.any_order() && scan.consumer == Consumer::Copy {
        return Err(("flag ANY_ORDER", "set".to_owned(), "unset for a scan that copies".to_owned()));
    }
    Ok(())
}

/// The path of a walk must have the number of components that the record gives, and its values a known codec.
fn check_path(record: &Record<'_>) -> Result<(), (&'static str, String, String)> {
    let unknown = || ("walk", format!("{:#010x}", record.value_bytes), "a known codec with known fields".to_owned());
    let walk = record.walk().ok_or_else(unknown)?;
    if walk.past_leaf && (record.found() || walk.components == 0) {
        let expected = "a walk that is not found and has a component".to_owned();
        return Err(("past a leaf", format!("{} components", walk.components), expected));
    }
    if !walk.past_leaf && !record.found() && record.value_offset != 0 {
        let expected = "0, as it is not said what this walk reads".to_owned();
        return Err(("value_offset", record.value_offset.to_string(), expected));
    }
    let mut rest = record.key;
    let mut components = 0_u32;
    while let Some((length, after)) = rest.split_first() {
        let cut = || ("path", "cut short".to_owned(), format!("{length} bytes in component {components}"));
        rest = after.get(usize::from(*length)..).ok_or_else(cut)?;
        components += 1;
    }
    match components == u32::from(walk.components) {
        true => Ok(()),
        false => Err(("components", walk.components.to_string(), components.to_string())),
    }
}

/// The sizes a range of sizes can have in a record.
pub(crate) fn fits_value(range: SizeRange) -> bool {
    range.min <= range.max && range.max < u64::from(u32::MAX)
}
