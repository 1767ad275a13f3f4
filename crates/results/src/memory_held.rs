//! How much of the given memory a store held.

use bakeoff_protocol::{CellEnd, StoreDescription};

use crate::cell_rounds::CellRound;

/// A store that holds more than this multiple of the given memory does not respect it.
pub const HELD_PER_GIVEN_MAX: f64 = 1.5;

/// The memory that a store was given and held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryHeld {
    /// The given memory, bytes.
    pub given_bytes: u64,
    /// The memory held at the end of some phase, at least, bytes.
    pub held_bytes: u64,
}

impl MemoryHeld {
    /// The held memory as a multiple of the given memory.
    pub fn part(&self) -> f64 {
        self.held_bytes as f64 / self.given_bytes.max(1) as f64
    }

    /// Whether the store held so much more that the comparison with others is unfair.
    pub fn is_missed(&self) -> bool {
        self.held_bytes as f64 > self.given_bytes as f64 * HELD_PER_GIVEN_MAX
    }
}

/// The memory that a cell's store was given and held. Held memory is the process's memory that belongs to no file,
/// minus all memory resident with the empty store. The latter includes parts of files, such as the driver's program, so
/// the store held at least this much.
///
/// `None` without given memory, if it could not be read, or if a runtime such as a JVM has its own memory. `None` also
/// if the suite sets a setting that shares the memory.
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
