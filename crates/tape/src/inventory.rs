//! Inventories: everything that a driver found in a store, as the store delivered it (`docs/PROTOCOL.md`).

use std::io::{self, Write};

use thiserror::Error;

use crate::consume::xxh64;

/// What an inventory begins with.
const MAGIC: &[u8; 8] = b"BAKEINVT";

/// In the place of a key's length: there are no more entries.
const END: u32 = u32::MAX;

/// Writes one inventory.
pub struct InventoryWriter<W: Write> {
    out: W,
    entries: u64,
}

impl<W: Write> InventoryWriter<W> {
    /// Begins one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(mut out: W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self { out, entries: 0 })
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// It cannot be written, or the key is longer than 4 GiB.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let key_bytes = u32::try_from(key.len()).ok().filter(|bytes| *bytes != END);
        let key_bytes = key_bytes.ok_or_else(|| io::Error::other("the key is too long for an inventory"))?;
        self.out.write_all(&key_bytes.to_le_bytes())?;
        self.out.write_all(key)?;
        self.out.write_all(&(value.len() as u64).to_le_bytes())?;
        self.out.write_all(&xxh64(value).to_le_bytes())?;
        self.entries += 1;
        Ok(())
    }

    /// Ends it, and returns how many entries it has.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<u64> {
        self.out.write_all(&END.to_le_bytes())?;
        self.out.write_all(&self.entries.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.entries)
    }
}

/// An entry of an inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InventoryEntry<'a> {
    /// The key.
    pub key: &'a [u8],
    /// Length of the value.
    pub value_bytes: u64,
    /// XXH64 of the value.
    pub value_checksum: u64,
}

/// Bytes that are no inventories.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("offset {offset}: {what}: no driver that follows docs/PROTOCOL.md writes this")]
pub struct NoInventory {
    /// Where it is, bytes.
    offset: usize,
    what: &'static str,
}

/// All inventories in the content of a file, in the order in which they were written. One that its driver did not complete is left out.
///
/// # Errors
/// The content is something else.
pub fn read_inventories(content: &[u8]) -> Result<Vec<Vec<InventoryEntry<'_>>>, NoInventory> {
    let (mut rest, mut inventories) = (content, Vec::new());
    while !rest.is_empty() {
        let error = |what| NoInventory { offset: content.len() - rest.len(), what };
        let begin = rest.len().min(MAGIC.len());
        if rest[..begin] != MAGIC[..begin] {
            return Err(error("an inventory begins with BAKEINVT"));
        }
        match read_one(&rest[begin..]) {
            None => break,
            Some((entries, count, after)) if count == entries.len() as u64 => {
                inventories.push(entries);
                rest = after;
            }
            Some(_) => return Err(error("the inventory has another number of entries than it says at its end")),
        }
    }
    Ok(inventories)
}

/// The entries of one inventory, the number of entries at its end, and what follows. `None` if it ends before that.
fn read_one(mut rest: &[u8]) -> Option<(Vec<InventoryEntry<'_>>, u64, &[u8])> {
    let mut entries = Vec::new();
    loop {
        let key_bytes = u32::from_le_bytes(*take(&mut rest)?);
        if key_bytes == END {
            return Some((entries, u64::from_le_bytes(*take(&mut rest)?), rest));
        }
        let (key, after) = rest.split_at_checked(key_bytes as usize)?;
        rest = after;
        let (value_bytes, value_checksum) = (*take(&mut rest)?, *take(&mut rest)?);
        let (value_bytes, value_checksum) = (u64::from_le_bytes(value_bytes), u64::from_le_bytes(value_checksum));
        entries.push(InventoryEntry { key, value_bytes, value_checksum });
    }
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(entries: &[(&[u8], &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = InventoryWriter::begin(&mut out).unwrap();
        entries.iter().for_each(|(key, value)| writer.push(key, value).unwrap());
        assert_eq!(writer.finish().unwrap(), entries.len() as u64);
        out
    }

    #[test]
    fn the_layout_is_that_of_the_protocol() {
        let expected = [
            &b"BAKEINVT"[..],
            &[3, 0, 0, 0],
            b"key",
            &[5, 0, 0, 0, 0, 0, 0, 0],
            // XXH64 of "value".
            &0x1078_76e4_e94e_a9c1_u64.to_le_bytes(),
            &[0xff; 4],
            &[1, 0, 0, 0, 0, 0, 0, 0],
        ];
        let content = written(&[(b"key", b"value")]);
        assert_eq!(content, expected.concat());
    }

    #[test]
    fn what_was_written_is_read_and_what_is_cut_short_is_left_out() {
        let (first, second) = (written(&[(b"a", b""), (b"", b"x"), (b"a", b"y")]), written(&[]));
        let content = [&first[..], &second].concat();
        let both = read_inventories(&content).unwrap();
        assert_eq!(both.iter().map(Vec::len).collect::<Vec<_>>(), [3, 0]);
        let entry = InventoryEntry { key: b"a", value_bytes: 1, value_checksum: xxh64(b"y") };
        assert_eq!(both[0][2], entry);
        for bytes in 0..content.len() {
            let complete = usize::from(bytes >= first.len());
            assert_eq!(read_inventories(&content[..bytes]).unwrap().len(), complete, "{bytes} bytes");
        }
    }

    #[test]
    fn other_bytes_are_no_inventory() {
        let mut content = written(&[(b"a", b"")]);
        assert!(read_inventories(b"BAKETAPE").is_err());
        *content.last_mut().unwrap() = 7;
        assert!(read_inventories(&content).is_err());
        content = [&written(&[])[..], b"more"].concat();
        assert_eq!(read_inventories(&content).unwrap_err().offset, 20);
    }
}
