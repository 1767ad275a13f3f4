//! Keys as they come onto a tape: as they are in the trace, filled up to the length it tells, or masked so that nobody can read them.

use std::fs::File;
use std::io::Read;

use crate::error::TraceError;
use crate::event::Event;
use crate::hash::Identity;
use crate::mask::Mask;

/// Length of a secret that is drawn.
const SECRET_BYTES: usize = 32;

/// What becomes of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Privacy {
    /// They stay as they are.
    #[default]
    None,
    /// They are masked with a secret that is kept nowhere.
    Random,
    /// They are masked with this secret, so that the same keys become the same again.
    Salt(Vec<u8>),
}

/// Makes keys for a tape.
pub(crate) struct Keys {
    mask: Option<Mask>,
    buffer: Vec<u8>,
}

impl Keys {
    pub(crate) fn new(privacy: &Privacy) -> Result<Self, TraceError> {
        let mask = match privacy {
            Privacy::None => None,
            Privacy::Salt(salt) => Some(Mask::new(salt)),
            Privacy::Random => {
                let mut drawn = [0; SECRET_BYTES];
                File::open("/dev/urandom")?.read_exact(&mut drawn)?;
                Some(Mask::new(&drawn))
            }
        };
        Ok(Self { mask, buffer: Vec::new() })
    }

    /// The key of an operation on the tape. Two keys are made one only if one was chosen to be the other with digits of its hash.
    #[inline]
    pub(crate) fn key<'a>(&'a mut self, event: &Event<'a>) -> &'a [u8] {
        let length = usize::try_from(event.key_bytes).unwrap_or(usize::MAX);
        if self.mask.is_none() && length <= event.key.len() {
            return event.key;
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(event.key);
        if length > event.key.len() {
            let digits = format!("{:016x}", Identity::of(event.key).checksum).into_bytes();
            self.buffer.extend(digits.iter().cycle().take(length - event.key.len()));
        }
        if let Some(mask) = &self.mask {
            mask.mask(&mut self.buffer);
        }
        &self.buffer
    }
}
