//! Reading ahead: one thread reads a trace and makes its keys, in batches, while the caller does what the operations say.

use std::io::Read;
use std::sync::mpsc::{SyncSender, sync_channel};

use bakeoff_limits::spawn_in;
use bakeoff_tape::Operation;

use crate::error::{Origin, TraceError};
use crate::event::Event;
use crate::hash::Identity;
use crate::intake::Omitted;
use crate::keys::Keys;
use crate::lanes::Threads;
use crate::read::Trace;

/// Operations of a batch, at most, and the bytes of keys after which it ends, so that memory stays flat.
const BATCH_OPERATIONS: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;

/// Batches that wait, at most.
const BATCHES_AHEAD: usize = 2;

/// Operations in the order of the trace.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    kept: Vec<Kept>,
}

/// An operation, with the place in the bytes where its key ends.
struct Kept {
    origin: Origin,
    operation: Operation,
    is_before: bool,
    identity: Identity,
    key_end: usize,
    thread: u8,
    value_bytes: Option<u64>,
    time_s: Option<f64>,
}

impl Batch {
    /// Its operations, with their keys as they come onto a tape, and the numbers of their threads.
    pub(crate) fn events(&self) -> impl Iterator<Item = (Event<'_>, Identity, u8)> {
        let mut end = 0;
        self.kept.iter().map(move |kept| {
            let key = &self.bytes[end..kept.key_end];
            end = kept.key_end;
            let event = Event {
                origin: kept.origin,
                operation: kept.operation,
                is_before: kept.is_before,
                key,
                key_bytes: key.len() as u64,
                value_bytes: kept.value_bytes,
                time_s: kept.time_s,
                thread: None,
            };
            (event, kept.identity, kept.thread)
        })
    }

    /// The identities of their keys.
    pub(crate) fn identities(&self) -> impl Iterator<Item = Identity> {
        self.kept.iter().map(|kept| kept.identity)
    }

    /// Reads until it is full; false if the trace ends before.
    fn fill<R: Read>(&mut self, source: &mut Source<R>) -> Result<bool, TraceError> {
        self.kept.reserve_exact(BATCH_OPERATIONS);
        while self.kept.len() < BATCH_OPERATIONS && self.bytes.len() < BATCH_BYTES {
            let Some(event) = source.trace.next_event()? else { return Ok(false) };
            let threads = source.threads.as_mut().filter(|_| !event.is_before);
            let thread = threads.map_or(Ok(0), |threads| threads.number(&event))?;
            let key = source.keys.key(&event);
            self.bytes.extend_from_slice(key);
            let (identity, key_end) = (Identity::of(key), self.bytes.len());
            let Event { origin, operation, is_before, value_bytes, time_s, .. } = event;
            self.kept.push(Kept { origin, operation, is_before, identity, key_end, thread, value_bytes, time_s });
        }
        Ok(true)
    }
}

/// What batches are made of.
pub(crate) struct Source<R: Read> {
    pub(crate) trace: Trace<R>,
    pub(crate) keys: Keys,
    /// The threads met so far, if they are of interest.
    pub(crate) threads: Option<Threads>,
}

/// Facts about a trace at its end, besides its operations.
#[derive(Default)]
pub(crate) struct EndFacts {
    pub(crate) omitted: Omitted,
    pub(crate) lacks_zone: bool,
}

/// Reads a trace to its end, or until `each` fails, and hands over its batches in order.
pub(crate) fn read_ahead<R: Read + Send>(
    source: Source<R>,
    mut each: impl FnMut(&Batch) -> Result<(), TraceError>,
) -> Result<EndFacts, TraceError> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(BATCHES_AHEAD);
        let reader = spawn_in(scope, move || send_batches(source, &sender))?;
        // With the receiver the reading thread's reason to go on is gone, however this ends.
        for batch in receiver {
            each(&batch?)?;
        }
        Ok(reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// What was read before a mistake comes first, so that the reported mistake is the first one.
fn send_batches<R: Read>(mut source: Source<R>, sender: &SyncSender<Result<Batch, TraceError>>) -> EndFacts {
    loop {
        let mut batch = Batch::default();
        let end = batch.fill(&mut source);
        if sender.send(Ok(batch)).is_err() {
            return EndFacts::default();
        }
        match end {
            Ok(true) => {}
            Ok(false) => {
                return EndFacts { omitted: source.trace.omitted().clone(), lacks_zone: source.trace.lacks_zone() };
            }
            Err(why) => {
                // Nobody listens any more: there was a mistake before this one.
                let _ = sender.send(Err(why));
                return EndFacts::default();
            }
        }
    }
}
