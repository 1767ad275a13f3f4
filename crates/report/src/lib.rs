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
mod compare;
mod contender;
mod details;
mod disturbed;
mod document;
mod export_csv;
mod export_hines;
mod export_json;
mod export_parquet;
mod export_xlsx;
mod figures;
mod find_rate;
mod flame;
mod format;
mod garbage;
mod links;
mod live;
mod markdown;
mod matrix;
mod measured;
mod page;
mod pairs;
mod pick;
mod plausible;
mod profiled;
mod published;
mod published_report;
mod results;
mod rounds;
mod run;
mod sections;
mod slots;
mod terminal;
mod tidy;
mod verdict;

pub use against::render_against;
pub use compare::{Change, Comparison, Line, render_comparison, write_comparison_html, write_comparison_markdown};
pub use export_csv::write_csv;
pub use export_hines::write_hines_csv;
pub use export_json::write_json;
pub use export_parquet::write_parquet;
pub use export_xlsx::write_xlsx;
pub use find_rate::{ClosedLoop, Left, RateBound, RateFacts, RateSearch, render_rates};
pub use flame::{FlameUnit, draw_flame_graph, fold_perf_script, folded_weight};
pub use live::live_leaders;
pub use markdown::write_markdown;
pub use page::write_page;
pub use pick::{
    Excluded, Goal, PICK_ASKED, PICK_ASKED_PART, PICK_FAR_BEHIND, PICK_PHASE, PickFacts, Question, by_reason,
    goal_so_far, pick_is_answered, pick_ranking, pick_typical_ranking, render_pick, roughly,
};
pub use plausible::impossible;
pub use published::Published;
pub use published_report::render_published;
pub use results::{CellRound, parse_results, rounds_of};
pub use run::{ReportError, Run};
pub use terminal::{TerminalOptions, render_terminal};
