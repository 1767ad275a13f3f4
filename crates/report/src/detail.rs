//! How much a report shows.

/// How much a report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What most readers need.
    Usual,
    /// Everything that was measured.
    Full,
}
