//! What goes on while cells are measured: disturbances, profilers, the display, and signals.

pub(crate) mod disturbance;
pub(crate) mod interrupt;
pub(crate) mod limits;
pub(crate) mod profile;
pub(crate) mod progress;
pub(crate) mod watch;
