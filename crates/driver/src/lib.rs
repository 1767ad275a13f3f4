//! A driver: opens stores and replays tapes. The program (`main.rs`) is this library over a list of stores. Another
//! list (stores with large C++ builds) is another three-line program.
//!
//! Invariants: inside a timed region the driver generates, checks, logs and allocates nothing. It checks every answer
//! after its block. Standard output carries events only; everything else goes to standard error.

mod acknowledge;
mod answers;
mod buffers;
mod command;
mod emit;
mod failure;
mod inventory;
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
