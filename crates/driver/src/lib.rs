//! A driver: opens stores and replays tapes. The binary beside it is this library over a list of stores, so that
//! another list (stores with large C++ builds) is another three-line binary.
//!
//! Invariants: inside a timed region nothing is generated, checked, logged or allocated by the driver; every answer is
//! checked after its block; standard output carries events only, everything else goes to standard error.

mod answers;
mod buffers;
mod command;
mod emit;
mod failure;
mod lane;
mod pace;
mod phase;
mod progress;
mod request;
mod run;
mod steady_state;
mod tally;
mod timeline;
mod twins;
mod walk;
mod watch;

pub use buffers::Buffers;
pub use command::main;
pub use lane::{LaneJob, LaneOutcome, replay_lane};
pub use progress::Reporter;
pub use request::parse_request;
