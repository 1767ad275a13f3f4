//! The plan of a run, made before anything is measured: the suite, the drivers, the media, the cells, and the time of
//! all of it.

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
