//! Shows what a run found.
//!
//! ```text
//! run.json, results.jsonl ─Run::read→ Run ─Analysis──→ tables of rankings ─→ terminal · page · JSON · XLSX · Markdown
//!                                      ├─rows_of─────→ tidy table ────────→ CSV · Parquet · XLSX · page
//!                             another Run ─Comparison→ what changed ──────→ terminal · Markdown · page
//! ```
//! A terminal shows a short answer unless all is asked for ([`render_answer`]). `bakeoff-results` reads a run's
//! directory, ranks stores in a workload, over many and in the page's contests, and compares runs. Invariants: only
//! rounds of cells that never failed count. Stores are ranked only against stores with the same durability, on the same
//! workload. Reports name everything that was left out. No text from a file reaches a terminal with control characters
//! in it.

mod brief;
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

pub use brief::Further;
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
pub use terminal::{
    TerminalOptions, render_against, render_answer, render_comparison, render_comparison_answer,
    render_comparison_notices, render_notices, render_published, render_terminal,
};
