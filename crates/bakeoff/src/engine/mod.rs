//! What `run` does: make a plan, record tapes, run each cell and round in a driver of its own, keep the results.

pub(crate) mod cell;
pub(crate) mod cgroup;
pub(crate) mod child;
pub(crate) mod disturbance;
pub(crate) mod estimate;
pub(crate) mod find_rate;
pub(crate) mod flush;
pub(crate) mod guard;
pub(crate) mod interrupt;
pub(crate) mod made_media;
pub(crate) mod names;
pub(crate) mod profile;
mod progress;
pub(crate) mod race;
pub(crate) mod replayed;
pub(crate) mod request;
pub(crate) mod results;
pub(crate) mod run;
pub(crate) mod run_file;
pub(crate) mod schedule;
pub(crate) mod scratch;
pub(crate) mod setup;
pub(crate) mod warm_up;
pub(crate) mod warnings;
pub(crate) mod watch;
