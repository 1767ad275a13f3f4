//! Drivers: bakeoff finds them, asks for their descriptions, and builds them when one of their stores is needed.

pub(crate) mod discovery;
pub(crate) mod process;
pub(crate) mod recipes;
