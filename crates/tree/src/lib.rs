//! The directory tree of the suite `ozone-2020`: its entries, their keys and values, and walks through it.
//!
//! This crate is the one place that knows how a tree is numbered, named and serialised. The recorder of tapes draws walks here and writes
//! values here ([`Tree::draw_walk`], [`TreeValues`]); the driver reads values here while the clock runs ([`Walk::read`]), and has walks
//! judged here ([`Walk::is_right`]). `docs/TAPE.md` describes all of it. Nothing here panics, whatever bytes a value has.

mod codec;
mod keys;
mod numbering;
mod shape;
mod values;
mod walk;

pub use codec::{Acl, Codec, Directory, Encoder, read};
pub use keys::{EntryKeys, ID_BYTES, NAME_BYTES_MAX, name_lengths};
pub use shape::{Tree, ValueForm, tree_entries};
pub use values::TreeValues;
pub use walk::{DrawnWalk, Walk, WalkAnswer, describe_path};
