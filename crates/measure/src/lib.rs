//! Instruments: clock, latency histogram, process and disk accounting, machine, medium, warnings.
//!
//! Nothing here decides what to measure or knows a store. A figure that could not be read is absent (`None`), never zero.

mod background_work;
mod clock;
mod device;
mod disk;
mod histogram;
mod machine;
mod medium;
mod mount;
mod others;
mod page_cache;
mod process;
mod sys;
mod warning;
mod witness;

pub use background_work::wait_for_background_work;
pub use clock::Clock;
pub use device::{DeviceCounters, DeviceId};
pub use disk::{disk_usage, room_bytes, room_bytes_if_full, room_files, room_files_if_full};
pub use histogram::{Histogram, HistogramError, recorded_ns};
pub use machine::{FileLimit, Machine, cpus_online, memory_available_bytes, nofile_limit, out_of_memory_kills};
pub use medium::Medium;
pub use mount::mount_points;
pub use others::{ProcessMemory, has_open};
pub use page_cache::{drop_page_cache, page_cache_bytes};
pub use process::{Snapshot, die, reset_peak_rss, rss_bytes};
pub use warning::{Warning, before_run};
pub use witness::{Moment, Witness, cause};
