//! Cells whose disk loses its power: a driver is recorded once while it writes to a store, and the power is cut many times.
//!
//! ```text
//! record ─Recording→ choice of cuts → attempt: image, mounted → driver recovers → inventory ─judge→ verdict
//!                                                                                   history ┘
//! ```
//! The disk and its images are those of `bakeoff-powercut`. `history` is what the tapes say a store held at any moment; `judge` compares
//! it with what a driver found. The driver judges nothing.

pub(crate) mod again;
mod attempt;
mod bench;
mod choice;
pub(crate) mod grounds;
pub(crate) mod history;
pub(crate) mod judge;
mod kept;
mod more;
mod record;
pub(crate) mod round;
mod stand;
