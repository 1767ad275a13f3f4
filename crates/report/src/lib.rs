//! Shows what a run found.
//!
//! ```text
//! run.json, results.jsonl ─Run::read→ Run ─Analysis──→ tables of rankings ─→ terminal · page · JSON · XLSX · Markdown
//!                                      ├─rows_of─────→ tidy table ────────→ CSV · Parquet · XLSX · page
//!                             another Run ─Comparison→ what changed ──────→ terminal · Markdown · page
//! ```
//! `bakeoff-results` reads a run's directory, ranks stores in a workload, over many and in the page's contests, and compares runs.
//! Invariants: only rounds of cells that never failed count; stores are ranked only against stores with the same promise, on the same
//! workload; whatever was left out is said; no text from a file reaches a terminal with control characters in it.

mod circumstances;
mod colours;
mod compare;
mod detail;
mod document;
mod error;
mod export;
mod format;
mod labels;
mod map_text;
mod markdown;
mod measured;
mod page;
mod profiles;
mod published;
mod read_notes;
mod sections;
mod terminal;

pub use compare::{ComparisonReport, LineLabels, write_comparison_html};
pub use error::ReportError;
pub use export::csv::write_csv;
pub use export::json::write_json;
pub use export::parquet::write_parquet;
pub use export::samples::write_samples;
pub use export::xlsx::write_xlsx;
pub use markdown::{write_comparison_markdown, write_markdown};
pub use page::write_page;
pub use read_notes::describe as describe_note;
pub use terminal::{TerminalOptions, render_against, render_comparison, render_published, render_terminal};
