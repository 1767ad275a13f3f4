//! Stores that flush more than their level requires, each with the reason.
//!
//! At a level without flushes, other stores must not flush at all.

/// Stores that flush more than their level requires, each with the reason.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exceptions {
    /// Settings that limit logs to about 1 MiB: store, setting, bytes. For stores whose logs exceed 15 MB.
    pub small_logs: &'static [(&'static str, &'static str, u64)],
    /// Stores that flush occasionally at a level without flushes: how many of 200 acknowledgements may follow a flush, and why.
    pub now_and_then: &'static [(&'static str, usize, &'static str)],
    /// Files that a store's own thread creates and moves at any time: store, prefix of the file's name, why that needs no flush.
    pub made_beforehand: &'static [(&'static str, &'static str, &'static str)],
    /// Files that a store makes anew after a power cut, or that are for people: store, part of the file's name, why it needs no flush.
    pub dispensable: &'static [(&'static str, &'static str, &'static str)],
    /// Values with which a store flushes its writes at a level without flushes: store, setting, value, why.
    pub flushing_words: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

impl Exceptions {
    pub(super) fn small_logs_of(&self, store: &str) -> Option<(&'static str, &'static str, u64)> {
        self.small_logs.iter().find(|(name, ..)| *name == store).copied()
    }
}
