//! Traces of what applications do with their records, as other programs write them: read line by line, and summed up.
//!
//! ```text
//! CSV · Parquet · JSON ─tables─┐
//!                              ├─Trace→ operations ─┬─Summary→ mix, sizes, popularity, times
//! logs of programs ────────────┘                    └─import→ tapes with the right answers
//! ```
//! A trace is read forwards and never kept: memory grows with the number of different keys alone. Keys are data: only
//! their lengths and hashes are kept, and on tapes they can be hashed too. No input makes this crate panic; an error
//! names the line that cannot be read.

mod awaited;
mod columns;
mod content;
mod error;
mod event;
mod finish;
mod form;
mod hash;
mod import;
mod intake;
mod json;
mod keys;
mod lanes;
mod lines;
mod logs;
mod mask;
mod misfit;
mod operations;
mod options;
mod parquet;
mod popularity;
mod position;
mod progress;
mod read;
mod read_ahead;
mod rewrite;
mod rows_out;
mod sizes;
mod summary;
mod tables;
mod tape_text;
mod times;
mod turnover;

pub use error::{Origin, TraceError};
pub use event::Event;
pub use finish::IMPORT_PHASE;
pub use form::Form;
pub use import::{ImportOptions, ImportOutcome, WARM_UP_DIRECTORY, import, import_trace};
pub use intake::Omitted;
pub use keys::Privacy;
pub use lanes::{IMPORT_LANES_MAX, LaneFacts};
pub use misfit::Misfit;
pub use options::ReadOptions;
pub use parquet::panics_are_errors;
pub use popularity::{Law, Popularity, exponent_of_tenth};
pub use progress::OnProgress;
pub use read::{Input, Trace};
pub use rewrite::{Cut, Merge, RewriteOptions, Rewritten, TableForm, count_operations, rewrite};
pub use sizes::{RecordSizes, Sizes};
pub use summary::{Arrival, Summary};
pub use times::{TimeUnit, Zone};
pub use turnover::Turnover;
