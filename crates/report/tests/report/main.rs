//! Reports of made-up runs: read, rendered, exported.

mod common;
mod compare;
mod exports;
mod memory;
mod files;
mod published;
mod results;
mod suites_of_papers;
mod terminal;
