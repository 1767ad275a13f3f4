//! What was asked of `bakeoff pick`, as it was typed: what can be said of a need (`items`), flags, files and answers (`typed`, `questions`),
//! a trace as a need (`trace`), and the checked need (`need`). What follows from it is `bakeoff_engine::pick`.

pub(crate) mod items;
pub(crate) mod need;
pub(crate) mod questions;
pub(crate) mod trace;
pub(crate) mod typed;
pub(crate) mod word;
