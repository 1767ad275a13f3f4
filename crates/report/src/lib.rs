//! Reads a run's directory and shows what it found.
//!
//! ```text
//! run.json, results.jsonl ─Run::read→ Run ─compare_all→ tables of rankings ─→ terminal · page · JSON · XLSX · Markdown
//!                                      ├─rows_of──────→ tidy table ────────→ CSV · Parquet · XLSX · page
//!                              another Run ─Comparison→ what changed ──────→ terminal · Markdown · page
//! ```
//! Statistics are `bakeoff-stats`'s; here figures are only taken out of results, given to it, and laid out. Invariants:
//! only rounds of cells that never failed count; stores are ranked only against stores with the same promise, on the same
//! workload; whatever was left out is said; no text from a file reaches a terminal with control characters in it.

mod against;
mod answer;
mod bars;
mod circumstances;
mod colours;
mod compare;
mod details;
mod disturbed;
mod document;
mod error;
mod export_csv;
mod export_hines;
mod export_json;
mod export_parquet;
mod export_xlsx;
mod find_rate;
mod format;
mod garbage;
mod links;
mod markdown;
mod matrix;
mod measured;
mod page;
mod pairs;
mod pick;
mod profiled;
mod published;
mod published_report;
mod sections;
mod terminal;

pub use against::render_against;
pub use compare::{Change, Comparison, Line, render_comparison, write_comparison_html, write_comparison_markdown};
pub use error::ReportError;
pub use export_csv::write_csv;
pub use export_hines::write_hines_csv;
pub use export_json::write_json;
pub use export_parquet::write_parquet;
pub use export_xlsx::write_xlsx;
pub use find_rate::render_rates;
pub use markdown::write_markdown;
pub use page::write_page;
pub use pick::render_pick;
pub use published::Published;
pub use published_report::render_published;
pub use terminal::{TerminalOptions, render_terminal};

use bakeoff_results::{cell_rounds as results, contender, figures, rounds, run, slots, tidy_table as tidy, verdict};
