//! The shape of a tree: its width, its depth and its values.

use serde::{Deserialize, Serialize};

use crate::codec::Codec;

/// The form of the values of a directory tree (Ozone 2020).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueForm {
    /// The object id, 8 bytes, and padding.
    #[default]
    Long,
    /// A directory's fields as a FlatBuffer.
    #[serde(rename = "flatbuffers")]
    FlatBuffers,
    /// A FlatBuffer whose first 8 bytes are overwritten with the object id. Only the id can be read.
    #[serde(rename = "flatbuffers-long")]
    FlatBuffersLong,
    /// A directory's fields as a Protocol Buffers message.
    Protobuf,
    /// A Protocol Buffers message whose first 8 bytes are overwritten with the object id.
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

    /// The codec that writes values of this form.
    pub(crate) fn written_by(self) -> Codec {
        match self {
            Self::Long => Codec::Long,
            Self::FlatBuffers | Self::FlatBuffersLong => Codec::FlatBuffers,
            Self::Protobuf | Self::ProtobufLong => Codec::Protobuf,
        }
    }

    /// The codec with which a walk reads ids.
    pub(crate) fn read_by(self) -> Codec {
        if self.is_overwritten() { Codec::Long } else { self.written_by() }
    }

    /// Whether the id overwrites the first bytes of the serialised directory.
    pub(crate) fn is_overwritten(self) -> bool {
        matches!(self, Self::FlatBuffersLong | Self::ProtobufLong)
    }
}

/// A directory tree (Ozone 2020): each directory has `fanout` directories, `levels` deep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Directories per directory.
    pub fanout: u32,
    /// Levels below the root.
    pub levels: u32,
    /// Bytes of padding after the 8-byte object id in a value; 0 in other forms.
    pub padding_bytes: u32,
    /// The form of values.
    #[serde(default, skip_serializing_if = "ValueForm::is_long")]
    pub values: ValueForm,
    /// Length of names, bytes; 0 for the shortest unique ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub name_bytes: u32,
}

/// The number of entries: directories on all levels below the root. `None` if it exceeds 64 bits.
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
