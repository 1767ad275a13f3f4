//! What the system refuses: what to do about it, and which limit of the user's shell was reached.
//!
//! All threads of bakeoff start here. A limit may refuse a thread, and `std::thread::spawn` would panic.

mod remedy;
mod shortage;
mod threads;

pub use remedy::{remedy, remedy_among};
pub use shortage::{Shortage, check_least, file_size_limit};
pub use threads::{STACK_BYTES, in_parallel, join, spawn, spawn_in, with_stack};
