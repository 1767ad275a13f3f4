//! What tests and benchmarks share: made-up runs, whose figures can be computed by hand, traces of made-up applications, and a browser that
//! shows pages. No program uses it.

pub mod application_trace;
pub mod applications;
pub mod chromium;
pub mod made_up;
