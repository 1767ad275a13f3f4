//! How values are serialised, and what a walk reads from them in the timed region.
//!
//! Messages are read with the library that a program would use (`prost`). FlatBuffers are read in the same steps as Java's library takes.
//! So walks do the same work in both languages. No bytes make this code panic: an unreadable value gives [`None`].

mod directory;
#[rustfmt::skip]
#[allow(missing_docs, unreachable_pub, unused, clippy::all, clippy::undocumented_unsafe_blocks, elided_lifetimes_in_paths)]
mod directory_info_generated;
mod flat;
mod proto;

pub use directory::{Acl, Directory};

/// How a value's object id and other fields are read. A walk on a tape names its codec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Codec {
    /// The first 8 bytes, little-endian, regardless of what follows.
    #[default]
    Long = 0,
    /// A FlatBuffer.
    FlatBuffers = 1,
    /// A Protocol Buffers message.
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

/// Reads a value's object id. With `all`, folds all its fields into the state, in the order of the schema. `None` if the value is
/// unreadable, or the codec has no fields to fold.
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

/// Serialises directories one after another and reuses its buffers.
#[derive(Default)]
pub struct Encoder {
    flat: flatbuffers::FlatBufferBuilder<'static>,
}

impl Encoder {
    /// Replaces the content of `out` by the serialised directory. [`Codec::Long`] writes only its id.
    pub fn encode(&mut self, codec: Codec, directory: &Directory, out: &mut Vec<u8>) {
        out.clear();
        match codec {
            Codec::Long => out.extend_from_slice(&directory.object_id.to_le_bytes()),
            Codec::FlatBuffers => flat::encode(&mut self.flat, directory, out),
            Codec::Protobuf => proto::encode(directory, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(codec: Codec, directory: &Directory) -> Vec<u8> {
        let mut value = vec![1, 2, 3];
        Encoder::default().encode(codec, directory, &mut value);
        value
    }

    #[test]
    fn what_was_written_is_read_with_one_field_and_with_all() {
        for (object_id, parent_id) in [(1, 0), (5, 0), (6, 1), (128, 25), (12_207_030, 2_441_405), (u64::MAX >> 1, 7)] {
            let directory = Directory { object_id, parent_id };
            for codec in Codec::ALL {
                let value = encoded(codec, &directory);
                assert_eq!(read(codec, &value, None), Some(object_id), "{codec:?}");
                let mut state = 77;
                let all = read(codec, &value, Some(&mut state));
                if codec == Codec::Long {
                    assert_eq!((all, state), (None, 77));
                } else {
                    assert_eq!((all, state), (Some(object_id), directory.fold_fields(77)), "{codec:?}");
                }
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_benchmark() {
        let lengths = |codec| {
            let of = |object_id, parent_id| encoded(codec, &Directory { object_id, parent_id }).len();
            (of(1, 0), of(127, 25), of(12_207_030, 2_441_405))
        };
        // An id of 0 is left out. The publication prints about 240 and 128; its Protocol Buffers have longer ids and a longer name.
        assert_eq!(lengths(Codec::FlatBuffers), (232, 240, 240));
        assert_eq!(lengths(Codec::Protobuf), (114, 114, 120));
    }

    #[test]
    fn values_lie_anywhere_in_memory() {
        let directory = Directory { object_id: 42, parent_id: 8 };
        let value = encoded(Codec::FlatBuffers, &directory);
        for before in 0..8 {
            let shifted = [vec![0; before], value.clone()].concat();
            assert_eq!(read(Codec::FlatBuffers, &shifted[before..], None), Some(42), "{before} bytes before it");
        }
    }

    #[test]
    fn a_value_that_is_cut_short_is_never_read_as_a_whole() {
        let directory = Directory { object_id: 300, parent_id: 59 };
        for codec in [Codec::FlatBuffers, Codec::Protobuf] {
            let value = encoded(codec, &directory);
            // The last bytes of a FlatBuffer are the end of a string and padding.
            let end = if codec == Codec::FlatBuffers { value.len() - 4 } else { value.len() };
            for length in 0..end {
                let mut state = 0;
                let all = read(codec, &value[..length], Some(&mut state));
                assert!(all.is_none() || state != directory.fold_fields(0), "{codec:?}, {length} bytes");
            }
        }
    }

    #[test]
    fn a_changed_number_or_end_of_a_text_changes_the_state() {
        let directory = Directory { object_id: 300, parent_id: 59 };
        let mut changed = [0, 0];
        for (codec, changed) in [Codec::FlatBuffers, Codec::Protobuf].into_iter().zip(&mut changed) {
            let value = encoded(codec, &directory);
            for at in 0..value.len() {
                let mut wrong = value.clone();
                wrong[at] ^= 1;
                let mut state = 0;
                let all = read(codec, &wrong, Some(&mut state));
                *changed += usize::from(all.is_none() || state != directory.fold_fields(0));
            }
        }
        // The other bytes are padding and the middles of strings.
        assert!(changed[0] > 120 && changed[1] > 50, "{changed:?}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(value in proptest::collection::vec(any::<u8>(), 0..300)) {
            for codec in Codec::ALL {
                read(codec, &value, None);
                read(codec, &value, Some(&mut 0));
            }
        }

        #[test]
        fn damage_never_makes_a_reader_panic(at in 0_usize..220, to in any::<u8>(), cut in 0_usize..230) {
            for codec in Codec::ALL {
                let mut value = encoded(codec, &Directory { object_id: 300, parent_id: 59 });
                if let Some(byte) = value.get_mut(at) {
                    *byte = to;
                }
                read(codec, &value, Some(&mut 0));
                value.truncate(cut);
                read(codec, &value, None);
            }
        }
    }
}
