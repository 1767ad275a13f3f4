//! When operations of an open loop are due.

use crate::random::{Purpose, Stream};
use crate::{OpenLoop, PhaseSpec, Workload};

/// When the operations of one lane are due, one after the other.
pub(crate) struct Arrivals {
    /// Mean time between two operations of the lane.
    gap_ns: f64,
    /// Where times are drawn.
    stream: Option<Stream>,
    at_ns: f64,
}

impl Arrivals {
    /// The arrivals of a lane; `None` where operations are not due at fixed times.
    pub(crate) fn new(workload: &Workload, phase: &PhaseSpec, lane: u32) -> Option<Self> {
        let (per_second, drawn) = match phase.open_loop? {
            OpenLoop::Poisson { per_second } => (per_second, true),
            OpenLoop::Fixed { per_second } => (per_second, false),
            OpenLoop::Recorded { .. } => return None,
        };
        let gap_ns = 1e9 * f64::from(workload.lanes) / per_second;
        let stream = drawn.then(|| Stream::new(workload.seed, &phase.name, lane, Purpose::Arrival));
        // Lanes take turns; independent arrivals on each are independent together.
        let first = if drawn { 0.0 } else { gap_ns * f64::from(lane) / f64::from(workload.lanes) };
        Some(Self { gap_ns, stream, at_ns: first })
    }

    /// When the next operation is due, nanoseconds from the beginning of the phase.
    pub(crate) fn next_ns(&mut self) -> u64 {
        match &mut self.stream {
            Some(stream) => {
                // Above 0 and at most 1, so that the logarithm is finite.
                self.at_ns += -libm::log(1.0 - stream.unit()) * self.gap_ns;
                self.at_ns as u64
            }
            None => {
                let due_ns = self.at_ns as u64;
                self.at_ns += self.gap_ns;
                due_ns
            }
        }
    }
}
