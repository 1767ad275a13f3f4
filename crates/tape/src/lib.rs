//! Tapes: the operations of a phase and their right answers, written out beforehand.
//!
//! `docs/TAPE.md` is the format.

mod workload;

pub use workload::{Access, Batch, Consumer, Data, KeyForm, Measure, Operation, PhaseSpec, SizeRange, Tree, Workload};
