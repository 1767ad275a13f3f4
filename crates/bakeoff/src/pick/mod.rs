//! What `bakeoff pick` makes of a developer's words: what can be said (`items`) and was typed (`typed`, `questions`) → a checked need (`need`) → stores that can do
//! it (`conditions`) and a suite that asks it (`suite`). The race itself is `crates/engine/src/race.rs`, the answer `bakeoff_report::render_pick`.

pub(crate) mod conditions;
pub(crate) mod items;
pub(crate) mod need;
pub(crate) mod questions;
pub(crate) mod suite;
pub(crate) mod suite_file;
pub(crate) mod trace;
pub(crate) mod typed;
