//! A pick: a need → the stores that can do it, and a suite that asks it. The race itself is `race`.

mod conditions;
mod memory;
mod need;
mod suite;
mod suite_file;

pub use conditions::{Divided, PromisingMore, check_languages_and_licenses, divide, may_suit};
pub use need::{MUSTS, Memory, Must, Need, RECORDS_MAX, Stores, is_write};
pub use suite::{PickSuite, check_percentile};
pub use suite_file::{Access, Hot};
