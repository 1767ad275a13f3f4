//! What a driver claims, held against what it was asked, what its tapes say, and what this process sees itself. A driver is not believed.

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
