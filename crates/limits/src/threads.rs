//! Threads: an error where a required thread is refused, and work in the calling thread where that is possible.

use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle, available_parallelism, scope};

use rustix::process::{Resource, getrlimit};

use crate::shortage::Shortage;

/// Starts a thread.
///
/// # Errors
/// The system refuses a thread.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>, Shortage> {
    Builder::new().spawn(work).map_err(|why| Shortage::of_thread(&why))
}

/// The stack that programs of this project need, bytes: the usual limit of a shell.
pub const STACK_BYTES: u64 = 8 << 20;

/// Runs `work` in this thread. If the stack limit is below [`STACK_BYTES`], runs it in a thread with a stack of that size.
///
/// # Errors
/// The system refuses that thread.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Shortage> {
    if getrlimit(Resource::Stack).current.is_none_or(|bytes| bytes >= STACK_BYTES) {
        return Ok(work());
    }
    scope(|scope| {
        let thread = Builder::new().stack_size(STACK_BYTES as usize).spawn_scoped(scope, work);
        thread.map(ended).map_err(|why| Shortage::of_thread(&why))
    })
}

/// Starts a thread in a scope.
///
/// # Errors
/// The system refuses a thread.
pub fn spawn_in<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, Shortage> {
    Builder::new().spawn_scoped(scope, work).map_err(|why| Shortage::of_thread(&why))
}

/// Runs both at the same time, or in sequence if the system refuses a thread.
pub fn join<A: Send, B>(other: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    scope(|scope| {
        let thread = spawn_in(scope, &other);
        let here = here();
        (thread.map_or_else(|_| other(), ended), here)
    })
}

/// Applies `of` to each item and returns the results in order. Uses one thread per CPU, or as many as the system allows.
pub fn in_parallel<T: Sync, R: Send>(all: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = available_parallelism().map_or(1, usize::from);
    let part = all.len().div_ceil(threads).max(1);
    let of = &of;
    scope(|scope| {
        let made = |part: &[T]| part.iter().map(of).collect::<Vec<_>>();
        let parts: Vec<_> = all.chunks(part).map(|part| (part, spawn_in(scope, move || made(part)))).collect();
        parts.into_iter().flat_map(|(part, thread)| thread.map_or_else(|_| made(part), ended)).collect()
    })
}

/// The result of a thread; a panic in it continues here.
fn ended<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_made_in_order() {
        let numbers: Vec<u32> = (0..1_000).collect();
        assert_eq!(in_parallel(&numbers, |number| number * 2), (0..1_000).map(|number| number * 2).collect::<Vec<_>>());
        assert_eq!(in_parallel(&numbers[..0], |number| *number), Vec::<u32>::new());
        assert_eq!(join(|| 1, || 2), (1, 2));
    }
}
