//! Drivers: found, asked what they can do, and built when a store of theirs is asked for.

pub(crate) mod discovery;
pub(crate) mod process;
pub(crate) mod recipes;
