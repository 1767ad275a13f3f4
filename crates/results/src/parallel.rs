//! Work on many things at once.

/// What `of` makes of each, in order, by as many threads as there are CPUs.
pub fn in_parallel<T: Sync, R: Send>(all: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = all.len().div_ceil(threads).max(1);
    let of = &of;
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            all.chunks(part).map(|part| scope.spawn(move || part.iter().map(of).collect::<Vec<_>>())).collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
