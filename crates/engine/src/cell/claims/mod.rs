//! Compares the claims of a driver with its request, with its tapes, and with what this process itself sees. A driver
//! is not believed.

pub(crate) mod directory;
pub(crate) mod figures;
pub(crate) mod histograms;
pub(crate) mod latencies;
pub(crate) mod memory;
pub(crate) mod order;
pub(crate) mod phase;
mod resources;
pub(crate) mod settings;
mod sizes;
pub(crate) mod time;

use bakeoff_protocol::FailureKind;

/// Why an event is not believed: the kind of failure of its cell, and the reason.
pub(crate) type Refusal = (FailureKind, String);
