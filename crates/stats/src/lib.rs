//! From rounds to intervals, winners and ties.
//!
//! All functions are pure and work on numbers: no files, no stores, no units, no randomness. The same rounds always give the same verdict.
//! Nothing panics, and no result is NaN. Input that allows no statement gives `None` or [`Verdict::Unproven`]: no rounds, one round,
//! infinities, a ratio to zero.
//!
//! Rounds are randomised blocks. Candidates are compared by the logarithm of their ratio within each round ([`LogRatio`]). The comparisons
//! of a table share an estimate of scatter, which makes each more certain ([`CommonScatter`]). A [`Field`] of candidates becomes a
//! [`Ranking`]. [`discovery_confidence`] is the confidence that each ranking needs for the whole table to hold.

mod autocorrelation;
mod bisection;
mod centre;
mod change;
mod discovery;
mod interval;
mod log_ratio;
mod ranking;
mod rounds;
mod scatter;
mod series;
mod signed_rank;
mod summary;

pub use bisection::{Bisection, Bracket};
pub use change::{LevelChange, has_settled, level_change};
pub use discovery::discovery_confidence;
pub use interval::{Interval, WIDTH_MAX};
pub use log_ratio::LogRatio;
pub use ranking::{Better, Candidate, Field, Place, RankOptions, Ranking, Standing, TIED_WITHIN, Verdict, rank};
pub use rounds::Rounds;
pub use scatter::CommonScatter;
pub use summary::{geometric_mean, mean, median};
