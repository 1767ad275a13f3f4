//! Publications: their own figures, and a run next to them.

pub(crate) mod against;
pub(crate) mod garbage;
pub(crate) mod report;
