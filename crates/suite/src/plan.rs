//! From a suite and the stores that drivers describe to a plan of cells.

pub(crate) mod cells;
pub(crate) mod compression;
mod identity;
mod label;
pub(crate) mod memory;
pub(crate) mod memory_left;
pub(crate) mod offered;
pub(crate) mod planner;
pub(crate) mod rate;
pub(crate) mod skip;
pub(crate) mod stores;
