//! What is to be measured, found out before anything is: the suite, the drivers, the media, the cells, and what all of it takes.

pub(crate) mod estimate;
pub(crate) mod flush;
pub(crate) mod imported_tape;
pub(crate) mod media;
pub(crate) mod rate_plan;
pub(crate) mod resumption;
pub(crate) mod run_record;
pub(crate) mod schedule;
pub(crate) mod setup;
pub(crate) mod source;
pub(crate) mod step;
pub(crate) mod warnings;
