//! Recorded results of a run, and all conclusions from them.
//!
//! ```text
//! run.json, results.jsonl ─run::Run::read→ Run ─analysis::Analysis──→ tables of rankings, and rankings over them
//!                                           │        └─contests::Contests→ every measure of every workload
//!                                           ├─tidy_table::rows_of──→ one row for each operation of each phase
//!                                           ├─pick_race::judge─────→ who goes on in the race of a pick, and whether it is decided
//!                                           ├─map_outcome::MapOutcome→ who wins where on a map, and where to sample next
//!                                           └─rate_search::…───────→ the rate to try next
//! ```
//! The engine uses these functions to decide while it runs, and the report shows their results. `bakeoff-stats` has the
//! statistics. Invariants: Only rounds of cells that never failed count. Stores are ranked only against stores with the
//! same durability on the same workload. Everything left out while reading is noted.

pub mod analysis;
mod assembly;
pub mod background_work;
pub mod baseline;
pub mod bindings;
pub mod brief;
pub mod caveats;
pub mod cell_rounds;
pub mod cells_measured;
pub mod circumstances;
pub mod citation;
pub mod cold_starts;
pub mod commits;
pub mod comparison;
pub mod contender;
pub mod contests;
pub mod differences;
pub mod disk_usage;
pub mod distinctions;
pub mod disturbed;
pub mod equals;
pub mod error;
pub mod figures;
pub mod flush_share;
pub mod gathered;
pub mod gc;
pub mod goal;
mod grouped;
pub mod lack;
pub mod language;
pub mod leaders;
mod lenient;
pub mod map_axis;
pub mod map_facts;
pub mod map_offer;
pub mod map_outcome;
pub mod map_plane;
pub mod map_race;
pub mod memory_held;
pub mod memory_use;
pub mod omission;
pub mod overall;
pub mod pick;
pub mod pick_budget;
pub mod pick_change;
pub mod pick_costs;
pub mod pick_course;
pub mod pick_facts;
pub mod pick_outcome;
pub mod pick_race;
pub mod plausible;
pub mod power_cut;
pub mod power_cuts;
pub mod published;
mod race;
pub mod rate_results;
pub mod rate_search;
pub mod rate_search_time;
pub mod read_note;
pub mod record;
pub mod reopening;
pub mod results_file;
pub mod rounds;
pub mod run;
mod seal;
pub mod side;
pub mod slots;
pub mod slow_operations;
pub mod store_counters;
pub mod store_figures;
pub mod tidy_table;
pub mod verdict;
pub mod warm_ups;
pub mod warnings;
pub mod winners;
