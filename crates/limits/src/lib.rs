//! Limits of the user's shell: which one refused something, and how to raise it.
//!
//! Threads of the product start here: a limit may refuse one, and `std::thread::spawn` would panic.

mod shortage;
mod threads;

pub use shortage::{Shortage, check_least, file_size_limit};
pub use threads::{STACK_BYTES, in_parallel, join, spawn, spawn_in, with_stack};
