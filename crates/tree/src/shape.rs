//! How a tree is made: how wide and deep it is, and what its values are.

use serde::{Deserialize, Serialize};

use crate::codec::Codec;

/// What the values of a directory tree are (Ozone 2020).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueForm {
    /// The object id, 8 bytes, and padding.
    #[default]
    Long,
    /// What is known of a directory as a FlatBuffer.
    #[serde(rename = "flatbuffers")]
    FlatBuffers,
    /// The same with the object id over its first 8 bytes, which is all that can be read from it.
    #[serde(rename = "flatbuffers-long")]
    FlatBuffersLong,
    /// What is known of a directory as a message of Protocol Buffers.
    Protobuf,
    /// The same with the object id over its first 8 bytes.
    ProtobufLong,
}

impl ValueForm {
    /// All forms.
    pub const ALL: [Self; 5] =
        [Self::Long, Self::FlatBuffers, Self::FlatBuffersLong, Self::Protobuf, Self::ProtobufLong];

    /// The name used in suites.
    pub fn name(self) -> &'static str {
        match self {
            Self::Long => "long",
            Self::FlatBuffers => "flatbuffers",
            Self::FlatBuffersLong => "flatbuffers-long",
            Self::Protobuf => "protobuf",
            Self::ProtobufLong => "protobuf-long",
        }
    }

    /// Whether values have fields besides the object id.
    pub fn has_fields(self) -> bool {
        matches!(self, Self::FlatBuffers | Self::Protobuf)
    }

    fn is_long(&self) -> bool {
        *self == Self::Long
    }

    /// What serialises values of this form.
    pub(crate) fn written_by(self) -> Codec {
        match self {
            Self::Long => Codec::Long,
            Self::FlatBuffers | Self::FlatBuffersLong => Codec::FlatBuffers,
            Self::Protobuf | Self::ProtobufLong => Codec::Protobuf,
        }
    }

    /// What a walk reads ids by.
    pub(crate) fn read_by(self) -> Codec {
        if self.is_overwritten() { Codec::Long } else { self.written_by() }
    }

    /// Whether the id lies over the first bytes of what was serialised.
    pub(crate) fn is_overwritten(self) -> bool {
        matches!(self, Self::FlatBuffersLong | Self::ProtobufLong)
    }
}

/// A directory tree (Ozone 2020): `fanout` directories in each, `levels` deep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Directories in a directory.
    pub fanout: u32,
    /// Levels below the root.
    pub levels: u32,
    /// Bytes of padding after the 8-byte object id in a value; none in other forms.
    pub padding_bytes: u32,
    /// What values are.
    #[serde(default, skip_serializing_if = "ValueForm::is_long")]
    pub values: ValueForm,
    /// Length of names, bytes; 0 for the shortest that tell entries apart.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub name_bytes: u32,
}

/// Entries of a tree: directories on all levels below the root. `None` if they exceed 64 bits.
pub fn tree_entries(tree: Tree) -> Option<u64> {
    let mut level = 1_u64;
    let mut entries = 0_u64;
    for _ in 0..tree.levels {
        level = level.checked_mul(u64::from(tree.fanout))?;
        entries = entries.checked_add(level)?;
    }
    Some(entries)
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_sizes() {
        let entries = |fanout, levels| tree_entries(Tree { fanout, levels, ..Tree::default() });
        assert_eq!(entries(3, 3), Some(39));
        assert_eq!(entries(1000, 30), None);
    }
}
