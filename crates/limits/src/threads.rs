//! Threads: an error where one is needed and refused, and work in the calling thread where it can be done there.

use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle, available_parallelism, scope};

use rustix::process::{Resource, getrlimit};

use crate::shortage::Shortage;

/// Starts a thread.
///
/// # Errors
/// The system refuses one.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>, Shortage> {
    Builder::new().spawn(work).map_err(|why| Shortage::of_thread(&why))
}

/// The stack that programs of this project need, bytes: the usual limit of a shell.
pub const STACK_BYTES: u64 = 8 << 20;

/// Does the work in this thread, or in one with a stack of the usual size where the limit on the stack is smaller.
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
/// The system refuses one.
pub fn spawn_in<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, Shortage> {
    Builder::new().spawn_scoped(scope, work).map_err(|why| Shortage::of_thread(&why))
}

/// Does both at the same time, or one after the other where the system refuses a thread.
pub fn join<A: Send, B>(other: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    scope(|scope| {
        let thread = spawn_in(scope, &other);
        let here = here();
        (thread.map_or_else(|_| other(), ended), here)
    })
}

/// What `of` makes of each, in order, by as many threads as there are CPUs, or as the system allows.
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

/// What a thread made; a panic in it goes on here.
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
