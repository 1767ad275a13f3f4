//! Suites from text to cells: what is read, refused, planned and skipped.

mod age;
mod common;
mod compression;
mod documents;
mod drawn;
mod errors;
mod like;
mod memory;
mod plans;
mod properties;
mod recordings;
mod tapes;
mod variants;
