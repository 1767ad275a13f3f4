//! Walks: paths through a tree. Each component is looked up in the directory whose id the previous lookup returned.

use std::fmt::Write;

use crate::codec::{Codec, Directory, read};
use crate::keys::EntryKeys;
use crate::numbering::Numbering;
use crate::shape::Tree;

/// All fields of each value are read, not only the object id.
const ALL_FIELDS: u32 = 1 << 24;
/// The last lookup finds nothing; all lookups before it find a value.
const PAST_LEAF: u32 = 1 << 25;

/// The properties of a walk. A tape stores them in the field where other records have the length of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Components of the path.
    pub components: u16,
    /// How values are read.
    pub codec: Codec,
    /// Whether all fields of each value are read.
    pub all_fields: bool,
    /// Whether the path has one component more than the tree. Then the last lookup must find nothing, and all before it a value.
    pub past_leaf: bool,
}

impl Walk {
    /// The field as stored on a tape.
    pub fn encode(&self) -> u32 {
        let flags = if self.all_fields { ALL_FIELDS } else { 0 } | if self.past_leaf { PAST_LEAF } else { 0 };
        u32::from(self.components) | u32::from(self.codec as u8) << 16 | flags
    }

    /// Reads the field. `None` if the codec is unknown, it lacks the fields, or other bits are set.
    #[inline]
    pub fn decode(field: u32) -> Option<Self> {
        let codec = Codec::from_code((field >> 16) as u8)?;
        let (all_fields, past_leaf) = (field & ALL_FIELDS != 0, field & PAST_LEAF != 0);
        let walk = Self { components: field as u16, codec, all_fields, past_leaf };
        let sound = walk.encode() == field && !(all_fields && codec == Codec::Long);
        sound.then_some(walk)
    }

    /// The number of lookups that must find a value.
    #[inline]
    pub fn found(&self) -> u64 {
        u64::from(self.components) - u64::from(self.past_leaf && self.components > 0)
    }

    /// Reads a value on the path and returns the id with which the next key begins. Updates `state`: to the id, or with all fields folded
    /// into it. `None` if the value is unreadable.
    #[inline]
    pub fn read(&self, value: &[u8], state: &mut u64) -> Option<u64> {
        if self.all_fields {
            return read(self.codec, value, Some(state));
        }
        *state = read(self.codec, value, None)?;
        Some(*state)
    }

    /// Whether a walk's answer is as the tape expects: whether the last lookup finds something, and the state.
    pub fn is_right(&self, (found, state): (bool, u64), answer: WalkAnswer) -> bool {
        match found || self.past_leaf {
            true => answer == WalkAnswer { found, components: self.found(), state },
            false => !answer.found,
        }
    }

    /// Describes how a walk's answer differs from what the tape expects.
    #[cold]
    pub fn describe_wrong(&self, (expected_found, expected_state): (bool, u64), answer: WalkAnswer) -> String {
        let (components, by) = (self.components, self.codec.name());
        let WalkAnswer { found, components: read, state } = answer;
        if found && read < u64::from(components) {
            return format!(
                "walk of {components} components: the value found by the lookup after {read} others cannot be read as {by}"
            );
        }
        let of = if self.all_fields { "fields" } else { "object" };
        format!(
            "walk of {components} components found {read} of them and read {of} {state} (the last found: {found}), \
             expected {of} {expected_state} (the last found: {expected_found})"
        )
    }

    /// Describes how values are read, and the right answer.
    pub fn describe(&self, (found, state): (bool, u64)) -> String {
        let by = if self.codec == Codec::Long { String::new() } else { format!(" by {}", self.codec.name()) };
        let what = match (found || self.past_leaf, self.all_fields) {
            (false, _) => "nothing".to_owned(),
            (true, false) => format!("object {state}"),
            (true, true) => format!("all fields {state:016x}"),
        };
        format!("{by} → {what}{}", if self.past_leaf { ", then nothing" } else { "" })
    }
}

/// The answer of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkAnswer {
    /// Whether the last lookup found a value.
    pub found: bool,
    /// The number of lookups that found a readable value.
    pub components: u64,
    /// The last object id read, or all fields folded.
    pub state: u64,
}

/// A walk with its right answer.
pub struct DrawnWalk {
    /// The components, each preceded by its length in one byte.
    pub path: Vec<u8>,
    /// Its properties.
    pub walk: Walk,
    /// Whether the last lookup finds a value.
    pub found: bool,
    /// The state after all lookups; 0 if the path leads through a deleted entry.
    pub state: u64,
}

impl Tree {
    /// Length in bytes of the path of a walk to a leaf.
    pub fn path_bytes(self) -> u64 {
        u64::from(self.levels) * (1 + EntryKeys::new(self).name_bytes()) as u64
    }

    /// Draws a walk from the root to a random leaf, or one step further to a missing entry. `below` draws a number below its argument.
    /// `is_there` tests whether the entry with an index exists.
    pub fn draw_walk(
        self,
        (all_fields, past_leaf): (bool, bool),
        mut below: impl FnMut(u64) -> u64,
        is_there: impl Fn(u64) -> bool,
    ) -> DrawnWalk {
        let (keys, numbering) = (EntryKeys::new(self), Numbering::new(self));
        let components = self.levels + u32::from(past_leaf);
        let mut path = Vec::with_capacity(components as usize * (1 + keys.name_bytes()));
        let (mut id, mut state, mut found) = (0, 0, true);
        for (level, branch) in (0..components).zip(numbering.branches()) {
            let number = below(u64::from(self.fanout));
            let begin = path.len() + 1;
            path.push(keys.name_bytes() as u8);
            path.resize(begin + keys.name_bytes(), 0);
            keys.name(number, &mut path[begin..]);
            if level < self.levels {
                let index = id + number * branch;
                found &= is_there(index);
                let directory = Directory { object_id: Numbering::object_id(index), parent_id: id };
                state = if all_fields { directory.fold_fields(state) } else { directory.object_id };
                id = directory.object_id;
            }
        }
        // The walk ends early at a deleted entry.
        let walk = Walk {
            components: components as u16,
            codec: self.values.read_by(),
            all_fields,
            past_leaf: past_leaf && found,
        };
        DrawnWalk { path, walk, found: found && !past_leaf, state: if found { state } else { 0 } }
    }
}

/// The components of a path in printable form, each after a `/`.
pub fn describe_path(mut path: &[u8]) -> String {
    let mut text = String::new();
    while let Some((length, rest)) = path.split_first() {
        let (name, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        // Writing to a string cannot fail.
        let _ = write!(text, "/\"{}\"", name.escape_ascii());
        path = rest;
    }
    text
}
