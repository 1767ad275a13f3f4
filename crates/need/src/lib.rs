//! The need behind `bakeoff pick` and `bakeoff map`, as people write it.
//!
//! - `items` declares everything that a need can have.
//! - `plain` has the words that people type for what flags take.
//! - `typed` collects it from flags, a file and answers; `word` parses a single value.
//! - `read` makes the checked [`Need`](bakeoff_engine::pick::Need).
//! - `trace` derives items from a trace, as values (`shown`); `axis` parses an axis of a map.
//!
//! `bakeoff_engine::pick` is about the consequences of a need.

mod axis;
mod items;
mod plain;
mod read;
mod shown;
pub mod trace;
mod typed;
mod word;

pub use axis::axis;
pub use items::{FIRST, ITEMS, Item, YES};
pub use read::{check_together, read_need};
pub use typed::{Given, Typed};
pub use word::{Word, meaning};
