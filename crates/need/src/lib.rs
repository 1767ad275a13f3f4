//! What is asked of `bakeoff pick` and `bakeoff map`, as people write it.
//!
//! `items` has what can be said of a need, `typed` what was said by flags, in a file and as answers, `word` what a word means, `read` the
//! checked [`Need`](bakeoff_engine::pick::Need). `trace` makes words of a trace, and `axis` an axis of a map. What follows from a need is
//! `bakeoff_engine::pick`.

mod axis;
mod items;
mod read;
pub mod trace;
mod typed;
mod word;

pub use axis::axis;
pub use items::{ITEMS, Item};
pub use read::{check_together, read_need};
pub use typed::{Given, Typed};
pub use word::{Word, meaning};
