//! From rounds to intervals, winners and ties.
//!
//! Pure functions over numbers: nothing here reads a file, knows a store or a unit, or draws at random, so the same rounds always give
//! the same verdict. Nothing panics and nothing is NaN: input that allows no statement (no rounds, one round, infinities, a ratio to
//! zero) gives `None` or [`Verdict::Unproven`].
//!
//! Rounds are randomised blocks. Candidates are compared by the logarithm of their ratio within each round ([`LogRatio`]); what the
//! comparisons of a table have in common makes each of them surer ([`CommonScatter`]); a [`Field`] of candidates becomes a [`Ranking`]; and
//! [`discovery_confidence`] says how sure each ranking of a table must be so that the table holds.

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
mod summary;

pub use bisection::{Bisection, Bracket};
pub use change::{LevelChange, has_settled, level_change};
pub use discovery::discovery_confidence;
pub use interval::Interval;
pub use log_ratio::LogRatio;
pub use ranking::{Better, Candidate, Field, Place, RankOptions, Ranking, Standing, TIED_WITHIN, Verdict, rank};
pub use rounds::Rounds;
pub use scatter::CommonScatter;
pub use summary::{geometric_mean, mean, median};
