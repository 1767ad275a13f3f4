//! Stores that flush more than their class asks for, by their names, each with the reason.
//!
//! Other stores are allowed no flush in a class that asks for none.

/// Stores that flush more than their class asks for, each with the reason.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exceptions {
    /// Settings with which logs end after about a mebibyte: store, setting, bytes. For stores whose logs are longer than 15 MB.
    pub small_logs: &'static [(&'static str, &'static str, u64)],
    /// Stores that flush now and then although nothing asks for it: how many of 200 acknowledgements may come after that, and why.
    pub now_and_then: &'static [(&'static str, usize, &'static str)],
    /// Files that a store's own thread makes and moves at any moment: store, how the file's name begins, why that needs no flush.
    pub made_beforehand: &'static [(&'static str, &'static str, &'static str)],
    /// Words with which a store flushes its writes in a class that does not ask for it: store, setting, word, why.
    pub flushing_words: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

impl Exceptions {
    pub(super) fn small_logs_of(&self, store: &str) -> Option<(&'static str, &'static str, u64)> {
        self.small_logs.iter().find(|(name, ..)| *name == store).copied()
    }
}
