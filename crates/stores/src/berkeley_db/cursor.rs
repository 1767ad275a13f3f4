//! Steps through a Berkeley DB database.

use std::marker::PhantomData;

use bakeoff_store::{Direction, StoreError};

use super::error::check;
use super::sys::{self, Room};

/// An open cursor.
pub(super) struct Cursor<'d> {
    raw: *mut sys::Cursor,
    database: PhantomData<&'d ()>,
}

/// Buffers for the cursor's entry, kept from scan to scan.
#[derive(Default)]
pub(super) struct Entry {
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Cursor<'_> {
    /// # Safety
    /// The cursor is open, and the caller owns it.
    pub(super) unsafe fn new(raw: *mut sys::Cursor) -> Self {
        Self { raw, database: PhantomData }
    }

    /// Visits entries in order, from the first key not below `from`, or in reverse from the last one not above it.
    pub(super) fn scan(
        &mut self,
        entry: &mut Entry,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let (first, next) = match direction {
            Direction::Reverse => (sys::LAST, sys::PREVIOUS),
            Direction::Forward | Direction::Any => (sys::FIRST, sys::NEXT),
        };
        let mut there = match from {
            None => self.step(entry, first, &[])?,
            Some(from) => {
                let not_below = self.step(entry, sys::SET_RANGE, from)?;
                match direction {
                    Direction::Forward | Direction::Any => not_below,
                    Direction::Reverse if !not_below => self.step(entry, sys::LAST, &[])?,
                    Direction::Reverse => entry.key == from || self.step(entry, sys::PREVIOUS, &[])?,
                }
            }
        };
        while there && visit(&entry.key, &entry.value) {
            there = self.step(entry, next, &[])?;
        }
        Ok(())
    }

    /// Moves the cursor and copies its entry; false if there is no such entry. If a buffer is too small the cursor stays, so that the
    /// caller can enlarge it.
    fn step(&mut self, entry: &mut Entry, operation: u32, from: &[u8]) -> Result<bool, StoreError> {
        loop {
            entry.key.clear();
            entry.key.extend_from_slice(from);
            let (mut key, mut value) = (whole(&mut entry.key), whole(&mut entry.value));
            // SAFETY: the cursor is open; key and value have room for as many bytes as they declare.
            match unsafe { sys::bakeoff_db_cursor_get(self.raw, &mut key, &mut value, operation) } {
                sys::NOT_FOUND => return Ok(false),
                sys::BUFFER_SMALL => {
                    entry.value.clear();
                    entry.key.reserve(key.length as usize);
                    entry.value.reserve(value.length as usize);
                }
                code => {
                    check(code)?;
                    // SAFETY: this many bytes were written from the first one on.
                    unsafe {
                        entry.key.set_len(key.length as usize);
                        entry.value.set_len(value.length as usize);
                    }
                    return Ok(true);
                }
            }
        }
    }
}

/// All of a buffer's memory, and the length of its content.
fn whole(buffer: &mut Vec<u8>) -> Room {
    let to_u32 = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    Room { data: buffer.as_mut_ptr(), room: to_u32(buffer.capacity()), length: to_u32(buffer.len()) }
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        // SAFETY: the cursor is open and nothing refers to it any more. The code repeats that of the last step.
        unsafe { sys::bakeoff_db_cursor_close(self.raw) };
    }
}
