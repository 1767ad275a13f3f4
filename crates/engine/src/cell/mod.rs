//! One cell, one round: a request, a driver process, result lines.

pub(crate) mod by_hand;
pub(crate) mod claims;
pub(crate) mod cold;
mod disk_peak;
pub(crate) mod job;
pub(crate) mod log;
pub(crate) mod measurement;
mod output;
pub(crate) mod process;
pub(crate) mod request;
pub(crate) mod round;
mod table_files;
pub(crate) mod warm_up;
