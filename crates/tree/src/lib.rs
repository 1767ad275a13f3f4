//! The directory tree of the suite `ozone-2020`: its entries, their keys and values, and walks through it.
//!
//! Only this crate knows how a tree is numbered, named and serialised. The tape recorder draws walks and writes values here
//! ([`Tree::draw_walk`], [`TreeValues`]). The driver reads values here in the timed region ([`Walk::read`]) and checks the result of a walk
//! here ([`Walk::is_right`]). `docs/TAPE.md` describes all of it. No bytes of a value make this crate panic.

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
