//! What verbs share that ask a need: its questions on a terminal, whether the time can suffice (`prospect`), what was typed, a trace as a tape where its figures are not enough
//! (`replayed`), and the stores that may take part. Words and their meaning are the crate `bakeoff-need`, and what follows from a need is
//! `bakeoff_engine::pick`.

pub(crate) mod candidates;
pub(crate) mod prospect;
pub(crate) mod questions;
pub(crate) mod replayed;
pub(crate) mod typed;
