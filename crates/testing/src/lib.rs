//! Shared by tests and benchmarks: made-up runs with figures that can be checked by hand, traces of made-up applications, and a browser. No
//! program uses it.

pub mod application_trace;
pub mod applications;
pub mod chromium;
pub mod made_up;
pub mod picks;
