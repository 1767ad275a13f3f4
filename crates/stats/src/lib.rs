//! From rounds to intervals, winners and ties.
//!
//! Pure functions over slices of numbers: nothing here reads a file, knows a store or a unit. Every random choice is
//! seeded by the caller, so the same rounds always give the same verdict. Nothing panics and nothing is NaN: input that
//! allows no statement (no rounds, one round, infinities, a ratio to zero) gives `None` or [`Verdict::Unproven`].

mod bisection;
mod change;
mod discovery;
mod interval;
mod ranking;
mod scatter;
mod summary;

pub use bisection::{Bisection, Bracket};
pub use change::{LevelChange, has_settled, level_change};
pub use discovery::discovery_confidence;
pub use interval::{Interval, bootstrap_mean_interval, compare, compare_among};
pub use ranking::{Better, Candidate, Place, RankOptions, Ranking, Verdict, rank};
pub use scatter::CommonScatter;
pub use summary::{geometric_mean, mean, median};
