//! A pick: a need → the stores that can do it, and a suite that asks it. The race itself is `race`.

mod conditions;
mod cut_suite;
mod map_suite;
mod memory;
mod need;
mod prospect;
mod suite;
mod suite_file;

pub use conditions::{Divided, PromisingMore, check_languages_and_licenses, divide, may_suit};
pub use cut_suite::cut_suite;
pub use map_suite::{map_suite, need_at};
pub use need::{
    BATCH_MAX, KEY_BYTES_HASHED, MUSTS, Memory, Must, Need, OPERATIONS_USUAL, RECORDS_MAX, Stores, is_write,
};
pub use prospect::{Prospect, Sufficiency};
pub use suite::{PickSuite, check_goal, check_keys, check_percentile};
pub use suite_file::{Access, Hot};
