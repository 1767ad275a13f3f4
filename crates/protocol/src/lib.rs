//! What the command line and a driver say to each other, and what a result line holds.
//!
//! Only types: nothing here opens a file or starts a process. `docs/PROTOCOL.md` is the same thing in prose, for
//! drivers in other languages. Invariants: integers are nanoseconds or bytes and say so in their names; a figure that
//! could not be read is absent (`None`, left out of the JSON), never zero; unknown optional keys are ignored, an
//! unknown [`PROTOCOL_VERSION`] is refused.

mod axes;
mod axis_value;
mod describe;
mod durability;
mod event;
mod measure;
mod memory;
mod request;
mod result;
mod slow;
mod store_name;

pub use axes::{
    AXES, Axes, Axis, DEFAULT_MEDIUM, DISTURBANCE, DURABILITY, MEDIUM, THREADS, VALUE_BYTES, VARIANT, shown_axes,
};
pub use axis_value::{AxisValue, Mention, Part, Role};
pub use describe::{
    Capabilities, DriverCheck, DriverDescription, Platform, Room, Setting, SettingKind, Step, StoreDescription,
    Structure,
};
pub use durability::{AfterFailure, Durability, DurabilitySupport, Leaves, NotOffered};
pub use event::{
    BackgroundWork, CompactedCopy, Event, FailureKind, Finished, OpenLoop, Opened, PhaseResult, Progress, Verified,
    WarmUpOutcome,
};
pub use measure::{DiskUsage, Latency, OperationResult, Resources, SizeResult, ValueSizeRange};
pub use memory::{MemoryShare, MemorySplit, Overhead};
pub use request::{
    Compression, Crash, DataHints, Mode, PhaseRequest, Profile, ProfileRequest, Request, STEADY_WITHIN_MAX, Settings,
    WarmUp,
};
pub use result::{CellEnd, CellStatus, DroppedCache, PhaseLine, ProfileOutcome, ResultLine, TapeFacts};
pub use slow::{Activity, Cause, CauseShare, LatencyTimeline, SlowOperation, SlowOperations};
pub use store_name::check_store_name;

/// The version of requests, events and result lines. A driver refuses a request of any other version.
///
/// Version 1 had three durability levels: its `process` made no statement about power cuts, and is kept by the settings of `process` and
/// `consistent` alike. Results of it are still read.
pub const PROTOCOL_VERSION: u32 = 2;

/// Requests that a driver must refuse, each for one rule: a JSON object with a sound `request`, and `refused`, an array of objects with `group`,
/// `name`, `rule`, and either the whole `text` or what to change in the request: `set`, pairs of a path and a value, or `remove`, paths.
pub const REFUSED_REQUESTS: &str = include_str!("../vectors/refused-requests.json");

/// A link of this name to a driver in Rust describes each of its stores and twins of it ([`StoreDescription::twin_of`]).
pub const TWINS_PROGRAM: &str = "bakeoff-driver-twins";
