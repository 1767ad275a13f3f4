//! Which files and crates of the workspace use which, and how documents are written.
//!
//! Two rules keep the rooms of the program apart. Files of a crate must not use each other in a circle ([`file_circles`]). A crate may
//! use crates of lower floors only ([`floor_violations`]). `tests/rooms.rs` checks both, and `cargo run -p bakeoff-tidy` prints what
//! breaks them.
//!
//! File A uses file B if A's code names something that B defines. `mod child;` is not a use, and neither is `pub use`, which only opens
//! a door: a name that was re-exported counts as a use of the file that defines it. Test code is left out. Calls of methods are not
//! seen, since they name no file.
//!
//! [`Document`] reads a page of Markdown and finds what breaks the rules for it: `tests/documents.rs` checks every page.

mod circles;
mod documents;
mod floors;
mod modules;
mod names;
mod uses;
mod workspace;

pub use circles::{Circle, file_circles};
pub use documents::{Code, Document, Files, Part};
pub use floors::{FLOORS, floor_violations};
pub use workspace::{Package, packages};
