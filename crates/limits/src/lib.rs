//! Limits of the user's shell: which one was reached, and how to raise it.
//!
//! All threads of bakeoff start here. A limit may refuse a thread, and `std::thread::spawn` would panic.

mod shortage;
mod threads;

pub use shortage::{Shortage, check_least, file_size_limit};
pub use threads::{STACK_BYTES, in_parallel, join, spawn, spawn_in, with_stack};
