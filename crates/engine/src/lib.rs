//! What a run does: it plans what a suite asks for, records tapes, runs each cell and round in a driver process, and keeps the results.
//!
//! ```text
//! plan ─Setup→ execute ─Mode::next→ cell ─driver process→ results.jsonl
//!                        run · race · rate_search · map
//! ```
//!
//! - `plan` finds out everything before anything is measured.
//! - `cell` runs one round of one cell.
//! - [`check_driver`] tries the rules of the protocol on a driver.
//! - [`pick`] makes a suite of a need, for a pick or a map.
//! - `power_cut` is for cells whose disk loses its power, many times.
//! - `place` is where stores, tapes and results lie.
//! - `surroundings` is what goes on while cells are measured.
//! - `mode` is the loop that the modes share: `run`, `race`, `rate_search` and `map`.
//!
//! The program that uses this crate gives it typed options and a [`Reporter`], and shows the results. Decisions are those of
//! `bakeoff-results`.

mod cell;
pub mod check_driver;
mod drivers;
mod execute;
mod explain;
mod in_turn;
mod map;
mod mode;
pub mod pick;
mod place;
mod plan;
mod power_cut;
mod programs;
mod quote;
mod race;
mod rate_search;
mod reporter;
mod run;
mod state;
mod strays;
mod surroundings;
mod timestamp;

pub use cell::by_hand::RequestByHand;
pub use drivers::discovery::{Driver, Drivers, UnresponsiveDriver};
pub use drivers::recipes::{
    Recipe, StoreNames, drivers_for, left_out, lost, not_built, not_included, recipes, store_names,
};
pub use execute::{FinishedRun, execute};
pub use explain::{Advised, explained};
pub use in_turn::{TurnSide, execute_in_turn};
pub use place::cgroup::MemoryGroups;
pub use place::guard::guard;
pub use place::own_directory::{Kind, MARKER, OwnDirectory, kind_of, remove_unfinished, shown};
pub use place::results_removal::Removal;
pub use place::run_directory::{
    FoundRun, Readers, find_run, is_unbegun, make_run_directory, newest_results, results_newest_first,
};
pub use place::scratch::{remove_leftovers_of, unmarked_in};
pub use plan::estimate::{describe_share, describe_size};
pub use plan::rate_plan::{check_rate_budget, expected_rate_times, plan_rates};
pub use plan::resumption::check_unchanged;
pub use plan::run_record::{run_record, skipped};
pub use plan::setup::Setup;
pub use plan::source::SuiteSource;
pub use power_cut::again::{CutAgain, PendingWrite, cut_again};
pub use power_cut::grounds::{PICK_FILE_SYSTEM, can_cut_power, power_cut_possibility, serve_disk};
pub use programs::Missing;
pub use reporter::Reporter;
pub use state::Ended;
pub use surroundings::interrupt::INTERRUPTED;
pub use surroundings::limits::soften_limits;
pub use surroundings::profile::profiling_possibility;
pub use surroundings::watch::Watch;
