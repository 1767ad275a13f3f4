//! Messages between the command line and a driver, and the lines of results.
//!
//! Only types: nothing here opens a file or starts a process. `docs/PROTOCOL.md` describes the same in prose, for drivers in other
//! languages. Integers are nanoseconds or bytes, and their names say which. A figure that could not be read is absent (`None`, omitted from
//! the JSON), never zero. Unknown optional keys are ignored. An unknown [`PROTOCOL_VERSION`] is refused.

mod axes;
mod axis_value;
mod describe;
mod durability;
mod event;
mod measure;
mod memory;
mod power_cut;
mod request;
mod result;
mod slow;
mod store_name;

pub use axes::{AXES, Axes, Axis, DEFAULT_MEDIUM, DISTURBANCE, DURABILITY, MEDIUM, THREADS, VARIANT, shown_axes};
pub use axis_value::{AxisValue, Mention, Part, Role};
pub use describe::{
    Capabilities, DriverCheck, DriverDescription, Platform, Room, Setting, SettingKind, Step, StoreDescription,
    Structure,
};
pub use durability::{AfterFailure, Durability, DurabilitySupport, Leaves, NotOffered};
pub use event::{
    BackgroundWork, CompactedCopy, Event, FailureKind, Finished, Inventory, OpenLoop, Opened, PhaseResult, Progress,
    Verified, WarmUpOutcome,
};
pub use measure::{DiskUsage, Latency, OperationResult, Resources, SizeResult, ValueSizeRange};
pub use memory::{MemoryShare, MemorySplit, Overhead};
pub use power_cut::{BadCut, CutCount, CutPlace, CutVerdict, PowerCuts, Recorded};
pub use request::{
    AMOUNT_MAX, Compression, Crash, DataHints, Mode, PhaseRequest, Profile, ProfileRequest, Request, STEADY_WITHIN_MAX,
    Settings, WarmUp,
};
pub use result::{CellEnd, CellStatus, DroppedCache, PhaseLine, ProfileOutcome, ResultLine, TapeFacts};
pub use slow::{Activity, Cause, CauseShare, LatencyTimeline, SlowOperation, SlowOperations};
pub use store_name::{TITLE_CHARACTERS_MAX, TITLE_RULE, check_store_name, check_title, is_blank, title_key};

/// The version of requests, events and result lines. A driver refuses a request of another version.
///
/// Version 1 had three durability levels. Its `process` made no statement about power cuts, so both `process` and `consistent` satisfy it.
/// Its results can still be read.
pub const PROTOCOL_VERSION: u32 = 2;

/// Requests that a driver must refuse, each for one rule.
///
/// A JSON object with a valid `request`, and an array `refused` of objects with `group`, `name` and `rule`. Each also has either the whole
/// `text`, or a change of the request: `set`, pairs of a path and a value, or `remove`, paths.
pub const REFUSED_REQUESTS: &str = include_str!("../vectors/refused-requests.json");

/// A driver in Rust that runs under this name, through a link, describes each of its stores and twins of it
/// ([`StoreDescription::twin_of`]).
pub const TWINS_PROGRAM: &str = "bakeoff-driver-twins";
