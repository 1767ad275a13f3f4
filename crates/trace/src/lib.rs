//! Traces of what applications do with their records, as other programs write them: read line by line, and summed up.
//!
//! ```text
//! CSV · Twitter's cache-trace · YCSB's log ─Trace→ operations ─Summary→ mix, sizes, popularity, times
//! ```
//! A trace is read forwards once and never kept: memory grows with the number of different keys alone. Keys are data: only their
//! lengths and hashes are looked at. No input makes this crate panic; what cannot be read is told with its line.

mod error;
mod form;
mod popularity;
mod read;
mod summary;

pub use error::TraceError;
pub use form::Form;
pub use popularity::Popularity;
pub use read::{Event, Trace};
pub use summary::{Arrival, Sizes, Summary};
