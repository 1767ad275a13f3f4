//! What tests and benchmarks share: made-up runs, whose figures can be computed by hand, and a browser that shows pages. No program uses
//! it.

pub mod chromium;
pub mod made_up;
