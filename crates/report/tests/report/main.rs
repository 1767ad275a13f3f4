//! Reports of made-up runs: read, rendered, exported.

mod common;
mod exports;
mod memory;
mod published;
mod results;
mod suites_of_papers;
mod terminal;
