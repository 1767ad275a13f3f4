//! Shared by the verbs that ask for a need: questions on a terminal, whether the time can suffice (`prospect`), and what was typed.
//! A trace whose figures are not enough becomes a tape (`replayed`). `candidates` has the stores that may take part, `cuts` what power cuts
//! leave of the best. Words and their meaning are the crate `bakeoff-need`, and what follows from a need is `bakeoff_engine::pick`.

pub(crate) mod candidates;
pub(crate) mod cuts;
pub(crate) mod prospect;
pub(crate) mod questions;
pub(crate) mod replayed;
pub(crate) mod typed;
