//! How a walk goes: what its record says in the field that other records keep the length of a value in.

use bakeoff_codec::Codec;

/// Every field of each value is read, not the object id alone.
const ALL_FIELDS: u32 = 1 << 24;
/// The last lookup finds nothing; all before it do.
const PAST_LEAF: u32 = 1 << 25;

/// How a walk goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Components of the path.
    pub components: u16,
    /// How values are read.
    pub codec: Codec,
    /// Whether all fields of each value are read.
    pub all_fields: bool,
    /// Whether the path has one component more than the tree: its lookup must find nothing, and all before it a value.
    pub past_leaf: bool,
}

impl Walk {
    /// The field as it lies on a tape.
    pub fn encode(&self) -> u32 {
        let flags = if self.all_fields { ALL_FIELDS } else { 0 } | if self.past_leaf { PAST_LEAF } else { 0 };
        u32::from(self.components) | u32::from(self.codec as u8) << 16 | flags
    }

    /// Reads the field; `None` if there is no such codec, or no such fields in it, or if other bits are set.
    #[inline]
    pub fn decode(field: u32) -> Option<Self> {
        let codec = Codec::from_code((field >> 16) as u8)?;
        let (all_fields, past_leaf) = (field & ALL_FIELDS != 0, field & PAST_LEAF != 0);
        let walk = Self { components: field as u16, codec, all_fields, past_leaf };
        let sound = walk.encode() == field && !(all_fields && codec == Codec::Long);
        sound.then_some(walk)
    }

    /// Lookups that find a value, if the walk's right answer is to find some.
    #[inline]
    pub fn found(&self) -> u64 {
        u64::from(self.components) - u64::from(self.past_leaf && self.components > 0)
    }
}
