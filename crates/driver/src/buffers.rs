//! What a replaying thread keeps answers and times in, made before the clock starts.

use std::collections::BinaryHeap;

use bakeoff_protocol::FailureKind;
use bakeoff_tape::{BLOCK_OPERATIONS_MAX, LaneNeeds};

use crate::answers::{Answer, Visit};
use crate::failure::Failure;
use crate::walk::WalkBuffers;
use crate::watch::{SLOW_MAX, Slow};

/// A thread's buffers, made before the baseline of memory is taken so that they are part of it.
pub struct Buffers {
    pub(crate) output: Vec<u8>,
    pub(crate) answers: Vec<Answer>,
    /// Of the scans and walks among the block's operations.
    pub(crate) visits: Vec<Visit>,
    pub(crate) times: Vec<u64>,
    pub(crate) walk: WalkBuffers,
    pub(crate) slow: BinaryHeap<Slow>,
}

impl Buffers {
    /// Buffers for a lane, or for several one after the other, with values of at most `value_bytes_max` bytes.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn new(needs: LaneNeeds, value_bytes_max: u64) -> Result<Self, Failure> {
        let walked = if needs.walks { value_bytes_max } else { 0 };
        // A store without a call that only looks whether a key is there reads the value.
        let looked_at = if needs.exists { value_bytes_max } else { 0 };
        Ok(Self {
            output: touched(needs.output_bytes_max.saturating_add(looked_at), 1)?,
            answers: touched(BLOCK_OPERATIONS_MAX as u64, Answer::default())?,
            visits: touched(BLOCK_OPERATIONS_MAX as u64, Visit::default())?,
            times: touched(BLOCK_OPERATIONS_MAX as u64, 1)?,
            walk: WalkBuffers { key: touched(512, 1)?, value: touched(walked, 1)? },
            slow: BinaryHeap::with_capacity(SLOW_MAX as usize + 1),
        })
    }
}

/// An empty buffer with its memory already mapped, so that filling it inside the clock fetches nothing.
fn touched<T: Clone>(length: u64, with: T) -> Result<Vec<T>, Failure> {
    let mut buffer = Vec::new();
    let room = usize::try_from(length).ok().filter(|&length| buffer.try_reserve_exact(length).is_ok());
    let bytes = length.saturating_mul(size_of::<T>() as u64);
    let words = || format!("the answers to a block of operations take {bytes} bytes, and no memory is left for them");
    buffer.resize(room.ok_or_else(|| Failure::new(FailureKind::OutOfMemory, words()))?, with);
    buffer.clear();
    Ok(buffer)
}
