//! Suite files: what to measure, checked, and turned into a plan of cells.
//!
//! A suite is TOML (`docs/SUITES.md`). [`Suite::parse`] reads it into a tree of values that know their place in the text
//! and from there into a checked [`Suite`]; [`Suite::with_overrides`] puts command-line flags into that tree and checks it again, so
//! that flags and files are held to the same rules; [`plan`] multiplies the axes out into [`Cell`]s for the stores that
//! drivers describe and says of everything it skips why.
//!
//! Nothing here runs a store or knows one by name. No input makes this crate panic.

mod axes;
pub mod builtin;
mod distribution;
mod disturbance;
mod error;
mod flow;
mod label;
mod like;
mod memory;
mod node;
mod offered;
mod overrides;
mod phase;
mod plan;
mod rate;
mod read;
mod rules;
mod run_options;
mod scale;
mod settings;
mod skip;
mod stores;
mod suite;
mod tape;
mod tree;
mod variants;
mod warm_up;

pub use axes::Key;
pub use disturbance::Disturbance;
pub use error::{SuiteError, SuiteErrors, did_you_mean};
pub use flow::drawn_max;
pub use memory::{check_memory, memory_left};
pub use offered::offered;
pub use overrides::Overrides;
pub use plan::{Cell, DEFAULT_MEDIUM, Plan, PlanMedium, WorkloadPlan, plan};
pub use rate::OpenPhase;
pub use run_options::RunOptions;
pub use skip::{Skip, SkipReason};
pub use stores::check_stores;
pub use suite::{StoreChoice, Suite, read_text};
pub use variants::Variant;
pub use warm_up::WarmUpLimit;

/// The longest suite file that is read, in bytes.
pub const SUITE_BYTES_MAX: u64 = 1 << 20;

/// The longest value that a suite may ask for, in bytes.
pub const VALUE_BYTES_MAX: u64 = 1 << 30;

/// The most records that the phases of a workload may insert together: records are numbered with 32 bits.
pub const RECORDS_MAX: u64 = u32::MAX as u64;
