//! Values of a directory tree: how they are serialised, and what a walk reads from them.
//!
//! The recorder of tapes writes values with [`Directory`] and knows what reading them gives; the driver reads them with [`read`] while
//! the clock runs: messages through the library a program would use (`prost`), FlatBuffers in the steps of Java's library, so that walks
//! in both languages are the same work. `docs/TAPE.md` lays both down. Nothing here panics, whatever bytes a value has: one that cannot
//! be read is [`None`].

mod directory;
mod flat;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, unused, clippy::all, clippy::undocumented_unsafe_blocks, elided_lifetimes_in_paths)]
mod directory_info_generated;
mod proto;

pub use directory::{Acl, Directory, Encoder, fold, fold_text};

/// How the object id, and the rest, is read from a value: what a walk on a tape names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Codec {
    /// The first 8 bytes, little-endian, whatever follows them.
    #[default]
    Long = 0,
    /// A FlatBuffer.
    FlatBuffers = 1,
    /// A message of Protocol Buffers.
    Protobuf = 2,
}

impl Codec {
    /// All codecs, by code.
    pub const ALL: [Self; 3] = [Self::Long, Self::FlatBuffers, Self::Protobuf];

    /// The codec with this code on the tape.
    #[inline]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The name used in descriptions of tapes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Long => "long",
            Self::FlatBuffers => "flatbuffers",
            Self::Protobuf => "protobuf",
        }
    }
}

/// Reads a value's object id; with `all` folds every field of it, in the order of the schema, into the state. `None` if the value
/// cannot be read, or is said to hold fields that its codec does not have.
#[inline]
pub fn read(codec: Codec, value: &[u8], all: Option<&mut u64>) -> Option<u64> {
    match (codec, all) {
        (Codec::Long, None) => value.first_chunk().map(|id| u64::from_le_bytes(*id)),
        (Codec::Long, Some(_)) => None,
        (Codec::FlatBuffers, None) => flat::object_id(value),
        (Codec::FlatBuffers, Some(state)) => flat::fields(value, state),
        (Codec::Protobuf, None) => proto::object_id(value),
        (Codec::Protobuf, Some(state)) => proto::fields(value, state),
    }
}
