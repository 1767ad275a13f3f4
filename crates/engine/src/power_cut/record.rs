//! Recording: a driver runs once on a disk that notes everything that reaches it.

use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use bakeoff_limits::spawn_in;
use bakeoff_powercut::{Base, Disk, LOG_BYTES_MAX, Random, Recording};
use bakeoff_protocol::Request;

use crate::cell::log::Log;
use crate::drivers::process::Answer;
use crate::power_cut::bench::Bench;
use crate::power_cut::grounds;
use crate::power_cut::stand::Stand;

/// The longest time between two moments at which files are written back.
const PRESSURE_US: u64 = 8_000;

/// Of the files in one directory so many can be written back, at most.
const FILES_MAX: usize = 64;

/// Runs a driver on a disk with this content, and records what reaches it, however the driver ends. `None` if the disk cannot be mounted.
pub(super) fn record(
    bench: &Bench<'_>,
    stand: &Stand,
    base: Base,
    request: &mut Request,
    (log, time_max, pressure): (&Log, Duration, Option<u64>),
) -> Result<Option<(Answer, Recording)>> {
    let lanes = request.hints.threads;
    let disk =
        Disk::start(grounds::server(), base, lanes, LOG_BYTES_MAX).context("cannot start a disk that records")?;
    let file = disk.open().context("cannot open the disk that records")?;
    let name = bench.file_system.name;
    let Ok(mounted) = stand.mount(name, &file, true, grounds::options(name, pressure.is_some()))? else {
        return Ok(None);
    };
    drop(file);
    if request.crash.is_none() {
        request.acknowledged = Some(disk.acknowledged_path());
    }
    let ended = AtomicBool::new(false);
    let answer = std::thread::scope(|scope| {
        if let Some(seed) = pressure {
            let ended = &ended;
            // Where no thread can be started, there is no pressure.
            let _ = spawn_in(scope, move || write_back(stand, seed, ended));
        }
        let answer = bench.ask(stand, request, log, time_max);
        ended.store(true, Ordering::Relaxed);
        answer
    });
    Stand::unmount(mounted);
    let recording = disk.end().context("the recorded disk")?;
    Ok(Some((answer?, recording)))
}

/// Has the kernel write files back at random moments, as it does where memory is short, without a flush.
fn write_back(stand: &Stand, seed: u64, ended: &AtomicBool) {
    let mut random = Random::new(seed);
    while !ended.load(Ordering::Relaxed) {
        let files = stand.files(FILES_MAX);
        if let Some((_, file)) = files.get(random.below(files.len().max(1) as u64) as usize) {
            // SAFETY: a system call without pointers. One that fails writes nothing back.
            unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
        }
        std::thread::sleep(Duration::from_micros(random.below(PRESSURE_US)));
    }
}
