//! Places of stores, tapes and results: bakeoff directories, media made for a run, and control groups.

pub(crate) mod cgroup;
pub(crate) mod guard;
pub(crate) mod made_media;
pub(crate) mod mounts;
pub(crate) mod names;
pub(crate) mod own_directory;
pub(crate) mod results_removal;
pub(crate) mod run_directory;
pub(crate) mod scratch;
pub(crate) mod tree;
