//! What a store held of the memory that it was given for its caches and buffers.

use bakeoff_protocol::{CellEnd, StoreDescription};

use crate::cell_rounds::CellRound;

/// A store misses what it was given if it holds more than this many times as much.
pub const HELD_PER_GIVEN_MAX: f64 = 1.5;

/// What a store was given and what it held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryHeld {
    /// The memory that it was given, bytes.
    pub given_bytes: u64,
    /// What it held at the end of some phase, at least, bytes.
    pub held_bytes: u64,
}

impl MemoryHeld {
    /// What it held, as a part of what it was given.
    pub fn part(&self) -> f64 {
        self.held_bytes as f64 / self.given_bytes.max(1) as f64
    }

    /// Whether the store held so much more that it was not given the same as others.
    pub fn is_missed(&self) -> bool {
        self.held_bytes as f64 > self.given_bytes as f64 * HELD_PER_GIVEN_MAX
    }
}

/// What a cell's store held of what it was given. The memory of its process that is no part of a file, less all that was resident when the
/// store was empty: that has parts of files in it, such as the driver's program, so the store held no less.
///
/// `None` without memory given; where it could not be read; where a runtime such as a JVM has memory of its own; and where the suite sets itself
/// what would share the memory.
pub fn memory_held(cell: &CellRound, store: Option<&StoreDescription>) -> Option<MemoryHeld> {
    let given_bytes = cell.end.axes.memory_bytes?;
    let opened = cell.end.opened.as_ref().filter(|opened| opened.runtime.is_none())?;
    if store.is_some_and(|store| sets_share(&cell.end, store)) {
        return None;
    }
    let most = cell.phases.iter().filter_map(|phase| phase.result.resources.rss_anonymous_bytes).max()?;
    Some(MemoryHeld { given_bytes, held_bytes: most.saturating_sub(opened.rss_baseline_bytes?) })
}

/// Whether the suite sets one of the settings that share the memory.
fn sets_share(end: &CellEnd, store: &StoreDescription) -> bool {
    let shares = store.memory.iter().flat_map(|split| &split.shares);
    shares.into_iter().any(|share| end.axes.settings.contains_key(&share.setting))
}

#[cfg(test)]
mod tests {
    use super::MemoryHeld;

    #[test]
    fn half_as_much_again_is_still_what_was_given() {
        let held = |held_bytes| MemoryHeld { given_bytes: 32 << 20, held_bytes };
        assert!(!held(0).is_missed() && !held(48 << 20).is_missed());
        assert!(held((48 << 20) + 1).is_missed());
    }
}
