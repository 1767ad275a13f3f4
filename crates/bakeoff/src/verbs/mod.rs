//! One file a verb: what it was given, what it calls, what it prints.

pub(crate) mod check_driver;
pub(crate) mod clean;
pub(crate) mod compare;
pub(crate) mod cut;
pub(crate) mod doctor;
pub(crate) mod documentation;
pub(crate) mod map;
pub(crate) mod pick;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod run;
pub(crate) mod splice;
pub(crate) mod stores;
pub(crate) mod suites;
pub(crate) mod tape;
