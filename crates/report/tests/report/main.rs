//! Reports of made-up runs: read, rendered, exported.

mod brief;
mod compare;
mod correlated_rounds;
mod exports;
mod files;
mod first_screen;
mod flushes;
mod hines_columns;
mod map;
mod memory;
mod pick;
mod pick_rounds;
mod profiled;
mod published;
mod results;
mod suites_of_papers;
mod terminal;
