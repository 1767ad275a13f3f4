//! Keys as they come onto a tape: as they are in the trace, filled up to the length it tells, or hashed so that nobody can read them.

use std::fs::File;
use std::io::Read;

use sha1::{Digest, Sha1};

use crate::error::TraceError;
use crate::event::Event;
use crate::hash::Identity;

/// Hashed keys have at least as many digits: with fewer, two of many keys might meet.
const HASHED_BYTES_MIN: usize = 20;

/// Length of what is hashed before each key.
const SECRET_BYTES: usize = 32;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Makes keys for a tape.
pub(crate) struct Keys {
    /// Drawn anew for each import and kept nowhere, so that nobody finds a key by hashing what it might be.
    secret: Option<[u8; SECRET_BYTES]>,
    buffer: Vec<u8>,
}

impl Keys {
    pub(crate) fn new(anonymize: bool) -> Result<Self, TraceError> {
        let mut secret = None;
        if anonymize {
            let mut drawn = [0; SECRET_BYTES];
            File::open("/dev/urandom")?.read_exact(&mut drawn)?;
            secret = Some(drawn);
        }
        Ok(Self { secret, buffer: Vec::new() })
    }

    /// The key of an operation on the tape. Two keys are made one only if one was chosen to be the other with digits of its hash.
    #[inline]
    pub(crate) fn key<'a>(&'a mut self, event: &Event<'a>) -> &'a [u8] {
        let length = usize::try_from(event.key_bytes).unwrap_or(usize::MAX);
        self.buffer.clear();
        if let Some(secret) = &self.secret {
            let digest = Sha1::new().chain_update(secret).chain_update(event.key).finalize();
            let digits =
                digest.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            self.buffer.extend(digits.cycle().take(length.max(HASHED_BYTES_MIN)));
        } else if length <= event.key.len() {
            return event.key;
        } else {
            self.buffer.extend_from_slice(event.key);
            let digits = format!("{:016x}", Identity::of(event.key).checksum).into_bytes();
            self.buffer.extend(digits.iter().cycle().take(length - event.key.len()));
        }
        &self.buffer
    }
}
