//! Suite files: what to measure, checked, and turned into a plan of cells.
//!
//! A suite is TOML (`docs/SUITES.md`):
//!
//! - [`Suite::parse`] reads it into a tree of values with their places, then checks it.
//! - [`Suite::with_overrides`] puts command-line flags into that tree and checks it again. Flags and files obey the
//!   same rules.
//! - [`plan()`] multiplies the axes into [`Cell`]s for the stores that drivers describe. It gives a reason for
//!   everything it skips.
//!
//! Nothing here runs a store or knows one by name. No input makes this crate panic.

mod assemble;
mod axes;
pub mod builtin;
mod disturbance;
mod error;
mod flag;
mod limits;
mod model;
mod node;
mod parse;
mod place;
mod plan;
mod read;
mod run_options;
mod texts;

pub use assemble::overrides::Overrides;
pub use axes::{Conditions, Key, StoreChoice};
pub use bakeoff_protocol::DEFAULT_MEDIUM;
pub use disturbance::Disturbance;
pub use error::{SuiteError, SuiteErrors};
pub use flag::Flag;
pub use limits::{RECORDS_MAX, SUITE_BYTES_MAX, VALUE_BYTES_MAX};
pub use model::{Suite, Variant, WarmUpLimit};
pub use parse::read_text;
pub use plan::cells::{Cell, Plan, WorkloadPlan};
pub use plan::memory::check_memory;
pub use plan::memory_left::memory_left;
pub use plan::offered::offered;
pub use plan::planner::{PlanMedium, plan};
pub use plan::rate::OpenPhase;
pub use plan::skip::{Skip, SkipReason};
pub use plan::stores::check_stores;
pub use run_options::RunOptions;
